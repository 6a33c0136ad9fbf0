/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds on what trees can carry: prices of constraints for which a bound follows from
 * the cheapest trees (mtree_packer_prove).  Each function lowers packer->bound where it
 * proves a lower one.
 */
#ifndef MTREE_PLANNER_PACKING_BOUND_H
#define MTREE_PLANNER_PACKING_BOUND_H

#include "planner/packing/packer.h"

/* What enters one host: a constraint that every edge into it uses is used by each tree
 * that has its root elsewhere; so is one of several of which each edge uses one. */
void mtree_bound_by_entrances(mtree_packer_t *packer);

/* What the constraints carry that are filled like the fullest by @a load,
 * [num_constraints].  On links of their own these are the tightest partition's. */
void mtree_bound_by_load(mtree_packer_t *packer, const double *load);

/* The bound and the limit of @a plan, which is finished.  No trees are sought, so the
 * bound may be far from what trees can carry; not where @a plan comes close.  Where hosts
 * have blocks it is that of what enters a host. */
mtree_status_t mtree_bound_plan(const mtree_problem_t *problem, mtree_plan_t *plan);

/*
 * Name the links whose prices prove a bound (the edges of the tightest partition, or the
 * arcs of the tightest cut): "links a-b and c-d", at most a handful and then their
 * number.  @a constraint_price is [num_constraints].  *text_p, NULL or malloc'ed, is
 * replaced.
 */
void mtree_bound_describe(const mtree_problem_t *problem,
                          const mtree_candidates_t *candidates,
                          const double *constraint_price, char **text_p);

#endif

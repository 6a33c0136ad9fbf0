/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reweighting: other rates, and so other shares, for the trees of a plan on a network
 * whose capacities have changed by little, or for calls with another root or size.  One
 * small linear program takes the place of a search for trees.
 */
#ifndef MTREE_PLANNER_PACKING_REWEIGHT_H
#define MTREE_PLANNER_PACKING_REWEIGHT_H

#include "planner/plan/algorithm.h"

/*
 * The trees of problem->request->keep with the rates that carry most: their sum, or for
 * collectives with blocks what the root that sends least does.  Trees that get none are
 * left out.  Where the request has another root, trees are rooted there.  Of a robust
 * plan there are new trees: those that carry most do not suit hosts that send more than
 * others. MTREE_ERR_INVALID (logged) when it is a plan of another collective or of other
 * hosts.
 */
mtree_status_t mtree_reweight_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

/*
 * The rates with which the trees of @a plan carry most, the same sum for each root where
 * the collective has blocks: one per tree, in the problem's arena.  An arc's capacity
 * counts as at least @a least bits/s.
 */
const double *mtree_reweight_rates(const mtree_problem_t *problem,
                                   const mtree_plan_t *plan, double least);

#endif

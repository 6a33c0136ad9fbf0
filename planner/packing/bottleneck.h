/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What limits a plan, in words.
 */
#ifndef MTREE_PLANNER_PACKING_BOTTLENECK_H
#define MTREE_PLANNER_PACKING_BOTTLENECK_H

#include "planner/graph/candidates.h"

/*
 * Name the links whose prices prove a bound (the edges of the tightest partition, or the
 * arcs of the tightest cut): "links a-b and c-d", at most a handful and then their
 * number.  @a constraint_price is [num_constraints]. *text_p is malloc'ed, the caller's.
 */
mtree_status_t mtree_bottleneck_describe(const mtree_problem_t *problem,
                                         const mtree_candidates_t *candidates,
                                         const double *constraint_price, char **text_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plan for small messages: one low tree.
 */
#ifndef MTREE_PLANNER_REGULAR_SHALLOW_TREE_H
#define MTREE_PLANNER_REGULAR_SHALLOW_TREE_H

#include "planner/plan/algorithm.h"

/* The host number from which the farthest other host is nearest by latency; the lowest of
 * several. */
int mtree_shallow_tree_center(const mtree_problem_t *problem);

/*
 * "latency": the tree of least latencies from the root, over pairs that no third host
 * lies between; the root is the host from which the farthest is nearest (bcast, reduce:
 * the given one).  For gathering, one such tree from every host.  Rates are the highest
 * that the capacities allow, the same for all trees.
 */
mtree_status_t mtree_shallow_tree_plan(const mtree_problem_t *problem,
                                       mtree_plan_t **plan_p);

#endif

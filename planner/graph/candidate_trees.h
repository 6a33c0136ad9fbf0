/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of candidates: their price, the constraints that they use, and other roots for
 * them.  A tree is the num_hosts - 1 numbers of its edges, in any order.  One that does
 * not span all hosts has -1 behind its last edge.
 */
#ifndef MTREE_PLANNER_GRAPH_CANDIDATE_TREES_H
#define MTREE_PLANNER_GRAPH_CANDIDATE_TREES_H

#include "planner/graph/candidates.h"

/*
 * Reverse the edges of a directed tree that do not lead away from @a root.  @a edges,
 * [num_hosts - 1], may be a tree from any root; @a into is scratch, [num_hosts].
 * MTREE_ERR_UNREACHABLE (logged) when an edge has no candidate in the other direction.
 */
mtree_status_t mtree_candidates_reroot(const mtree_candidates_t *candidates, int root,
                                       int *edges, int *into);

/* The price of a tree whose edges have that @a price, [num_edges]. */
double mtree_candidates_tree_price(const mtree_candidates_t *candidates,
                                   const double *price, const int *edges);

/* How many blocks cross each of the num_hosts - 1 edges of a tree, in the order of @a
 * edges, until the next call; NULL: one each. */
const int *mtree_candidates_carried(const mtree_candidates_t *candidates,
                                    const int *edges);

/* How often the num_hosts - 1 edges of a tree use each constraint, to @a uses,
 * [num_constraints]. */
void mtree_candidates_count(const mtree_candidates_t *candidates, const int *edges,
                            int *uses);

/* The largest rate of a tree with these uses where @a left, [num_constraints], is what
 * the capacities have left. */
double mtree_candidates_max_rate(const mtree_candidates_t *candidates, const int *uses,
                                 const double *left);

#endif

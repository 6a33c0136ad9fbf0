/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Grow a spanning tree from a root, one host at a time, cheapest first (Prim's method).
 * With only prices on undirected edges the result is a cheapest spanning tree; a price on
 * distance and limits on height and spread make it a good shallow or balanced one,
 * without a promise.  Of a personalized collective each host's block pays for all of its
 * path, so the next host is the one of the cheapest path (Dijkstra's method), and the
 * result is a cheapest tree.
 */
#ifndef MTREE_PLANNER_PACKING_PRIM_H
#define MTREE_PLANNER_PACKING_PRIM_H

#include "planner/graph/candidates.h"

typedef struct mtree_prim mtree_prim_t;

typedef struct {
    double distance_price; /* added to an edge's price, per second between the root and
                              the new host */
    double hop_price;      /* the same, per hop */
    int max_height;        /* hops; 0: no limit */
    double reuse_factor; /* each use of a constraint by the tree raises its price by this
                      factor; 0: never */
} mtree_prim_options_t;

/* The factor that suits @a candidates: where edges share constraints (switches), a tree
 * would run through one many times.  What is personalized takes the cheapest paths. */
static inline double mtree_prim_reuse(const mtree_candidates_t *candidates)
{
    return candidates->num_edges > candidates->num_constraints &&
                   !candidates->is_personalized
               ? 1.0
               : 0.0;
}

/* Scratch in @a arena for growing trees over @a candidates, which must outlive it. */
mtree_prim_t *mtree_prim_create(mtree_arena_t *arena,
                                const mtree_candidates_t *candidates);

/*
 * Grow from @a root under @a constraint_price, [num_constraints], none negative.  On
 * success @a edges, [num_hosts - 1], are the tree's edges in the order in which they were
 * added.  False when the limit on height stopped it.
 */
bool mtree_prim_run(mtree_prim_t *prim, const double *constraint_price, int root,
                    const mtree_prim_options_t *options, int *edges);

#endif

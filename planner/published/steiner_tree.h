/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cheapest directed Steiner tree: from a root to every active vertex, over relays
 * where that is cheaper.  The oracle of papers/published/steiner.h (algorithm A of
 * papers/topology-adaptive.txt, Section IV).
 *
 * Exact by the Dreyfus-Wagner recursion over sets of active vertices, or by trying every
 * set of relays with an arborescence over it and the active vertices, whichever is less
 * work; where both are too much, each active vertex in turn is joined by its shortest
 * path and the vertices reached are rearranged into their cheapest arborescence.
 */
#ifndef MTREE_PLANNER_PUBLISHED_STEINER_TREE_H
#define MTREE_PLANNER_PUBLISHED_STEINER_TREE_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>

/* The parent of a vertex that a tree leaves out. */
#define MTREE_STEINER_ABSENT (-2)

typedef struct mtree_steiner_oracle mtree_steiner_oracle_t;

/*
 * An oracle for graphs of @a num_vertices vertices, the first @a num_active of which (at
 * least one) must be in every tree.  In @a arena.
 */
mtree_steiner_oracle_t *mtree_steiner_oracle_create(mtree_arena_t *arena,
                                                    int num_vertices, int num_active);

/* Are its trees the cheapest, and not only cheap? */
bool mtree_steiner_oracle_exact(const mtree_steiner_oracle_t *oracle);

/* Steps of work that a tree takes at most, with new prices for it. */
double mtree_steiner_oracle_work(const mtree_steiner_oracle_t *oracle);

/*
 * Give the prices for the trees that follow: price[u * num_vertices + v] >= 0 of the edge
 * from u to v, infinite where there is none.  With @a inward the trees lead to their
 * roots instead of away from them.
 */
void mtree_steiner_oracle_set_prices(mtree_steiner_oracle_t *oracle, const double *price,
                                     bool inward);

/*
 * The cheapest tree with its root at active vertex @a root: parent_p[v] is the next
 * vertex on the path from v to the root, -1 for the root, MTREE_STEINER_ABSENT outside
 * the tree; *price_p the sum over its edges. MTREE_ERR_UNREACHABLE (not logged) when
 * there is no tree.
 */
mtree_status_t mtree_steiner_oracle_find(mtree_steiner_oracle_t *oracle, int root,
                                         int *parent_p, double *price_p);

#endif

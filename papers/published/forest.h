/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A forest: spanning trees made of candidate edges, each with a root and a rate; what the
 * tree-packing heuristics collect before some of the trees become a plan.  For allreduce,
 * where edges are undirected.
 */
#ifndef MTREE_PAPERS_PUBLISHED_FOREST_H
#define MTREE_PAPERS_PUBLISHED_FOREST_H

#include "planner/graph/candidates.h"
#include "planner/plan/algorithm.h"

typedef struct {
    int *edges; /* [num_hosts - 1] candidate edges, ascending */
    int root;
    double rate;
} mtree_forest_tree_t;

typedef struct {
    mtree_arena_t arena; /* of the edges */
    const mtree_candidates_t *candidates;
    int num_trees, capacity;
    mtree_forest_tree_t *trees;
    int *offered; /* scratch, [num_hosts - 1] */
} mtree_forest_t;

/* An empty forest over the hosts of @a candidates, which must outlive it.  Owned by the
 * caller. */
mtree_forest_t *mtree_forest_create(const mtree_candidates_t *candidates);

/* Free; NULL is allowed. */
void mtree_forest_destroy(mtree_forest_t *forest);

/*
 * Add the tree of @a edges, which must span the hosts without a cycle; they are copied.
 * When a tree of the same edges is there already its rate grows instead and its root
 * stays.
 */
void mtree_forest_add(mtree_forest_t *forest, const int *edges, int root, double rate);

/* Drop all but the @a max_trees trees of the largest rates, and put these in falling
 * order. */
void mtree_forest_keep_widest(mtree_forest_t *forest, int max_trees);

/* Drop the trees without a rate. */
void mtree_forest_drop_idle(mtree_forest_t *forest);

/* The sum of the rates, bits/s. */
double mtree_forest_rate(const mtree_forest_t *forest);

/*
 * How often the tree of @a edges uses each capacity, to @a uses [num_constraints];
 * returns the largest rate that it can have where @a left [num_constraints] is what the
 * capacities have left.
 */
double mtree_forest_fit(const mtree_candidates_t *candidates, const int *edges,
                        const double *left, int *uses);

/* The host of least height in hops as a root of the tree of @a edges; the lowest number
 * of several. */
int mtree_forest_center(const mtree_candidates_t *candidates, const int *edges);

/*
 * Choose at most @a max_trees of the trees (0: no limit), each at no less than @a
 * min_rate, and give them the rates of the largest sum that the capacities hold: MILP (1)
 * of papers/mtree.txt with M_i, the capacity of tree i's tightest edge, for M.  The
 * others are dropped.  The search is cut off after a fixed number of nodes, with the best
 * found so far. MTREE_ERR_SOLVER (logged) when none was.
 */
mtree_status_t mtree_forest_select(mtree_forest_t *forest, int max_trees,
                                   double min_rate);

/* The trees as a plan of that name: roots, parents and rates. */
mtree_plan_t *mtree_forest_plan(const mtree_forest_t *forest,
                                const mtree_problem_t *problem, const char *algorithm);

#endif

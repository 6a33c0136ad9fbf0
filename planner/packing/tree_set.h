/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of a pool's kind, with rates: what becomes a plan.
 */
#ifndef MTREE_PLANNER_PACKING_TREE_SET_H
#define MTREE_PLANNER_PACKING_TREE_SET_H

#include "planner/packing/colgen.h"

/* A tree while trees are sorted. */
typedef struct {
    int group, number;
    double rate;
} mtree_ranked_tree_t;

typedef struct {
    mtree_arena_t arena;      /* of the arrays and the trees' edges */
    int num_trees, num_edges; /* num_edges of each */
    mtree_column_t *trees;
    double *rate;                /* bits/s */
    mtree_ranked_tree_t *ranked; /* scratch of mtree_tree_set_trim */
} mtree_tree_set_t;

/* An empty set with room for @a room trees whose edges are allocated. */
mtree_status_t mtree_tree_set_create(const mtree_colgen_t *colgen, int room,
                                     mtree_tree_set_t *set_p);

/* Append a copy of a tree; the room must be there. */
void mtree_tree_set_append(mtree_tree_set_t *set, const mtree_column_t *tree,
                           double rate);

/* All trees that the master's solution uses, with its rates. */
mtree_status_t mtree_tree_set_from_master(const mtree_colgen_t *colgen,
                                          mtree_tree_set_t *set_p);

/*
 * The time in which the trees of one group deliver @a bits at their rates, each beginning
 * after its delay; infinite when they have no rate.
 */
double mtree_tree_set_time(const mtree_tree_set_t *set, double bits);

/* What the group that gets least gets, bits/s. */
double mtree_tree_set_least(const mtree_tree_set_t *set, int num_groups);

/* Keep the fastest @a max_trees (0: all) of each group, and of those the ones with @a
 * min_rate, but at least one. */
void mtree_tree_set_trim(mtree_tree_set_t *set, int max_trees, double min_rate);

/*
 * Give the trees the rates that make the slowest group fastest, by the generator's
 * weights, and leave the prices of that program in colgen->constraint_price.  Sets of
 * very many trees keep their rates.
 */
mtree_status_t mtree_tree_set_refit(mtree_colgen_t *colgen, mtree_tree_set_t *set);

/* Free what the set holds. */
void mtree_tree_set_clear(mtree_tree_set_t *set);

#endif

/*
 * Trees of a pool's kind, with rates: what becomes a plan.
 */
#ifndef MTREE_PLANNER_TREE_SET_H
#define MTREE_PLANNER_TREE_SET_H

#include "planner/generate.h"

typedef struct {
    int num_trees, room;
    mtree_column_t *trees; /* [room], edges owned by the set */
    double *rate;          /* [room] bits/s */
} mtree_tree_set_t;

/* An empty set with room for @a room trees whose edges are allocated. */
mtree_status_t mtree_tree_set_create(const mtree_generator_t *generator, int room,
                                     mtree_tree_set_t *set_p);

/* Append a copy of a tree; the room must be there. */
void mtree_tree_set_append(mtree_tree_set_t *set, int num_edges,
                           const mtree_column_t *tree, double rate);

/* All trees that the master's solution uses, with its rates. */
mtree_status_t mtree_tree_set_take(const mtree_generator_t *generator,
                                   mtree_tree_set_t *set_p);

/* Free what the set holds. */
void mtree_tree_set_clear(mtree_tree_set_t *set);

#endif

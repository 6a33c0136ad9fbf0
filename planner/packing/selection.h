/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A few trees of one group with the rates that suit them best: what the search for a good
 * choice of few trees (planner/packing/select.h) changes and judges.
 */
#ifndef MTREE_PLANNER_PACKING_SELECTION_H
#define MTREE_PLANNER_PACKING_SELECTION_H

#include "planner/packing/tree_set.h"
#include "planner/solver/dense_simplex.h"

#include <stdbool.h>

typedef struct {
    mtree_generator_t *generator; /* its master's weights are the ones that count */
    const mtree_candidates_t *candidates;
    mtree_dense_simplex_t *tableau;
    int max_trees, num_trees;
    int num_edges;            /* of a tree */
    mtree_column_t *trees;    /* [max_trees] */
    int **uses;               /* [max_trees] of the rows by each */
    double *weight;           /* [max_trees] */
    double *rate, *row_price; /* after mtree_choice_solve */
    double *left;             /* [num_rows] capacity that the rates leave */
    double value;             /* sum of weight times rate */
    int best_trees;           /* the best choice so far, as mtree_choice_keep saw it */
    double best_value;
    int *best_edges; /* [max_trees x num_edges] */
    double work;     /* done so far, besides the tableau's */
} mtree_choice_t;

/* An empty choice with room for @a max_trees trees, owned by the caller. */
mtree_status_t mtree_choice_create(mtree_generator_t *generator, int max_trees,
                                   mtree_choice_t **choice_p);

/* Free; NULL is allowed. */
void mtree_choice_destroy(mtree_choice_t *choice);

/* Work done so far, in steps of a few nanoseconds. */
double mtree_choice_work(const mtree_choice_t *choice);

/* Does the weight of a tree depend on its shape? */
bool mtree_choice_is_shaped(const mtree_choice_t *choice);

/* Work out shape, uses and weight of tree @a t from its edges. */
void mtree_choice_refresh(mtree_choice_t *choice, int t);

/* Make @a edges tree @a t. */
void mtree_choice_set(mtree_choice_t *choice, int t, const int *edges);

/* Exchange the places of two trees. */
void mtree_choice_swap(mtree_choice_t *choice, int a, int b);

/* The value of the first @a num_trees trees with the rates that suit them best, which are
 * left in the tableau. */
double mtree_choice_try(mtree_choice_t *choice, int num_trees);

/* Set rates, prices, what is left and the value of the choice as it is. */
void mtree_choice_solve(mtree_choice_t *choice);

/* Remember the choice if it is the best so far (by more than rounding), and go back to
 * the best. */
void mtree_choice_keep(mtree_choice_t *choice);
void mtree_choice_restore(mtree_choice_t *choice);

#endif

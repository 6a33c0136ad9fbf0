/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A few trees of one group with the rates that suit them best: what the search for a good
 * selection of few trees (planner/packing/select.h) changes and judges.
 */
#ifndef MTREE_PLANNER_PACKING_SELECTION_H
#define MTREE_PLANNER_PACKING_SELECTION_H

#include "planner/packing/packer.h"
#include "planner/solver/dense_simplex.h"

#include <stdbool.h>

/* A selection is better from this part of the value on, so that searches end. */
#define MTREE_SELECTION_GAIN 1e-9

typedef struct {
    mtree_packer_t *packer; /* its weights are the ones that count */
    const mtree_candidates_t *candidates;
    mtree_dense_simplex_t *simplex;
    int max_trees, num_trees;
    int num_edges;                   /* of a tree */
    mtree_packed_t *trees;           /* [max_trees] */
    int **uses;                      /* the simplex's */
    double *weight;                  /* the simplex's */
    double *rate, *constraint_price; /* after mtree_selection_solve */
    double *left;                    /* [num_constraints] capacity that the rates leave */
    double value;                    /* sum of weight times rate */
    int best_trees; /* the best selection so far, as mtree_selection_keep saw it */
    double best_value;
    int *best_edges; /* [max_trees x num_edges] */
    double work;     /* done so far, besides the simplex's */
} mtree_selection_t;

/* An empty selection with room for @a max_trees trees, in @a arena. */
mtree_selection_t *mtree_selection_create(mtree_arena_t *arena, mtree_packer_t *packer,
                                          int max_trees);

/* Work done so far, in steps of a few nanoseconds; infinite where it is cancelled. */
double mtree_selection_work(const mtree_selection_t *selection);

/* Does the weight of a tree depend on its shape? */
bool mtree_selection_is_shaped(const mtree_selection_t *selection);

/* Work out shape, uses and weight of tree @a t from its edges. */
void mtree_selection_refresh(mtree_selection_t *selection, int t);

/* Make @a edges tree @a t. */
void mtree_selection_set(mtree_selection_t *selection, int t, const int *edges);

/* Exchange the places of two trees. */
void mtree_selection_swap(mtree_selection_t *selection, int a, int b);

/* Set rates, prices, what is left and the value of the selection as it is. */
void mtree_selection_solve(mtree_selection_t *selection);

/* Remember the selection if it is the best so far (by more than rounding), and go back to
 * the best. */
void mtree_selection_keep(mtree_selection_t *selection);
void mtree_selection_restore(mtree_selection_t *selection);

#endif

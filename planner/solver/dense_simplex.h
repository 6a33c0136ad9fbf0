/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The best rates of a few given trees: a small dense linear program, solved thousands of
 * times while trees are exchanged (GLPK is for the large ones, see lp.h).
 *
 * maximise sum of weight_t r_t, sum over t of uses_t(row) r_t <= capacity(row), r >= 0.
 * All capacities are positive, so r = 0 is where the simplex method starts.  Of the rows
 * that all trees use alike only the one with the least capacity can limit them: the
 * others are left out, which makes the tableau of a large network a small one.
 */
#ifndef MTREE_PLANNER_SOLVER_DENSE_SIMPLEX_H
#define MTREE_PLANNER_SOLVER_DENSE_SIMPLEX_H

#include "base/status.h"

#include <stdint.h>

typedef struct {
    int num_rows, max_trees;
    const double *capacity; /* [num_rows], positive, of the caller */
    int num_lines;          /* rows that are in the tableau */
    int *line_row;          /* [num_rows] which */
    double *cells;          /* the tableau, (num_lines + 1) x (max_trees + 1) */
    int *row_basis;    /* [num_lines] variable in the line: below 0 a line's slack, else a
                          tree */
    int *column_basis; /* [max_trees] the variable at zero in the column */
    double *rate;      /* [max_trees] result */
    double *row_price; /* [num_rows] result: what one more of capacity is worth */
    uint64_t *pattern; /* scratch, [num_rows] */
    int *slots;        /* scratch, [num_slots] lines by pattern, -1: free */
    int num_slots;     /* a power of two */
    double work;       /* done so far, in steps of a few nanoseconds */
} mtree_dense_simplex_t;

/* Owned by the caller; @a capacity must outlive it. */
mtree_status_t mtree_dense_simplex_create(int num_rows, const double *capacity,
                                          int max_trees,
                                          mtree_dense_simplex_t **tableau_p);

/* Free; NULL is allowed. */
void mtree_dense_simplex_destroy(mtree_dense_simplex_t *tableau);

/*
 * Solve for @a num_trees trees; uses[t] is [num_rows].  Returns the maximum and leaves
 * rates and prices in the tableau.
 */
double mtree_dense_simplex_solve(mtree_dense_simplex_t *tableau, int num_trees,
                                 int *const *uses, const double *weight);

#endif

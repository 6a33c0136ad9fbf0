/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The best rates of given trees: a dense linear program, solved by the simplex method.
 * It is solved thousands of times while trees are exchanged.
 *
 * Trees are in groups.  Maximise x so that, with the rates r >= 0 in bits/s,
 *     sum over t of uses_t(c) r_t <= capacity(c)   for each constraint c,
 *     sum over t in g of weight_t r_t >= x         for each group g.
 * No capacity is negative, so r = 0 is where the simplex method starts.  Of the
 * constraints that all trees use alike only the one with the least capacity can limit
 * them: the others are left out, which makes the tableau of a large network a small one.
 */
#ifndef MTREE_PLANNER_SOLVER_DENSE_SIMPLEX_H
#define MTREE_PLANNER_SOLVER_DENSE_SIMPLEX_H

#include "base/arena.h"
#include "base/status.h"

#include <stdint.h>

typedef struct {
    int num_constraints, num_groups;
    const double *capacity;    /* [num_constraints], none negative, of the caller */
    int **uses;                /* [max_trees] of the constraints by each tree */
    double *weight;            /* [max_trees] */
    int *group;                /* [max_trees] all 0 at first */
    int num_rows, num_columns; /* of the tableau, without the objective and the right-hand
                                  sides */
    int *row_constraint;       /* [num_constraints] the constraint of a row */
    double *cells;             /* (num_rows + 1) x (num_columns + 1) */
    int *row_basis; /* [num_rows] variable in the row: below 0 a row's slack, else a tree
                       or, after them, x */
    int *column_basis;        /* [num_columns] the variable at zero in the column */
    double *rate;             /* [max_trees] result */
    double *constraint_price; /* [num_constraints] result: what the objective gains per
                                 unit of capacity */
    uint64_t *pattern;        /* scratch, [num_constraints] */
    int *slots;               /* scratch, [num_slots] rows by pattern, -1: free */
    int num_slots;            /* a power of two */
    double work;              /* done so far, in steps of a few nanoseconds */
    double most_work;         /* at which it stops short of the best; 0: no limit */
} mtree_dense_simplex_t;

/* In @a arena; @a capacity must outlive it. */
mtree_dense_simplex_t *mtree_dense_simplex_create(mtree_arena_t *arena,
                                                  int num_constraints,
                                                  const double *capacity, int max_trees,
                                                  int num_groups);

/* Solve for the first @a num_trees trees, whose uses, weights and groups the caller has
 * set.  Returns x and leaves rates and prices in @a simplex. */
double mtree_dense_simplex_solve(mtree_dense_simplex_t *simplex, int num_trees);

#endif

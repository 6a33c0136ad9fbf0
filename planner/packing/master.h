/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The packing's linear program over the trees of a pool.
 *
 * With r_t the rate of tree t, w_t its weight and x what every group gets:
 *     maximise x,  sum over t of uses(t, c) r_t <= capacity(c) for each constraint c,
 *                  sum over t in g of w_t r_t >= x for each group g.
 * For throughput w_t = 1.  For the time T of a message of M bits per group, w_t = 1 - D_t
 * / T, and M can be delivered in T if and only if x T >= M (docs/design.md,
 * "Bounds and plans").
 * The constraints' prices y and the groups' prices p (which sum to one) prove x <= sum of
 * capacity y / sum over g of p_g' with p_g' the least y-price of any tree of g over its
 * weight (linear-programming duality).
 */
#ifndef MTREE_PLANNER_PACKING_MASTER_H
#define MTREE_PLANNER_PACKING_MASTER_H

#include "planner/packing/columns.h"
#include "planner/solver/lp.h"

typedef struct {
    const mtree_columns_t *columns;
    int num_groups;
    double scale; /* rates inside the program are divided by it */
    double time;  /* T; 0: throughput */
    mtree_lp_t *lp;
    int num_columns; /* of the pool that are in the program */
    double x;        /* bits/s */
    double *rate;    /* [num_columns] bits/s */
    int rate_capacity;
    double *constraint_price; /* [num_constraints] */
    double *group_price;      /* [num_groups] */
    int *uses;                /* scratch */
    int *index;
    double *value;
} mtree_master_t;

/*
 * A program without trees, in @a arena; *master_p is for mtree_master_destroy() also on
 * failure.  Without a solver (mtree_lp_is_available) it has groups, weights and scale,
 * and cannot be solved; @a columns must outlive it.
 */
mtree_status_t mtree_master_create(mtree_arena_t *arena, const mtree_columns_t *columns,
                                   int num_groups, mtree_master_t **master_p);

/* Free what is not in the arena; NULL is allowed. */
void mtree_master_destroy(mtree_master_t *master);

/* The weight of a tree: 1, or what is left of the time after its delay; 0 when it is too
 * high or left out. */
double mtree_master_weight(const mtree_master_t *master, const mtree_column_t *column);

/* Give tree @a t, which is in the program, its weight as it is now. */
void mtree_master_reweight(mtree_master_t *master, int t);

/* Set T (0: throughput); trees already in the program get new weights. */
void mtree_master_set_time(mtree_master_t *master, double time);

/*
 * Take in the trees that the pool has got since, solve, and set x, rates and prices.
 * MTREE_ERR_SOLVER (not logged) when GLPK fails or its work is over; x, rates and prices
 * then stay.
 */
mtree_status_t mtree_master_solve(mtree_master_t *master);

/* Solve a last time, with the capacities in full: until then each is less by up to a
 * millionth. */
mtree_status_t mtree_master_finish(mtree_master_t *master);

#endif

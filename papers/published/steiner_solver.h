/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state of mtree_steiner_pack() (papers/published/steiner.h), shared by its two
 * parts: steiner.c sets the linear program up, solves it and takes the packing from it,
 * steiner_columns.c makes the columns.
 */
#ifndef MTREE_PAPERS_PUBLISHED_STEINER_SOLVER_H
#define MTREE_PAPERS_PUBLISHED_STEINER_SOLVER_H

#include "planner/graph/candidates.h"
#include "papers/published/steiner.h"
#include "papers/published/lp.h"

/*
 * Rows of the program, with n roots and c rows of capacity (those that the mode has no
 * use for stay empty): n of (8a), sum of w_i >= chi_v; n of (8b), sum of w_k and w_j >=
 * chi_v; c of (8d); c of (8e). (8c) follows from (8b) and w_j >= 0.  Columns: chi_v of
 * each root, then one per tree.  Capacities are divided by `unit`.
 */
typedef struct {
    mtree_arena_t arena; /* of all but routes, lp and trees */
    const mtree_steiner_request_t *request;
    int num_roots, first_root;
    mtree_routes_t *routes;
    mtree_candidates_t *candidates;
    mtree_steiner_oracle_t *oracle;
    mtree_lp_t *lp;
    double unit;
    int *edge_at;     /* [num_hosts * num_hosts] the edge between two hosts, -1: none */
    double *lp_price; /* [2 * num_constraints] of the rows (8d) and (8e) by the last
                         solution */
    double *center; /* [2 * num_constraints] the prices that gave the bound, for trees of
                       price 1 */
    double pull;    /* part of the center in the prices that the oracle is asked at */
    double *constraint_price; /* [2 * num_constraints] those prices */
    double *edge_price;       /* [num_edges] */
    double *price;            /* [num_hosts * num_hosts] */
    int *use;                 /* [num_constraints] by the tree whose column was made */
    int *column_rows;         /* [num_constraints + 1] */
    double *column_values;
    double *reduce_cost,
        *broadcast_cost; /* [num_roots] of the cheapest trees at the current prices */
    int *parent;         /* [num_hosts] */
    int num_trees, tree_capacity;
    mtree_steiner_tree_t *trees;
    double bound;
} mtree_steiner_solver_t;

/* The row (8a) or (8b) of root number @a r. */
int mtree_steiner_root_row(const mtree_steiner_solver_t *solver,
                           mtree_steiner_stage_t stage, int r);

/* Does the request's mode have trees of that stage? */
bool mtree_steiner_has_stage(const mtree_steiner_solver_t *solver,
                             mtree_steiner_stage_t stage);

/*
 * The first columns of a stage: in turn the cheapest tree of each root, whose rows then
 * become dearer by the part that the tree's rate takes of them (multiplicative weights).
 * They fill the network evenly, which the program's own prices take far longer to do.
 */
mtree_status_t mtree_steiner_start_stage(mtree_steiner_solver_t *solver,
                                         mtree_steiner_stage_t stage);

/*
 * One round of pricing at a mixture of solver->lp_price and solver->center
 * (solver->pull), which may improve solver->bound and solver->center; *num_added_p is the
 * number of new columns.
 */
mtree_status_t mtree_steiner_price_all(mtree_steiner_solver_t *solver, int *num_added_p);

#endif

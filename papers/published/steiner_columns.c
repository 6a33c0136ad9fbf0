/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/lp_column.h"
#include "papers/published/steiner_solver.h"

#include "base/array.h"
#include "base/log.h"

#include <math.h>
#include <string.h>

/* A tree becomes a column when it is cheaper than its root's price by more than this;
 * prices are near 1. */
#define PRICE_TOLERANCE 1e-9

/* Rounds over the roots that make the first columns, and how much dearer a full row
 * becomes in one. */
#define START_ROUNDS 16
#define START_STEP   0.3

/* Where a stage's rows begin among those of capacity. */
static int stage_row(const mtree_steiner_solver_t *solver, mtree_steiner_stage_t stage)
{
    return stage == MTREE_STEINER_STAGE_FINAL ? solver->candidates->num_constraints : 0;
}

/* The column of the tree in solver->parent; returns its number of rows. */
static int make_column(mtree_steiner_solver_t *solver, mtree_steiner_stage_t stage, int r)
{
    const mtree_candidates_t *candidates = solver->candidates;
    int num_hosts = candidates->num_hosts;
    bool inward = stage == MTREE_STEINER_STAGE_REDUCE;
    int first_row = 2 * solver->num_roots + stage_row(solver, stage);
    int count;

    memset(solver->use, 0, (size_t)candidates->num_constraints * sizeof(*solver->use));
    for (int v = 0; v < num_hosts; v++) {
        int up = solver->parent[v];

        if (up >= 0) {
            int edge = solver->edge_at[inward ? v * num_hosts + up : up * num_hosts + v];

            for (int i = candidates->first[edge]; i < candidates->first[edge + 1]; i++) {
                solver->use[candidates->constraints[i]]++;
            }
        }
    }
    count = mtree_candidates_column(candidates, solver->use, solver->column_rows,
                                    solver->column_values);
    for (int i = 0; i < count; i++) {
        solver->column_rows[i] += first_row;
    }
    solver->column_rows[count] = mtree_steiner_root_row(solver, stage, r);
    solver->column_values[count++] = 1.0;
    return count;
}

/* Is the reduced cost of the column negative: is it cheaper, at the last solution's
 * prices, than what its root pays? */
static bool is_cheaper(const mtree_steiner_solver_t *solver, int count)
{
    double price = 0.0;

    for (int i = 0; i + 1 < count; i++) {
        price += solver->column_values[i] *
                 solver->lp_price[solver->column_rows[i] - 2 * solver->num_roots];
    }
    return price < -solver->lp->prices[solver->column_rows[count - 1]] - PRICE_TOLERANCE;
}

/* Add the tree in solver->parent, whose column is made. */
static void add_tree(mtree_steiner_solver_t *solver, mtree_steiner_stage_t stage, int r,
                     int count)
{
    size_t num_hosts = (size_t)solver->candidates->num_hosts;
    mtree_steiner_tree_t tree = {.stage = stage, .root = solver->first_root + r};

    MTREE_ARENA_ARRAY(&solver->arena, tree.parent, num_hosts);
    mtree_array_reserve(&solver->trees, &solver->tree_capacity, solver->num_trees + 1,
                        sizeof(*solver->trees));
    memcpy(tree.parent, solver->parent, num_hosts * sizeof(*tree.parent));
    solver->trees[solver->num_trees++] = tree;
    mtree_lp_add_column(solver->lp, 0.0, count, solver->column_rows,
                        solver->column_values);
}

/* Let the oracle price a stage's trees at solver->constraint_price. */
static void set_prices(mtree_steiner_solver_t *solver, mtree_steiner_stage_t stage)
{
    int num_hosts = solver->candidates->num_hosts;

    mtree_candidates_price(solver->candidates,
                           solver->constraint_price + stage_row(solver, stage),
                           solver->edge_price);
    for (int i = 0; i < num_hosts * num_hosts; i++) {
        int edge = solver->edge_at[i];

        solver->price[i] = edge < 0 ? INFINITY : solver->edge_price[edge];
    }
    mtree_steiner_oracle_set_prices(solver->oracle, solver->price,
                                    stage == MTREE_STEINER_STAGE_REDUCE);
}

/* The cheapest tree of root number @a r into solver->parent. */
static mtree_status_t find_tree(mtree_steiner_solver_t *solver, int r, double *price_p)
{
    mtree_status_t status = mtree_steiner_oracle_find(
        solver->oracle, solver->first_root + r, solver->parent, price_p);

    if (status == MTREE_ERR_UNREACHABLE) {
        mtree_error(
            "steiner: no tree from host %d to all active hosts; check the topology",
            solver->first_root + r);
    }
    return status;
}

mtree_status_t mtree_steiner_start_stage(mtree_steiner_solver_t *solver,
                                         mtree_steiner_stage_t stage)
{
    const mtree_candidates_t *candidates = solver->candidates;
    bool shared = stage == MTREE_STEINER_STAGE_FINAL &&
                  mtree_steiner_has_stage(solver, MTREE_STEINER_STAGE_OVERLAP);
    double *constraint_price = solver->constraint_price + stage_row(solver, stage);
    mtree_status_t status = MTREE_OK;

    for (int row = 0; row < candidates->num_constraints; row++) {
        constraint_price[row] = solver->unit / candidates->capacity[row];
    }
    for (int i = 0; i < START_ROUNDS * solver->num_roots && status == MTREE_OK; i++) {
        int r = i % solver->num_roots;
        double price, rate;
        int count;

        set_prices(solver, stage);
        status = find_tree(solver, r, &price);
        if (status != MTREE_OK) {
            return status;
        }
        count = make_column(solver, stage, r);
        add_tree(solver, stage, r, count);
        rate = mtree_candidates_max_rate(candidates, solver->use, candidates->capacity);
        for (int row = 0; row < candidates->num_constraints; row++) {
            constraint_price[row] *=
                1.0 + START_STEP * rate * solver->use[row] / candidates->capacity[row];
        }
        if (shared && status == MTREE_OK) {
            count = make_column(solver, MTREE_STEINER_STAGE_OVERLAP, r);
            add_tree(solver, MTREE_STEINER_STAGE_OVERLAP, r, count);
        }
    }
    return status;
}

/*
 * Ask the oracle for the cheapest tree of every root and @a stage.  cost[r] becomes the
 * lesser of itself and that tree's price; the tree is added when its reduced cost is
 * negative; *num_added_p counts those.
 */
static mtree_status_t price_stage(mtree_steiner_solver_t *solver,
                                  mtree_steiner_stage_t stage, double *cost,
                                  int *num_added_p)
{
    mtree_status_t status = MTREE_OK;

    set_prices(solver, stage);
    for (int r = 0; r < solver->num_roots && status == MTREE_OK; r++) {
        double found;
        int count;

        status = find_tree(solver, r, &found);
        if (status != MTREE_OK) {
            return status;
        }
        cost[r] = fmin(cost[r], found);
        count = make_column(solver, stage, r);
        if (is_cheaper(solver, count)) {
            add_tree(solver, stage, r, count);
            ++*num_added_p;
        }
    }
    return status;
}

/* Prices to ask the oracle at; returns what all capacity costs at them. */
static double mix_prices(mtree_steiner_solver_t *solver)
{
    const mtree_candidates_t *candidates = solver->candidates;
    int num_constraints = candidates->num_constraints;
    int first =
        mtree_steiner_has_stage(solver, MTREE_STEINER_STAGE_REDUCE) ? 0 : num_constraints;
    double sum = 0.0;

    for (int row = first; row < 2 * num_constraints; row++) {
        double capacity = candidates->capacity[row % num_constraints] / solver->unit;

        solver->constraint_price[row] = solver->pull * solver->center[row] +
                                        (1.0 - solver->pull) * solver->lp_price[row];
        sum += capacity * solver->constraint_price[row];
    }
    return sum;
}

/*
 * Any prices bound chi: when no root's reduce and broadcast trees together are cheaper
 * than s, each bit per second of chi takes at least s of what all capacity costs.
 */
static void take_bound(mtree_steiner_solver_t *solver, double all_capacity)
{
    double least = INFINITY;

    for (int r = 0; r < solver->num_roots; r++) {
        least = fmin(least, solver->reduce_cost[r] + solver->broadcast_cost[r]);
    }
    if (least > 0.0 && all_capacity / least < solver->bound) {
        solver->bound = all_capacity / least;
        for (int row = 0; row < 2 * solver->candidates->num_constraints; row++) {
            solver->center[row] = solver->constraint_price[row] / least;
        }
    }
}

mtree_status_t mtree_steiner_price_all(mtree_steiner_solver_t *solver, int *num_added_p)
{
    static const mtree_steiner_stage_t stages[] = {MTREE_STEINER_STAGE_REDUCE,
                                                   MTREE_STEINER_STAGE_OVERLAP,
                                                   MTREE_STEINER_STAGE_FINAL};
    double all_capacity = mix_prices(solver);
    mtree_status_t status = MTREE_OK;

    *num_added_p = 0;
    for (int r = 0; r < solver->num_roots; r++) {
        solver->broadcast_cost[r] = INFINITY;
        solver->reduce_cost[r] =
            mtree_steiner_has_stage(solver, MTREE_STEINER_STAGE_REDUCE) ? INFINITY : 0.0;
    }
    for (int i = 0; i < 3 && status == MTREE_OK; i++) {
        if (mtree_steiner_has_stage(solver, stages[i])) {
            status = price_stage(solver, stages[i],
                                 stages[i] == MTREE_STEINER_STAGE_REDUCE
                                     ? solver->reduce_cost
                                     : solver->broadcast_cost,
                                 num_added_p);
        }
    }
    if (status == MTREE_OK) {
        take_bound(solver, all_capacity);
    }
    return status;
}

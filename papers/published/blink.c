/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/blink.h"

#include "base/arena.h"
#include "base/log.h"
#include "papers/published/lp.h"
#include "papers/published/lp_column.h"
#include "planner/packing/prim.h"
#include "planner/regular/shallow_tree.h"

#include <math.h>

#define EPSILON    0.1
#define MAX_CHOICE 128 /* trees that the integer program chooses from */
#define MAX_NODES  2000
#define ROUNDING   1e-9

/* Whole units are kept when they carry this part of the packing's rate. */
#define ENOUGH 0.95

/* The multiplicative weights.  The price of a capacity c that u bits/s were packed on is
 * about delta / c (1 + epsilon)^(u / c). */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    const mtree_candidates_t *candidates;
    double *constraint_price; /* [num_constraints] */
    mtree_prim_t *prim;
    int *tree;    /* [num_hosts - 1] the cheapest tree */
    int *uses;    /* [num_constraints] of it */
    double *load; /* [num_constraints] of all trees so far */
} weights_t;

static void init_weights(weights_t *weights)
{
    const mtree_candidates_t *candidates = weights->candidates;
    size_t rows = (size_t)candidates->num_constraints;
    double delta =
        (1 + EPSILON) * pow((1 + EPSILON) * candidates->num_constraints, -1 / EPSILON);

    MTREE_ARENA_ARRAY(&weights->arena, weights->constraint_price, rows);
    MTREE_ARENA_ARRAY(&weights->arena, weights->tree, (size_t)candidates->num_hosts);
    MTREE_ARENA_ARRAY(&weights->arena, weights->uses, rows);
    MTREE_ARENA_ARRAY(&weights->arena, weights->load, rows);
    weights->prim = mtree_prim_create(&weights->arena, candidates);
    for (int row = 0; row < candidates->num_constraints; row++) {
        weights->constraint_price[row] = delta / candidates->capacity[row];
    }
}

/* Load the cheapest tree with all that it holds, and raise the prices.  Returns its rate.
 */
static double load_tree(weights_t *weights)
{
    const mtree_candidates_t *candidates = weights->candidates;
    double rate =
        mtree_forest_fit(candidates, weights->tree, candidates->capacity, weights->uses);

    for (int row = 0; row < candidates->num_constraints; row++) {
        double part = rate * weights->uses[row] / candidates->capacity[row];

        weights->load[row] += part;
        weights->constraint_price[row] *= 1 + EPSILON * part;
    }
    return rate;
}

/* The packing's stop: the capacities cost one at their prices. */
static bool is_full(const weights_t *weights)
{
    double cost = 0;

    for (int row = 0; row < weights->candidates->num_constraints; row++) {
        cost += weights->constraint_price[row] * weights->candidates->capacity[row];
    }
    return cost >= 1;
}

/* Bring the rates down to what the capacities hold. */
static void scale_rates(const weights_t *weights, mtree_forest_t *forest)
{
    double busiest = 0;

    for (int row = 0; row < weights->candidates->num_constraints; row++) {
        busiest = fmax(busiest, weights->load[row]);
    }
    for (int tree = 0; tree < forest->num_trees; tree++) {
        forest->trees[tree].rate /= busiest;
    }
}

mtree_forest_t *mtree_blink_pack(const mtree_candidates_t *candidates, int root)
{
    const mtree_prim_options_t cheapest = {0};
    weights_t weights = {.candidates = candidates};
    mtree_forest_t *forest = mtree_forest_create(candidates);

    init_weights(&weights);
    while (!is_full(&weights)) {
        /* Without a limit on height there is always a tree. */
        (void)mtree_prim_run(weights.prim, weights.constraint_price, root, &cheapest,
                             weights.tree);
        mtree_forest_add(forest, weights.tree, root, load_tree(&weights));
    }
    scale_rates(&weights, forest);
    mtree_arena_cleanup(&weights.arena);
    return forest;
}

/* Constraints are capacities in units, columns the trees. */
static void build_choice(mtree_lp_t *lp, const mtree_forest_t *forest, double unit,
                         int *uses, int *rows, double *values)
{
    const mtree_candidates_t *candidates = forest->candidates;

    mtree_lp_add_rows(lp, candidates->num_constraints, -INFINITY, 0);
    for (int row = 0; row < candidates->num_constraints; row++) {
        mtree_lp_bound_row(lp, row, -INFINITY,
                           floor(candidates->capacity[row] / unit + ROUNDING));
    }
    for (int tree = 0; tree < forest->num_trees; tree++) {
        mtree_candidates_count(candidates, forest->trees[tree].edges, uses);
        mtree_lp_add_column(
            lp, 1, mtree_candidates_column(candidates, uses, rows, values), rows, values);
        mtree_lp_make_binary(lp, tree);
    }
}

mtree_status_t mtree_blink_choose(mtree_forest_t *forest)
{
    const mtree_candidates_t *candidates = forest->candidates;
    size_t num_constraints = (size_t)candidates->num_constraints;
    mtree_arena_t arena = {0};
    int *uses, *rows;
    double *values, unit = INFINITY;
    mtree_lp_t *lp = NULL;
    mtree_status_t status;

    MTREE_ARENA_ARRAY(&arena, uses, num_constraints);
    MTREE_ARENA_ARRAY(&arena, rows, num_constraints);
    MTREE_ARENA_ARRAY(&arena, values, num_constraints);
    for (int row = 0; row < candidates->num_constraints; row++) {
        unit = fmin(unit, candidates->capacity[row]);
    }
    mtree_forest_keep_widest(forest, MAX_CHOICE);
    status = mtree_lp_create(&lp);
    if (status == MTREE_OK) {
        build_choice(lp, forest, unit, uses, rows, values);
        status = mtree_lp_solve(lp);
    }
    if (status == MTREE_OK) {
        status = mtree_lp_solve_integer(lp, MAX_NODES);
    }
    if (status == MTREE_OK) {
        for (int tree = 0; tree < forest->num_trees; tree++) {
            forest->trees[tree].rate = lp->values[tree] > 0.5 ? unit : 0;
        }
    } else {
        mtree_error("blink: the choice among %d trees has no solution (%s); use packing",
                    forest->num_trees, mtree_status_string(status));
    }
    mtree_lp_destroy(lp);
    mtree_arena_cleanup(&arena);
    return status;
}

mtree_status_t mtree_blink_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    const mtree_plan_request_t *request = problem->request;
    mtree_candidates_t *candidates;
    mtree_forest_t *forest = NULL;
    double packed = 0;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status == MTREE_OK) {
        forest = mtree_blink_pack(candidates, mtree_shallow_tree_center(problem));
        packed = mtree_forest_rate(forest);
        status = mtree_blink_choose(forest);
    }
    if (status == MTREE_OK && (mtree_forest_rate(forest) < ENOUGH * packed ||
                               request->max_trees > 0 || request->min_rate > 0)) {
        status = mtree_forest_select(forest, request->max_trees, request->min_rate);
    }
    if (status == MTREE_OK) {
        mtree_forest_drop_idle(forest);
        *plan_p = mtree_forest_plan(forest, problem, "blink");
    }
    mtree_forest_destroy(forest);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/reweight.h"

#include "base/log.h"
#include "planner/solver/lp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A tree of a smaller part of the throughput is left out. */
#define LEAST_PART 1e-3

typedef struct {
    const mtree_problem_t *problem;
    const mtree_plan_t *keep;
    int num_arcs;
    mtree_lp_t *lp; /* rows: arcs, then (gathering) roots; columns: trees, then the least
                       that a root sends */
    double *load;   /* [num_arcs] of a tree of rate 1 */
    int *rows;      /* [num_arcs + 1] of a column */
    double *values;
    double *rates; /* [trees of keep] what came out */
} rebalance_t;

static bool is_gathering(const rebalance_t *rebalance)
{
    return mtree_collective_has_blocks(rebalance->keep->collective);
}

/* No arc carries more than it can, no root sends less than the least. */
static mtree_status_t add_rows(rebalance_t *rebalance)
{
    mtree_status_t status =
        mtree_lp_add_rows(rebalance->lp, rebalance->num_arcs, -INFINITY, 0);

    for (int a = 0; a < rebalance->num_arcs && status == MTREE_OK; a++) {
        status = mtree_lp_bound_row(rebalance->lp, a, -INFINITY,
                                    mtree_arc_capacity(rebalance->problem->topology, a));
    }
    if (status == MTREE_OK && is_gathering(rebalance)) {
        status =
            mtree_lp_add_rows(rebalance->lp, rebalance->keep->num_hosts, 0, INFINITY);
    }
    return status;
}

static mtree_status_t add_tree(rebalance_t *rebalance, int tree)
{
    bool gathering = is_gathering(rebalance);
    int count = 0;

    memset(rebalance->load, 0, (size_t)rebalance->num_arcs * sizeof(double));
    mtree_plan_tree_load(rebalance->keep, tree, rebalance->problem->routes, 1.0,
                         rebalance->load);
    for (int a = 0; a < rebalance->num_arcs; a++) {
        if (rebalance->load[a] > 0) {
            rebalance->rows[count] = a;
            rebalance->values[count++] = rebalance->load[a];
        }
    }
    if (gathering) {
        rebalance->rows[count] = rebalance->num_arcs + rebalance->keep->trees[tree].root;
        rebalance->values[count++] = 1.0;
    }
    return mtree_lp_add_column(rebalance->lp, gathering ? 0.0 : 1.0, count,
                               rebalance->rows, rebalance->values);
}

static mtree_status_t add_least(rebalance_t *rebalance)
{
    int hosts = rebalance->keep->num_hosts;
    int *rows = malloc((size_t)hosts * sizeof(*rows));
    double *values = malloc((size_t)hosts * sizeof(*values));
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    if (rows != NULL && values != NULL) {
        for (int root = 0; root < hosts; root++) {
            rows[root] = rebalance->num_arcs + root;
            values[root] = -1.0;
        }
        status = mtree_lp_add_column(rebalance->lp, 1.0, hosts, rows, values);
    }
    free(rows);
    free(values);
    return status;
}

/* Rates that carry most, into rebalance->rates. */
static mtree_status_t choose_rates(rebalance_t *rebalance)
{
    mtree_status_t status = mtree_lp_create(&rebalance->lp);

    if (status == MTREE_OK) {
        status = add_rows(rebalance);
    }
    for (int t = 0; t < rebalance->keep->num_trees && status == MTREE_OK; t++) {
        status = add_tree(rebalance, t);
    }
    if (status == MTREE_OK && is_gathering(rebalance)) {
        status = add_least(rebalance);
    }
    if (status == MTREE_OK) {
        status = mtree_lp_solve(rebalance->lp);
    }
    for (int t = 0; t < rebalance->keep->num_trees && status == MTREE_OK; t++) {
        rebalance->rates[t] = mtree_lp_value(rebalance->lp, t);
    }
    if (status == MTREE_ERR_SOLVER) {
        mtree_error("planner: no rates are found for the %d trees that there are; plan "
                    "anew",
                    rebalance->keep->num_trees);
    }
    mtree_lp_destroy(rebalance->lp);
    return status;
}

/* The kept trees that got a rate worth having. */
static mtree_status_t take_trees(const rebalance_t *rebalance, mtree_plan_t **plan_p)
{
    const mtree_plan_t *keep = rebalance->keep;
    double total = 0, least;
    int count = 0;
    mtree_status_t status;

    for (int t = 0; t < keep->num_trees; t++) {
        total += rebalance->rates[t];
    }
    least = LEAST_PART * total / (is_gathering(rebalance) ? keep->num_hosts : 1);
    for (int t = 0; t < keep->num_trees; t++) {
        count += rebalance->rates[t] > least;
    }
    status = mtree_plan_create(keep->collective, keep->algorithm, keep->num_hosts,
                               rebalance->problem->names, count, plan_p);
    for (int t = 0, taken = 0; t < keep->num_trees && status == MTREE_OK; t++) {
        mtree_tree_t *tree = &(*plan_p)->trees[taken];

        if (rebalance->rates[t] > least) {
            tree->root = keep->trees[t].root;
            tree->rate = rebalance->rates[t];
            memcpy(tree->parent, keep->trees[t].parent,
                   (size_t)keep->num_hosts * sizeof(*tree->parent));
            taken++;
        }
    }
    return status;
}

mtree_status_t mtree_rebalance_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    const mtree_plan_t *keep = problem->request->keep;
    size_t arcs = 2 * (size_t)problem->topology->num_links;
    rebalance_t rebalance = {.problem = problem,
                             .keep = keep,
                             .num_arcs = (int)arcs,
                             .load = malloc(arcs * sizeof(double)),
                             .rows = malloc((arcs + 1) * sizeof(int)),
                             .values = malloc((arcs + 1) * sizeof(double)),
                             .rates = calloc((size_t)keep->num_trees, sizeof(double))};
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    if (keep->collective != problem->request->collective ||
        keep->num_hosts != problem->num_hosts || mtree_plan_num_steps(keep) > 0) {
        mtree_error("planner: the trees to keep are for %s over %d hosts; keep those of "
                    "a plan for the same",
                    mtree_collective_name(keep->collective), keep->num_hosts);
        status = MTREE_ERR_INVALID;
    } else if (rebalance.load != NULL && rebalance.rows != NULL &&
               rebalance.values != NULL && rebalance.rates != NULL) {
        status = choose_rates(&rebalance);
    }
    if (status == MTREE_OK) {
        status = take_trees(&rebalance, plan_p);
    }
    free(rebalance.load);
    free(rebalance.rows);
    free(rebalance.values);
    free(rebalance.rates);
    return status;
}

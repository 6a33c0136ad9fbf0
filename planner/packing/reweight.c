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
} reweight_t;

static bool is_gathering(const reweight_t *reweight)
{
    return mtree_collective_has_blocks(reweight->keep->collective);
}

/* No arc carries more than it can, no root sends less than the least. */
static mtree_status_t add_rows(reweight_t *reweight)
{
    mtree_status_t status =
        mtree_lp_add_rows(reweight->lp, reweight->num_arcs, -INFINITY, 0);

    for (int a = 0; a < reweight->num_arcs && status == MTREE_OK; a++) {
        status = mtree_lp_bound_row(reweight->lp, a, -INFINITY,
                                    mtree_arc_capacity(reweight->problem->topology, a));
    }
    if (status == MTREE_OK && is_gathering(reweight)) {
        status = mtree_lp_add_rows(reweight->lp, reweight->keep->num_hosts, 0, INFINITY);
    }
    return status;
}

static mtree_status_t add_tree(reweight_t *reweight, int tree)
{
    bool gathering = is_gathering(reweight);
    int count = 0;

    memset(reweight->load, 0, (size_t)reweight->num_arcs * sizeof(double));
    mtree_plan_tree_load(reweight->keep, tree, reweight->problem->routes, 1.0,
                         reweight->load);
    for (int a = 0; a < reweight->num_arcs; a++) {
        if (reweight->load[a] > 0) {
            reweight->rows[count] = a;
            reweight->values[count++] = reweight->load[a];
        }
    }
    if (gathering) {
        reweight->rows[count] = reweight->num_arcs + reweight->keep->trees[tree].root;
        reweight->values[count++] = 1.0;
    }
    return mtree_lp_add_column(reweight->lp, gathering ? 0.0 : 1.0, count, reweight->rows,
                               reweight->values);
}

static mtree_status_t add_least(reweight_t *reweight)
{
    int hosts = reweight->keep->num_hosts;
    int *rows = malloc((size_t)hosts * sizeof(*rows));
    double *values = malloc((size_t)hosts * sizeof(*values));
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    if (rows != NULL && values != NULL) {
        for (int root = 0; root < hosts; root++) {
            rows[root] = reweight->num_arcs + root;
            values[root] = -1.0;
        }
        status = mtree_lp_add_column(reweight->lp, 1.0, hosts, rows, values);
    }
    free(rows);
    free(values);
    return status;
}

/* Rates that carry most, into rebalance->rates. */
static mtree_status_t choose_rates(reweight_t *reweight)
{
    mtree_status_t status = mtree_lp_create(&reweight->lp);

    if (status == MTREE_OK) {
        status = add_rows(reweight);
    }
    for (int t = 0; t < reweight->keep->num_trees && status == MTREE_OK; t++) {
        status = add_tree(reweight, t);
    }
    if (status == MTREE_OK && is_gathering(reweight)) {
        status = add_least(reweight);
    }
    if (status == MTREE_OK) {
        status = mtree_lp_solve(reweight->lp);
    }
    for (int t = 0; t < reweight->keep->num_trees && status == MTREE_OK; t++) {
        reweight->rates[t] = mtree_lp_value(reweight->lp, t);
    }
    if (status == MTREE_ERR_SOLVER) {
        mtree_error("planner: no rates are found for the %d trees that there are; plan "
                    "anew",
                    reweight->keep->num_trees);
    }
    mtree_lp_destroy(reweight->lp);
    return status;
}

/* The kept trees that got a rate worth having. */
static mtree_status_t take_trees(const reweight_t *reweight, mtree_plan_t **plan_p)
{
    const mtree_plan_t *keep = reweight->keep;
    double total = 0, least;
    int count = 0;
    mtree_status_t status;

    for (int t = 0; t < keep->num_trees; t++) {
        total += reweight->rates[t];
    }
    least = LEAST_PART * total / (is_gathering(reweight) ? keep->num_hosts : 1);
    for (int t = 0; t < keep->num_trees; t++) {
        count += reweight->rates[t] > least;
    }
    status = mtree_plan_create(keep->collective, keep->algorithm, keep->num_hosts,
                               reweight->problem->names, count, plan_p);
    for (int t = 0, taken = 0; t < keep->num_trees && status == MTREE_OK; t++) {
        mtree_tree_t *tree = &(*plan_p)->trees[taken];

        if (reweight->rates[t] > least) {
            tree->root = keep->trees[t].root;
            tree->rate = reweight->rates[t];
            memcpy(tree->parent, keep->trees[t].parent,
                   (size_t)keep->num_hosts * sizeof(*tree->parent));
            taken++;
        }
    }
    return status;
}

mtree_status_t mtree_reweight_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    const mtree_plan_t *keep = problem->request->keep;
    size_t arcs = 2 * (size_t)problem->topology->num_links;
    reweight_t reweight = {.problem = problem,
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
    } else if (reweight.load != NULL && reweight.rows != NULL &&
               reweight.values != NULL && reweight.rates != NULL) {
        status = choose_rates(&reweight);
    }
    if (status == MTREE_OK) {
        status = take_trees(&reweight, plan_p);
    }
    free(reweight.load);
    free(reweight.rows);
    free(reweight.values);
    free(reweight.rates);
    return status;
}

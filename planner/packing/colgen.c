/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/colgen.h"

#include "base/cancel.h"
#include "planner/graph/arborescence.h"
#include "planner/graph/candidate_trees.h"

#include <math.h>
#include <string.h>

/* Trees that one round adds for a group besides the cheapest, each with the prices of the
 * last one's constraints up. */
#define EXTRA_TREES 8
#define EXTRA_STEP  0.1

/* The same of the trees at the beginning. */
#define BEGIN_STEP 0.3

/* What the linear program may take when little work is left. */
#define LEAST_SOLVE_WORK 2e7

/* Pivots of a solution, in the lines and columns of the linear program.  Most take fewer
 * than one; on a torus, where many trees carry the same, some go on for ever. */
#define MOST_PIVOTS 2.0

void mtree_colgen_destroy(mtree_colgen_t *colgen)
{
    if (colgen == NULL) {
        return;
    }
    mtree_master_destroy(colgen->master);
    mtree_columns_destroy(colgen->columns);
}

mtree_status_t mtree_colgen_create(const mtree_problem_t *problem,
                                   const mtree_candidates_t *candidates,
                                   mtree_colgen_t **colgen_p)
{
    const mtree_plan_request_t *request = problem->request;
    size_t num_constraints = (size_t)candidates->num_constraints;
    size_t num_hosts = (size_t)candidates->num_hosts;
    mtree_arena_t *arena = problem->arena;
    mtree_colgen_t *colgen = MTREE_ARENA_ARRAY(arena, *colgen_p, 1);
    mtree_status_t status;

    if (colgen == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    colgen->problem = problem;
    colgen->candidates = candidates;
    colgen->bound = INFINITY;
    MTREE_ARENA_ARRAY(arena, colgen->bound_price, num_constraints);
    MTREE_ARENA_ARRAY(arena, colgen->constraint_price, num_constraints);
    MTREE_ARENA_ARRAY(arena, colgen->uses, num_constraints);
    MTREE_ARENA_ARRAY(arena, colgen->price, (size_t)candidates->num_edges);
    MTREE_ARENA_ARRAY(arena, colgen->edges, num_hosts);
    MTREE_ARENA_ARRAY(arena, colgen->into, num_hosts);
    colgen->prim = mtree_prim_create(arena, candidates);
    if (arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    status = mtree_columns_create(candidates, request->max_height, &colgen->columns);
    if (status != MTREE_OK) {
        return status;
    }
    return mtree_master_create(
        arena, colgen->columns,
        mtree_collective_num_groups(request->collective, candidates->num_active),
        &colgen->master);
}

bool mtree_colgen_is_prefix(const mtree_colgen_t *colgen)
{
    return mtree_collective_is_prefix(colgen->problem->request->collective);
}

double mtree_colgen_num_blocks(const mtree_colgen_t *colgen)
{
    if (mtree_colgen_is_prefix(colgen)) {
        return 1.0;
    }
    return colgen->candidates->is_personalized ? colgen->candidates->num_hosts
                                               : colgen->master->num_groups;
}

int mtree_colgen_root(const mtree_colgen_t *colgen, int group)
{
    const mtree_plan_request_t *request = colgen->problem->request;

    return mtree_collective_has_root(request->collective) ? request->root : group;
}

/* The price of the tree in colgen->edges. */
static double tree_price(const mtree_colgen_t *colgen, const double *constraint_price,
                         const int *edges)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    const int *carried = mtree_candidates_carried(candidates, edges);
    double sum = 0.0;

    for (int e = 0; e + 1 < candidates->num_hosts && edges[e] >= 0; ++e) {
        for (int use = candidates->first[edges[e]]; use < candidates->first[edges[e] + 1];
             ++use) {
            sum += constraint_price[candidates->constraints[use]] *
                   (carried == NULL ? 1 : carried[e]);
        }
    }
    return sum;
}

/* The cheapest arborescence into colgen->edges: the candidates reach every host from
 * every host. */
static mtree_status_t find_arborescence(mtree_colgen_t *colgen,
                                        const double *constraint_price, int root)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    int count = 0;
    mtree_status_t status;

    mtree_candidates_price(candidates, constraint_price, colgen->price);
    status = mtree_arborescence_find(candidates->num_hosts, root, candidates->num_edges,
                                     candidates->from, candidates->to, colgen->price,
                                     colgen->into);
    for (int i = 0; i < candidates->num_hosts && status == MTREE_OK; ++i) {
        if (i != root) {
            colgen->edges[count++] = colgen->into[i];
        }
    }
    return status;
}

mtree_status_t mtree_colgen_cheapest(mtree_colgen_t *colgen,
                                     const double *constraint_price, int group,
                                     double *cost_p)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    static const mtree_prim_options_t plainly = {0};
    double num_hosts = candidates->num_hosts;
    mtree_status_t status = MTREE_OK;

    if (mtree_cancel_is_set()) {
        return MTREE_ERR_CANCELLED;
    }
    if (colgen->find != NULL) {
        status = colgen->find(colgen->finder, constraint_price, group, colgen->edges);
    } else if (candidates->directed && !candidates->is_personalized) {
        status =
            find_arborescence(colgen, constraint_price, mtree_colgen_root(colgen, group));
        colgen->work += candidates->num_edges * log2(num_hosts + 1.0) * 8.0;
    } else {
        int root = candidates->directed ? mtree_colgen_root(colgen, group) : 0;

        if (!mtree_prim_run(colgen->prim, constraint_price, root, &plainly,
                            colgen->edges)) {
            return MTREE_ERR_CANCELLED;
        }
        colgen->work += num_hosts * num_hosts + 4.0 * candidates->num_edges;
    }
    if (status == MTREE_OK) {
        colgen->work += candidates->first[candidates->num_edges];
        *cost_p = tree_price(colgen, constraint_price, colgen->edges);
    }
    return status;
}

void mtree_colgen_offer_bound(mtree_colgen_t *colgen, const double *constraint_price,
                              double cost)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    double value = 0.0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        value += candidates->capacity[c] * constraint_price[c];
    }
    if (cost > 0.0 && value / cost < colgen->bound) {
        colgen->bound = value / cost;
        memcpy(colgen->bound_price, constraint_price,
               (size_t)candidates->num_constraints * sizeof(*constraint_price));
    }
}

mtree_status_t mtree_colgen_prove(mtree_colgen_t *colgen)
{
    double sum = 0.0;
    mtree_status_t status = MTREE_OK;

    for (int g = 0; g < colgen->master->num_groups && status == MTREE_OK; ++g) {
        double cost;

        status = mtree_colgen_cheapest(colgen, colgen->constraint_price, g, &cost);
        sum += cost;
    }
    if (status == MTREE_OK) {
        mtree_colgen_offer_bound(colgen, colgen->constraint_price, sum);
    }
    return status;
}

void mtree_colgen_balance(mtree_colgen_t *colgen, const double *constraint_price,
                          int group)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    mtree_prim_options_t options = {.reuse_factor = mtree_prim_reuse(candidates)};
    int root = candidates->directed ? mtree_colgen_root(colgen, group) : 0;

    if (options.reuse_factor <= 0.0) {
        return;
    }
    (void)mtree_prim_run(colgen->prim, constraint_price, root, &options, colgen->edges);
    colgen->work += 4.0 * candidates->first[candidates->num_edges];
}

/* A price per hop beside which those of the edges are little. */
static double high_hop_price(const mtree_candidates_t *candidates,
                             const double *constraint_price)
{
    double sum = 0.0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        sum += constraint_price[c];
    }
    return sum * 10.0;
}

bool mtree_colgen_find_low(mtree_colgen_t *colgen, const double *constraint_price,
                           int group)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    int num_roots = candidates->directed ? 1 : candidates->num_hosts;
    int first = candidates->directed ? mtree_colgen_root(colgen, group)
                                     : colgen->columns->num_columns % num_roots;
    mtree_prim_options_t options = {.max_height = colgen->columns->max_height,
                                    .reuse_factor = mtree_prim_reuse(candidates)};

    for (int pass = 0; pass < 2; ++pass) {
        for (int i = 0; i < num_roots; ++i) {
            int root = candidates->directed ? first : (first + i) % num_roots;

            colgen->work += 4.0 * candidates->first[candidates->num_edges];
            if (mtree_prim_run(colgen->prim, constraint_price, root, &options,
                               colgen->edges)) {
                return true;
            }
        }
        options.hop_price = high_hop_price(candidates, constraint_price);
    }
    return false;
}

/* Put colgen->edges into the pool unless the tree is too high. */
static mtree_status_t add_tree(mtree_colgen_t *colgen, int group)
{
    return mtree_columns_add(colgen->columns, group, mtree_colgen_root(colgen, group),
                             colgen->edges, NULL);
}

/* Raise colgen->constraint_price of the constraints that colgen->edges use, by the part
 * of the capacity that the tree could take. */
static void raise_prices(mtree_colgen_t *colgen, double step)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    double rate;

    mtree_candidates_count(candidates, colgen->edges, colgen->uses);
    rate = mtree_candidates_max_rate(candidates, colgen->uses, candidates->capacity);
    for (int c = 0; c < candidates->num_constraints; ++c) {
        colgen->constraint_price[c] *=
            1.0 + step * colgen->uses[c] * rate / candidates->capacity[c];
    }
}

mtree_status_t mtree_colgen_solve(mtree_colgen_t *colgen, double work)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    double lines = candidates->num_constraints + colgen->master->num_groups;
    double uses = (double)candidates->first[candidates->num_edges] /
                  candidates->num_edges * candidates->num_hosts;
    double pivot =
        lines * (20.0 + lines / 20.0) + uses * colgen->columns->num_columns / 8.0;
    double most = fmax(LEAST_SOLVE_WORK, work - colgen->work) / pivot;
    int pivots = colgen->master->lp->pivots;
    mtree_status_t status;

    most = fmin(most, MOST_PIVOTS * (lines + colgen->columns->num_columns));

    mtree_lp_limit(colgen->master->lp, (int)most + 1);
    status = mtree_master_solve(colgen->master);
    pivots = colgen->master->lp->pivots - pivots;
    colgen->work += (pivots + 10.0) * pivot;
    return status;
}

/* Add the cheapest tree under colgen->constraint_price, and raise these prices. */
static mtree_status_t add_rising(mtree_colgen_t *colgen, int group, double step)
{
    double price;
    mtree_status_t status =
        mtree_colgen_cheapest(colgen, colgen->constraint_price, group, &price);

    if (status == MTREE_OK) {
        status = add_tree(colgen, group);
    }
    if (status == MTREE_OK) {
        raise_prices(colgen, step);
    }
    return status;
}

/* Add trees near the cheapest: under prices that rise with use, from a floor that breaks
 * ties by capacity. */
static mtree_status_t add_extra_trees(mtree_colgen_t *colgen, int group, int count)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    const mtree_master_t *master = colgen->master;
    double floor = 0.02 * master->x / candidates->num_constraints;
    mtree_status_t status = MTREE_OK;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        colgen->constraint_price[c] =
            master->constraint_price[c] + floor / candidates->capacity[c];
    }
    for (int i = 0; i < count && status == MTREE_OK; ++i) {
        status = add_rising(colgen, group, EXTRA_STEP);
    }
    return status;
}

mtree_status_t mtree_colgen_begin(mtree_colgen_t *colgen, int rounds)
{
    const mtree_candidates_t *candidates = colgen->candidates;
    int num_groups = colgen->master->num_groups;
    mtree_status_t status = MTREE_OK;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        colgen->constraint_price[c] = 1.0 / candidates->capacity[c];
    }
    for (int i = 0; i < rounds * num_groups && status == MTREE_OK; ++i) {
        status = add_rising(colgen, i % num_groups, BEGIN_STEP);
    }
    return status;
}

/*
 * Price every group under the master's prices and add what pays.  *added_p is the number
 * of groups with a tree that pays.
 */
static mtree_status_t price_groups(mtree_colgen_t *colgen, int *added_p)
{
    const mtree_master_t *master = colgen->master;
    mtree_status_t status = MTREE_OK;
    double cost = 0.0;

    *added_p = 0;
    for (int g = 0; g < master->num_groups && status == MTREE_OK; ++g) {
        double price = 0.0;

        status = mtree_colgen_cheapest(colgen, master->constraint_price, g, &price);
        cost += price;
        if (status == MTREE_OK && price < master->group_price[g] - MTREE_GAIN) {
            ++*added_p;
            status = add_tree(colgen, g);
            if (status == MTREE_OK && master->num_groups == 1) {
                status = add_extra_trees(colgen, g, EXTRA_TREES);
            }
        }
    }
    if (status == MTREE_OK) {
        mtree_colgen_offer_bound(colgen, master->constraint_price, cost);
    }
    return status;
}

mtree_status_t mtree_colgen_run(mtree_colgen_t *colgen, double tolerance, double work)
{
    mtree_status_t status;
    int added = 0, before;

    do {
        before = colgen->columns->num_columns;
        status = mtree_colgen_solve(colgen, work);
        if (status == MTREE_OK) {
            status = price_groups(colgen, &added);
        }
    } while (status == MTREE_OK && added > 0 && colgen->columns->num_columns > before &&
             colgen->work < work &&
             colgen->bound > colgen->master->x * (1.0 + tolerance));
    return status;
}

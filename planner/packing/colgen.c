/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/colgen.h"

#include "planner/graph/arborescence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Trees that one round adds for a group besides the cheapest, each with the prices of the
 * last one's rows up. */
#define EXTRA_TREES 8
#define EXTRA_STEP  0.1

/* What the linear program may take when little work is left. */
#define LEAST_SOLVE_WORK 2e7

void mtree_generator_destroy(mtree_generator_t *generator)
{
    if (generator == NULL) {
        return;
    }
    mtree_master_destroy(generator->master);
    mtree_pool_destroy(generator->all);
    mtree_pool_destroy(generator->pool);
    mtree_grower_destroy(generator->grower);
    free(generator->bound_price);
    free(generator->row_price);
    free(generator->price);
    free(generator->uses);
    free(generator->edges);
    free(generator->into);
    free(generator);
}

static mtree_status_t create_parts(mtree_generator_t *generator)
{
    const mtree_candidates_t *candidates = generator->candidates;
    const mtree_plan_request_t *request = generator->problem->request;
    bool gathering = mtree_collective_has_blocks(request->collective);
    mtree_status_t status;

    status = mtree_pool_create(candidates, request->max_height, &generator->pool);
    if (status == MTREE_OK) {
        status = mtree_master_create(
            generator->pool, gathering ? candidates->num_hosts : 1, &generator->master);
    }
    if (status == MTREE_OK) {
        status = mtree_grower_create(candidates, &generator->grower);
    }
    return status;
}

mtree_status_t mtree_generator_create(const mtree_problem_t *problem,
                                      const mtree_candidates_t *candidates,
                                      mtree_generator_t **generator_p)
{
    size_t num_rows = (size_t)candidates->num_rows;
    mtree_generator_t *generator = calloc(1, sizeof(*generator));
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    if (generator == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    generator->problem = problem;
    generator->candidates = candidates;
    generator->bound = INFINITY;
    generator->bound_price = calloc(num_rows + 1, sizeof(*generator->bound_price));
    generator->row_price = calloc(num_rows + 1, sizeof(*generator->row_price));
    generator->uses = calloc(num_rows + 1, sizeof(*generator->uses));
    generator->price =
        malloc(((size_t)candidates->num_edges + 1) * sizeof(*generator->price));
    generator->edges = malloc((size_t)candidates->num_hosts * sizeof(*generator->edges));
    generator->into = malloc((size_t)candidates->num_hosts * sizeof(*generator->into));
    if (generator->bound_price != NULL && generator->row_price != NULL &&
        generator->uses != NULL && generator->price != NULL && generator->edges != NULL &&
        generator->into != NULL) {
        status = create_parts(generator);
    }
    if (status != MTREE_OK) {
        mtree_generator_destroy(generator);
        return status;
    }
    *generator_p = generator;
    return MTREE_OK;
}

int mtree_generator_root(const mtree_generator_t *generator, int group)
{
    const mtree_plan_request_t *request = generator->problem->request;

    return mtree_collective_has_blocks(request->collective) ? group : request->root;
}

/* The price of the tree in generator->edges. */
static double tree_price(const mtree_generator_t *generator, const double *row_price,
                         const int *edges)
{
    const mtree_candidates_t *candidates = generator->candidates;
    double sum = 0.0;

    for (int e = 0; e + 1 < candidates->num_hosts; ++e) {
        for (int use = candidates->first[edges[e]]; use < candidates->first[edges[e] + 1];
             ++use) {
            sum += row_price[candidates->rows[use]];
        }
    }
    return sum;
}

/* The cheapest arborescence into generator->edges: the candidates reach every host from
 * every host. */
static mtree_status_t find_arborescence(mtree_generator_t *generator,
                                        const double *row_price, int root)
{
    const mtree_candidates_t *candidates = generator->candidates;
    int count = 0;
    mtree_status_t status;

    mtree_candidates_price(candidates, row_price, generator->price);
    status = mtree_arborescence_find(candidates->num_hosts, root, candidates->num_edges,
                                     candidates->from, candidates->to, generator->price,
                                     generator->into);
    for (int i = 0; i < candidates->num_hosts && status == MTREE_OK; ++i) {
        if (i != root) {
            generator->edges[count++] = generator->into[i];
        }
    }
    return status;
}

mtree_status_t mtree_generator_cheapest(mtree_generator_t *generator,
                                        const double *row_price, int group,
                                        double *cost_p)
{
    const mtree_candidates_t *candidates = generator->candidates;
    static const mtree_grow_options_t plainly = {0.0, 0, 0.0};
    double num_hosts = candidates->num_hosts;
    mtree_status_t status = MTREE_OK;

    if (candidates->directed) {
        status = find_arborescence(generator, row_price,
                                   mtree_generator_root(generator, group));
        generator->work += candidates->num_edges * log2(num_hosts + 1.0) * 8.0;
    } else {
        (void)mtree_grower_run(generator->grower, row_price, 0, &plainly,
                               generator->edges);
        generator->work += num_hosts * num_hosts + 4.0 * candidates->num_edges;
    }
    if (status == MTREE_OK) {
        generator->work += candidates->first[candidates->num_edges];
        *cost_p = tree_price(generator, row_price, generator->edges);
    }
    return status;
}

void mtree_generator_offer_bound(mtree_generator_t *generator, const double *row_price,
                                 double cost)
{
    const mtree_candidates_t *candidates = generator->candidates;
    double value = 0.0;

    for (int row = 0; row < candidates->num_rows; ++row) {
        value += candidates->capacity[row] * row_price[row];
    }
    if (cost > 0.0 && value / cost < generator->bound) {
        generator->bound = value / cost;
        memcpy(generator->bound_price, row_price,
               (size_t)candidates->num_rows * sizeof(*row_price));
    }
}

void mtree_generator_balance(mtree_generator_t *generator, const double *row_price,
                             int group)
{
    const mtree_candidates_t *candidates = generator->candidates;
    mtree_grow_options_t options = {.spread = 1.0};
    int root = candidates->directed ? mtree_generator_root(generator, group) : 0;

    if (candidates->num_edges <= candidates->num_rows) {
        return;
    }
    (void)mtree_grower_run(generator->grower, row_price, root, &options,
                           generator->edges);
    generator->work += 4.0 * candidates->first[candidates->num_edges];
}

/* Put generator->edges into the pool unless the tree is too high. */
static mtree_status_t add_tree(mtree_generator_t *generator, int group)
{
    return mtree_pool_add(generator->pool, group, mtree_generator_root(generator, group),
                          generator->edges, NULL);
}

/* Raise the price of each row that generator->edges use, by the part of its capacity that
 * the tree could take. */
static void raise_prices(mtree_generator_t *generator, double *row_price, double step)
{
    const mtree_candidates_t *candidates = generator->candidates;
    double rate = INFINITY;

    memset(generator->uses, 0, (size_t)candidates->num_rows * sizeof(*generator->uses));
    mtree_pool_count(generator->pool, generator->edges, generator->uses);
    for (int row = 0; row < candidates->num_rows; ++row) {
        if (generator->uses[row] > 0) {
            rate = fmin(rate, candidates->capacity[row] / generator->uses[row]);
        }
    }
    for (int row = 0; row < candidates->num_rows; ++row) {
        row_price[row] *=
            1.0 + step * generator->uses[row] * rate / candidates->capacity[row];
    }
}

mtree_status_t mtree_generator_solve(mtree_generator_t *generator, double work)
{
    const mtree_candidates_t *candidates = generator->candidates;
    double lines = candidates->num_rows + generator->master->num_groups;
    double uses = (double)candidates->first[candidates->num_edges] /
                  candidates->num_edges * candidates->num_hosts;
    double pivot =
        lines * (20.0 + lines / 20.0) + uses * generator->pool->num_columns / 8.0;
    double most = fmax(LEAST_SOLVE_WORK, work - generator->work) / pivot;
    int pivots = mtree_lp_pivots(generator->master->lp);
    mtree_status_t status;

    mtree_lp_limit(generator->master->lp, (int)fmin(most, 1e9) + 1);
    status = mtree_master_solve(generator->master);
    pivots = mtree_lp_pivots(generator->master->lp) - pivots;
    generator->work += (pivots + 10.0) * pivot;
    return status;
}

/* Add trees near the cheapest: under prices that rise with use, from a floor that breaks
 * ties by capacity. */
static mtree_status_t add_extra_trees(mtree_generator_t *generator, int group, int count)
{
    const mtree_candidates_t *candidates = generator->candidates;
    const mtree_master_t *master = generator->master;
    double *row_price = generator->row_price;
    double floor = 0.02 * master->x / candidates->num_rows;
    mtree_status_t status = MTREE_OK;

    for (int row = 0; row < candidates->num_rows; ++row) {
        row_price[row] = master->row_price[row] + floor / candidates->capacity[row];
    }
    for (int i = 0; i < count && status == MTREE_OK; ++i) {
        double price;

        status = mtree_generator_cheapest(generator, row_price, group, &price);
        if (status == MTREE_OK) {
            status = add_tree(generator, group);
        }
        raise_prices(generator, row_price, EXTRA_STEP);
    }
    return status;
}

/*
 * Price every group under the master's prices and add what pays.  *added_p is the number
 * of groups with a tree that pays.
 */
static mtree_status_t price_groups(mtree_generator_t *generator, int *added_p)
{
    const mtree_master_t *master = generator->master;
    mtree_status_t status = MTREE_OK;
    double cost = 0.0;

    *added_p = 0;
    for (int g = 0; g < master->num_groups && status == MTREE_OK; ++g) {
        double price = 0.0;

        status = mtree_generator_cheapest(generator, master->row_price, g, &price);
        cost += price;
        if (status == MTREE_OK && price < master->group_price[g] - MTREE_GAIN) {
            ++*added_p;
            status = add_tree(generator, g);
            if (status == MTREE_OK && master->num_groups == 1) {
                status = add_extra_trees(generator, g, EXTRA_TREES);
            }
        }
    }
    if (status == MTREE_OK) {
        mtree_generator_offer_bound(generator, master->row_price, cost);
    }
    return status;
}

mtree_status_t mtree_generator_run(mtree_generator_t *generator, double tolerance,
                                   double work)
{
    mtree_status_t status;
    int added = 0, before;

    do {
        before = generator->pool->num_columns;
        status = mtree_generator_solve(generator, work);
        if (status == MTREE_OK) {
            status = price_groups(generator, &added);
        }
    } while (status == MTREE_OK && added > 0 && generator->pool->num_columns > before &&
             generator->work < work &&
             generator->bound > generator->master->x * (1.0 + tolerance));
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/published/gost.h"

#include "base/log.h"
#include "planner/plan/chunk_model.h"
#include "planner/plan/finish.h"

#include <math.h>

/* r-bar when the request has none, as a part of the largest capacity: no edge with
 * a useful capacity is left out. */
#define DEFAULT_MIN_PART 1e-3

static double default_min_rate(const mtree_candidates_t *candidates)
{
    double largest = 0;

    for (int c = 0; c < candidates->num_constraints; c++) {
        largest = fmax(largest, candidates->capacity[c]);
    }
    return largest * DEFAULT_MIN_PART;
}

/*
 * Equation 7 for every tree; latencies are those of the routes.  It charges a message
 * nothing but latency: where that is next to nothing its chunks are too small to run
 * with, and are left to mtree_plan_finish().
 */
static void set_chunks(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    double bytes = problem->request->bytes, sum = 0;

    for (int t = 0; t < plan->num_trees; t++) {
        sum += plan->trees[t].rate;
    }
    for (int t = 0; t < plan->num_trees; t++) {
        mtree_tree_t *tree = &plan->trees[t];
        mtree_chunk_path_t path;
        size_t chunk;

        for (int host = 0; host < plan->num_hosts; host++) {
            tree->latency[host] =
                tree->parent[host] < 0
                    ? 0
                    : mtree_routes_latency(problem->routes, tree->parent[host], host);
        }
        path = mtree_chunk_path(tree, plan->num_hosts, plan->collective);
        tree->share = tree->rate / sum;
        chunk = mtree_chunk_bytes(
            mtree_chunk_published_size(&path, fmax(1, tree->share * bytes)));
        tree->chunk_bytes = chunk < MTREE_CHUNK_LEAST ? 0 : chunk;
    }
}

static mtree_status_t make_forest(const mtree_problem_t *problem,
                                  const mtree_candidates_t *candidates,
                                  mtree_forest_t **forest_p)
{
    const mtree_plan_request_t *request = problem->request;
    mtree_random_t random = {.state = request->seed};
    mtree_gost_t gost = {.candidates = candidates,
                         .max_height = request->max_height > 0 ? request->max_height
                                                               : problem->num_hosts - 1,
                         .min_rate = request->min_rate > 0
                                         ? request->min_rate
                                         : default_min_rate(candidates)};
    mtree_status_t status =
        mtree_gost_ith(&gost, MTREE_GOST_RHO, &random, forest_p, NULL);

    if (status == MTREE_OK && (*forest_p)->num_trees == 0) {
        mtree_error(
            "gost: no spanning tree of height %d with %g Mb/s on every link; allow a "
            "larger height or a lower least rate",
            gost.max_height, gost.min_rate / 1e6);
        mtree_forest_destroy(*forest_p);
        return MTREE_ERR_NOT_FOUND;
    }
    return status;
}

mtree_status_t mtree_gost_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_candidates_t *candidates;
    mtree_forest_t *forest;
    mtree_plan_t *plan;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status != MTREE_OK) {
        return status;
    }
    status = make_forest(problem, candidates, &forest);
    if (status != MTREE_OK) {
        goto destroy_candidates;
    }
    status = mtree_forest_select(forest, problem->request->max_trees,
                                 problem->request->min_rate);
    if (status == MTREE_OK) {
        status = mtree_forest_plan(forest, problem, "gost", &plan);
    }
    if (status != MTREE_OK) {
        goto destroy_forest;
    }
    if (problem->request->bytes > 0) {
        set_chunks(problem, plan);
    }
    *plan_p = plan;
destroy_forest:
    mtree_forest_destroy(forest);
destroy_candidates:
    mtree_candidates_destroy(candidates);
    return status;
}

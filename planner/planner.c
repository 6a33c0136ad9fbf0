/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/planner.h"

#include "base/cancel.h"
#include "base/log.h"
#include "planner/algorithms.h"
#include "planner/packing/bound.h"
#include "planner/packing/reweight.h"
#include "planner/plan/finish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static mtree_status_t check_request(const mtree_plan_request_t *request, int num_hosts)
{
    if (mtree_collective_check(request->collective) != MTREE_OK) {
        return MTREE_ERR_INVALID;
    }
    if (num_hosts < 1) {
        mtree_error("planner: no hosts to plan for; give at least one");
        return MTREE_ERR_INVALID;
    }
    if (mtree_collective_is_prefix(request->collective) &&
        num_hosts > MTREE_PLAN_MOST_SCANNING) {
        mtree_error("planner: a scan over %d hosts is not supported, as each host needs "
                    "the trees of all; at most %d have one",
                    num_hosts, MTREE_PLAN_MOST_SCANNING);
        return MTREE_ERR_UNSUPPORTED;
    }
    if (mtree_collective_has_root(request->collective) &&
        (request->root < 0 || request->root >= num_hosts)) {
        mtree_error(
            "planner: root %d of %d hosts; give the root's number among the hosts",
            request->root, num_hosts);
        return MTREE_ERR_INVALID;
    }
    if (!isfinite(request->bytes) || request->bytes < 0.0 ||
        !isfinite(request->min_rate) || request->min_rate < 0.0 ||
        request->max_trees < 0 || request->max_height < 0) {
        mtree_error(
            "planner: trees %d, height %d, least rate %g, size %g bytes; none may be "
            "negative",
            request->max_trees, request->max_height, request->min_rate, request->bytes);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

/* One host: one tree that carries everything nowhere. */
static mtree_plan_t *plan_alone(const mtree_problem_t *problem)
{
    mtree_plan_t *plan = mtree_problem_plan(problem, "alone", 1);

    plan->trees[0].share = 1.0;
    return plan;
}

/* A plan carries nothing where no tree keeps the limit on height. */
static mtree_status_t check_plan(const mtree_problem_t *problem, const mtree_plan_t *plan)
{
    if (problem->num_hosts == 1 || plan->throughput > 0.0) {
        return MTREE_OK;
    }
    mtree_error("planner: %s finds no tree of at most %d hops over these %d hosts; allow "
                "more hops",
                plan->algorithm, problem->request->max_height, problem->num_hosts);
    return MTREE_ERR_LIMIT;
}

static mtree_status_t run_algorithm(const mtree_problem_t *problem,
                                    const mtree_algorithm_t *algorithm,
                                    mtree_plan_t **plan_p)
{
    const mtree_plan_request_t *request = problem->request;
    mtree_problem_t named = *problem;
    mtree_plan_t *plan = NULL;
    mtree_status_t status = MTREE_OK;

    named.algorithm = algorithm->name;
    if (problem->num_hosts == 1) {
        plan = plan_alone(problem);
    } else {
        status = request->keep != NULL && request->keep->order == NULL
                     ? mtree_reweight_plan(problem, &plan)
                     : algorithm->plan(&named, &plan);
    }
    /* Whatever was cancelled may have left anything. */
    if (mtree_cancel_is_set()) {
        status = MTREE_ERR_CANCELLED;
    }
    if (status == MTREE_OK) {
        mtree_plan_finish(problem, plan);
        status = check_plan(problem, plan);
    }
    if (status != MTREE_OK) {
        mtree_plan_destroy(plan);
        return status;
    }
    *plan_p = plan;
    return MTREE_OK;
}

mtree_status_t mtree_planner_run(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p)
{
    mtree_arena_t arena = {0};
    mtree_problem_t problem = {.topology = topology,
                               .request = request,
                               .routes = request->routes,
                               .hosts = hosts,
                               .num_hosts = num_hosts,
                               .arena = &arena};
    const mtree_algorithm_t *algorithm = NULL;
    mtree_routes_t *routes = NULL;
    mtree_status_t status = check_request(request, num_hosts);

    if (status == MTREE_OK) {
        status = mtree_algorithms_choose(request, &algorithm);
    }
    if (status == MTREE_OK) {
        status = mtree_problem_prepare(&problem, &routes);
    }
    if (status == MTREE_OK) {
        status = run_algorithm(&problem, algorithm, plan_p);
    }
    mtree_routes_destroy(routes);
    mtree_arena_cleanup(&arena);
    return status;
}

mtree_status_t mtree_planner_bound(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_request_t *request,
                                   mtree_plan_t *plan)
{
    mtree_arena_t arena = {0};
    mtree_problem_t problem = {.topology = topology,
                               .request = request,
                               .routes = request->routes,
                               .hosts = hosts,
                               .num_hosts = num_hosts,
                               .arena = &arena};
    mtree_routes_t *routes = NULL;
    mtree_status_t status;

    if (num_hosts < 2) {
        return MTREE_OK;
    }
    status = mtree_problem_prepare(&problem, &routes);
    if (status == MTREE_OK) {
        status = mtree_bound_plan(&problem, plan);
    }
    mtree_routes_destroy(routes);
    mtree_arena_cleanup(&arena);
    return status;
}

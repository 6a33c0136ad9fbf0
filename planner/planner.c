/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/planner.h"

#include "base/cancel.h"
#include "base/log.h"
#include "planner/algorithms.h"
#include "planner/packing/bound.h"
#include "planner/packing/reweight.h"
#include "planner/plan/finish.h"
#include "planner/regular/direct_exchange.h"
#include "planner/regular/shallow_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From this number of hosts on a search takes tenths of a second to seconds, and the
 * network is too large for the linear programs that shape trees for a size. */
#define MANY_HOSTS 65

/* A search is made where it could make calls faster by more than this part of their time;
 * from MANY_SEARCH_HOSTS on, where one takes seconds, by more than MANY_SEARCH_GAIN. */
#define SEARCH_GAIN       0.1
#define MANY_SEARCH_HOSTS 512
#define MANY_SEARCH_GAIN  0.5

/* Where hosts forward over so few links a search takes tenths of a second, and messages
 * of so many bytes are worth it: shorter ones wait for the height of trees. */
#define FEW_LINKS  4096
#define LONG_BYTES 8e6

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

/* The hosts' names; each vertex must be a host of the topology, and be there once. */
static mtree_status_t name_hosts(mtree_problem_t *problem)
{
    const mtree_topology_t *topology = problem->topology;
    const int *hosts = problem->hosts;
    int num_hosts = problem->num_hosts, i;
    const char **names;
    bool *used;

    MTREE_ARENA_ARRAY(problem->arena, names, (size_t)num_hosts);
    MTREE_ARENA_ARRAY(problem->arena, used, (size_t)topology->num_vertices);
    if (problem->arena->status != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    problem->names = names;
    for (i = 0; i < num_hosts; ++i) {
        if (hosts[i] < 0 || hosts[i] >= topology->num_vertices || used[hosts[i]]) {
            break;
        }
        used[hosts[i]] = true;
        names[i] = topology->vertices[hosts[i]].host;
    }
    if (i < num_hosts) {
        mtree_error("planner: host %d is vertex %d; give vertices of %s, each once", i,
                    hosts[i], topology->name);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

/* One host: one tree that carries everything nowhere. */
static mtree_status_t plan_alone(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_status_t status = mtree_problem_plan(problem, "alone", 1, plan_p);

    if (status == MTREE_OK) {
        (*plan_p)->trees[0].share = 1.0;
    }
    return status;
}

/* A plan that carries nothing: no tree keeps the limit on height. */
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
    mtree_status_t status;

    named.algorithm = algorithm->name;
    status = problem->num_hosts == 1 ? plan_alone(problem, &plan)
             : request->keep != NULL && request->keep->order == NULL
                 ? mtree_reweight_plan(problem, &plan)
                 : algorithm->plan(&named, &plan);
    /* Whatever was cancelled may have left anything. */
    if (mtree_cancel_is_set()) {
        status = MTREE_ERR_CANCELLED;
    }
    if (status == MTREE_OK) {
        plan->bytes = request->bytes;
        plan->root = mtree_collective_has_root(request->collective) ? request->root : -1;
        status = mtree_plan_finish(problem, plan);
    }
    if (status == MTREE_OK) {
        status = check_plan(problem, plan);
    }
    if (status != MTREE_OK) {
        mtree_plan_destroy(plan);
        return status;
    }
    *plan_p = plan;
    return MTREE_OK;
}

/* Run the algorithm of this name in the place of the one of the request. */
static mtree_status_t run_named(const mtree_problem_t *problem, const char *name,
                                mtree_plan_t **plan_p)
{
    const mtree_algorithm_t *algorithm;
    mtree_plan_request_t request = *problem->request;
    mtree_status_t status;

    request.algorithm = name;
    status = mtree_algorithms_choose(&request, &algorithm);
    return status == MTREE_OK ? run_algorithm(problem, algorithm, plan_p) : status;
}

/* Put @a other in the place of *plan_p, whose bound it gets. */
static void replace_plan(mtree_plan_t **plan_p, mtree_plan_t *other)
{
    mtree_plan_t *plan = *plan_p;

    free(other->limit);
    other->bound = plan->bound;
    other->limit = plan->limit;
    plan->limit = NULL;
    mtree_plan_destroy(plan);
    *plan_p = other;
}

/* Does a search take minutes, and is direct exchange a plan?  Of an all-to-all each host
 * has trees of its own. */
static bool is_direct_at_once(const mtree_problem_t *problem)
{
    mtree_collective_t collective = problem->request->collective;

    return problem->num_hosts >= MANY_SEARCH_HOSTS &&
           mtree_collective_is_personalized(collective) &&
           mtree_collective_has_blocks(collective) &&
           mtree_direct_exchange_passes_nobody(problem->routes, problem->num_hosts);
}

/* A plan that takes no search: between many hosts two trees with a bound, or direct
 * exchange without.  *plan_p is NULL where it is not what the request asks for. */
static mtree_status_t plan_without_search(const mtree_problem_t *problem,
                                          mtree_plan_t **plan_p)
{
    const mtree_plan_request_t *request = problem->request;
    mtree_status_t status;

    *plan_p = NULL;
    if (request->min_rate <= 0.0 && is_direct_at_once(problem)) {
        return run_named(problem, "direct", plan_p);
    }
    if (problem->num_hosts < MANY_HOSTS || request->bytes <= 0.0 ||
        request->max_trees == 1 || request->max_height > 0 || request->min_rate > 0.0 ||
        !mtree_algorithms_do("doubletree", request->collective)) {
        return MTREE_OK;
    }
    status = run_named(problem, "doubletree", plan_p);
    return status == MTREE_OK ? mtree_bound_plan(problem, *plan_p) : status;
}

/* The seconds from the root, or from where it is best, to the farthest host and, for
 * allreduce, back. */
static double least_delay(const mtree_problem_t *problem)
{
    mtree_collective_t collective = problem->request->collective;
    int from = mtree_collective_has_root(collective) ? problem->request->root
                                                     : mtree_shallow_tree_center(problem);
    double farthest = 0.0;

    for (int to = 0; to < problem->num_hosts; to++) {
        farthest = fmax(farthest, mtree_routes_latency(problem->routes, from, to));
    }
    return mtree_collective_passes(collective) * farthest;
}

/* Is a search quick, and the message long? */
static bool is_quickly_searched(const mtree_problem_t *problem)
{
    return problem->num_hosts == problem->topology->num_vertices &&
           problem->topology->num_links <= FEW_LINKS &&
           problem->request->bytes >= LONG_BYTES;
}

/*
 * The seconds that processors need at least, whatever the trees: at best all hosts that
 * have a chunk hand it on at the same time, so their number doubles with each message;
 * and on average a host receives each chunk once and sends it once, per pass, which may
 * overlap.
 */
static double least_processing(const mtree_problem_t *problem, const mtree_plan_t *plan,
                               bool overlap)
{
    double passes =
        mtree_collective_passes(plan->collective) * mtree_problem_hop(problem);
    double largest = 1.0;

    for (int t = 0; t < plan->num_trees; t++) {
        largest = fmax(largest, (double)plan->trees[t].chunk_bytes);
    }
    return passes * fmax(ceil(log2(plan->num_hosts)),
                         (overlap ? 1.0 : 2.0) * plan->bytes / largest);
}

/* Might trees that carry more, or whose paths are shorter, be clearly faster than @a
 * plan? */
static bool is_search_worth_it(const mtree_problem_t *problem, const mtree_plan_t *plan)
{
    double carried = 8.0 * plan->bytes / MTREE_PLAN_YIELD;
    bool is_quick = is_quickly_searched(problem);
    double processing = least_processing(problem, plan, is_quick);
    double gain =
        is_quick || plan->num_hosts < MANY_SEARCH_HOSTS ? SEARCH_GAIN : MANY_SEARCH_GAIN;
    double least = plan->seconds, delay = 0.0;

    for (int t = 0; t < plan->num_trees; t++) {
        delay = fmax(
            delay, mtree_tree_delay(&plan->trees[t], plan->num_hosts, plan->collective));
    }
    least -= carried / plan->throughput - carried / plan->bound;
    least -= fmax(delay - least_delay(problem), 0.0);
    return plan->seconds > fmax(least, processing) * (1.0 + gain);
}

/* The seconds that @a plan takes, where the messages of its busiest host may take longer
 * than links do: trees of a search may have hosts with many children. */
static double processed_seconds(const mtree_problem_t *problem, const mtree_plan_t *plan)
{
    return fmax(plan->seconds,
                mtree_plan_messages(plan, NULL) * mtree_problem_hop(problem));
}

/* The user leaves it to the planner, whose default is @a algorithm. */
static mtree_status_t plan_freely(const mtree_problem_t *problem,
                                  const mtree_algorithm_t *algorithm,
                                  mtree_plan_t **plan_p)
{
    mtree_plan_t *quick = NULL;
    mtree_status_t status = plan_without_search(problem, &quick);

    if (status == MTREE_OK && quick != NULL &&
        (quick->bound <= 0.0 || !is_search_worth_it(problem, quick))) {
        *plan_p = quick;
        return MTREE_OK;
    }
    if (status == MTREE_OK) {
        status = run_algorithm(problem, algorithm, plan_p);
    }
    if (status == MTREE_OK && quick != NULL &&
        processed_seconds(problem, quick) < processed_seconds(problem, *plan_p)) {
        replace_plan(plan_p, quick);
        return MTREE_OK;
    }
    mtree_plan_destroy(quick);
    return status;
}

/* Name the hosts, and take or find (*routes_p, the caller's) the routes between them. */
static mtree_status_t prepare(mtree_problem_t *problem, mtree_routes_t **routes_p)
{
    mtree_status_t status = name_hosts(problem);

    problem->routes = problem->request->routes;
    if (status == MTREE_OK && problem->routes == NULL) {
        status = mtree_routes_create(problem->topology, problem->hosts,
                                     problem->num_hosts, routes_p);
        problem->routes = *routes_p;
    }
    return status;
}

mtree_status_t mtree_planner_run(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p)
{
    mtree_arena_t arena = {0};
    mtree_problem_t problem = {.topology = topology,
                               .request = request,
                               .hosts = hosts,
                               .num_hosts = num_hosts,
                               .arena = &arena};
    const mtree_algorithm_t *algorithm = NULL;
    mtree_routes_t *routes = NULL;
    mtree_plan_t *plan = NULL;
    mtree_status_t status = check_request(request, num_hosts);

    if (status == MTREE_OK) {
        status = mtree_algorithms_choose(request, &algorithm);
    }
    if (status == MTREE_OK) {
        status = prepare(&problem, &routes);
    }
    if (status == MTREE_OK) {
        status = request->algorithm == NULL && request->keep == NULL
                     ? plan_freely(&problem, algorithm, &plan)
                     : run_algorithm(&problem, algorithm, &plan);
    }
    if (status == MTREE_OK) {
        *plan_p = plan;
    } else {
        mtree_plan_destroy(plan);
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
                               .hosts = hosts,
                               .num_hosts = num_hosts,
                               .arena = &arena};
    mtree_routes_t *routes = NULL;
    mtree_status_t status;

    if (num_hosts < 2) {
        return MTREE_OK;
    }
    status = prepare(&problem, &routes);
    if (status == MTREE_OK) {
        status = mtree_bound_plan(&problem, plan);
    }
    mtree_routes_destroy(routes);
    mtree_arena_cleanup(&arena);
    return status;
}

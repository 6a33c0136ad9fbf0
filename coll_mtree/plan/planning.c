/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/planning.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/plan/plan_file.h"

#include "base/units.h"
#include "planner/plan/json.h"
#include "planner/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Plans are made anew when the new one is so many times as fast as the old one, unless
 * other shares of its trees come so close to that. */
#define LEAST_GAIN 1.15
#define CLOSE      1.05

/* Other shares are worth so much less. */
#define LEAST_SHARED_GAIN 1.05

/* Seconds that a call is expected to take; below 0: not known. */
typedef struct {
    double trees, fallback;
} expected_t;

void coll_mtree_planning_format_rate(const mtree_plan_t *plan,
                                     char text[COLL_MTREE_RATE_TEXT])
{
    char rate[32], bound[32];

    mtree_units_format_rate(plan->throughput, rate, sizeof(rate));
    mtree_units_format_rate(plan->bound, bound, sizeof(bound));
    (void)snprintf(text, COLL_MTREE_RATE_TEXT, "%s%s%s", rate,
                   plan->bound > 0 ? " of at most " : "", plan->bound > 0 ? bound : "");
}

/* One line for a choice. */
static void say_plan(ompi_communicator_t *comm, const mtree_plan_t *plan, double bytes,
                     bool saved, const expected_t *expected)
{
    char size[32], rate[COLL_MTREE_RATE_TEXT], ours[32], theirs[32], times[96] = "";

    mtree_units_format_size(bytes, size, sizeof(size));
    coll_mtree_planning_format_rate(plan, rate);
    if (expected->trees >= 0 && expected->fallback >= 0) {
        mtree_units_format_time(expected->trees, ours, sizeof(ours));
        mtree_units_format_time(expected->fallback, theirs, sizeof(theirs));
        (void)snprintf(times, sizeof(times), ", predicted %s, Open MPI %s", ours, theirs);
    }
    coll_mtree_verbose(comm, 2, "%s of about %s: mtree %s%s, %d trees, %s%s%s%s",
                       mtree_collective_name(plan->collective), size, plan->algorithm,
                       saved ? " (coll_mtree_plan)" : "", plan->num_trees, rate, times,
                       plan->limit != NULL ? "; limit: " : "",
                       plan->limit != NULL ? plan->limit : "");
}

/* Trees of the plan that one root has, at most. */
static int plan_trees_of_a_root(const mtree_plan_t *plan)
{
    int most = 0;

    if (!mtree_collective_has_blocks(plan->collective)) {
        return plan->num_trees;
    }
    for (int host = 0; host < plan->num_hosts; host++) {
        int trees = 0;

        for (int t = 0; t < plan->num_trees; t++) {
            trees += plan->trees[t].root == host;
        }
        most = trees > most ? trees : most;
    }
    return most;
}

/* The saved plan for such calls; NULL when there is none or it has too many trees. */
static mtree_plan_t *planning_saved(ompi_communicator_t *comm,
                                    const mtree_topology_t *topology, const int *vertices,
                                    int num_hosts,
                                    const coll_mtree_call_class_t *call_class,
                                    int max_trees)
{
    static bool contribution;
    mtree_plan_t *plan =
        coll_mtree_plan_file_get(comm, topology, vertices, num_hosts, call_class);

    if (plan == NULL || plan_trees_of_a_root(plan) <= max_trees) {
        return plan;
    }
    if (!contribution) {
        contribution = true;
        coll_mtree_verbose(comm, 0,
                           "coll_mtree_plan: %s: its %d trees are more than %d, raise "
                           "coll_mtree_trees; planned as without it",
                           coll_mtree_params.plan, plan_trees_of_a_root(plan), max_trees);
    }
    mtree_plan_destroy(plan);
    return NULL;
}

/* Replace *plan_p by one low tree where that is faster; the estimate of what it is then.
 */
static double planning_lower(const mtree_topology_t *topology, const int *vertices,
                             int num_hosts, const mtree_plan_request_t *request,
                             mtree_plan_t **plan_p)
{
    mtree_plan_request_t low_request = *request;
    double seconds = mtree_forecast_plan_seconds(*plan_p);
    mtree_plan_t *low;

    low_request.algorithm = "latency";
    if (request->bytes > MTREE_FORECAST_SHORT_BYTES ||
        mtree_planner_run(topology, vertices, num_hosts, &low_request, &low) !=
            MTREE_OK) {
        return seconds;
    }
    if (mtree_forecast_plan_seconds(low) < seconds) {
        mtree_plan_t *many = *plan_p;

        seconds = mtree_forecast_plan_seconds(low);
        *plan_p = low;
        low = many;
    }
    mtree_plan_destroy(low);
    return seconds;
}

/* What is expected of a plan that takes @a expected->trees; the fallback's time is added.
 */
static mtree_forecast_t planning_forecast(ompi_communicator_t *comm,
                                          const mtree_topology_t *topology,
                                          const int *vertices, int num_hosts,
                                          const mtree_plan_request_t *request,
                                          expected_t *expected)
{
    int ranks_per_host = (ompi_comm_size(comm) - 1) / num_hosts + 1;
    double base_algorithms[MTREE_BASE_ALGORITHMS + 1];
    mtree_forecast_t forecast;
    char size[32], ours[32], theirs[32];

    expected->fallback = mtree_forecast_fallback_seconds(topology, vertices, num_hosts,
                                                         ranks_per_host, request);
    for (int r = 1; r <= MTREE_BASE_ALGORITHMS; r++) {
        base_algorithms[r] = mtree_forecast_base_algorithm_seconds(
            topology, vertices, num_hosts, ranks_per_host, request, r);
    }
    forecast = mtree_forecast_make(expected->trees, expected->fallback, base_algorithms);
    if (forecast.confidence >= MTREE_FORECAST_MAYBE_SLOWER) {
        mtree_units_format_size(request->bytes, size, sizeof(size));
        mtree_units_format_time(expected->trees, ours, sizeof(ours));
        mtree_units_format_time(expected->fallback, theirs, sizeof(theirs));
        coll_mtree_verbose(
            comm, 2,
            "%s of about %s: %s over trees, %s by Open MPI, as estimated; the "
            "fallback serves",
            mtree_collective_name(request->collective), size, ours, theirs);
    }
    return forecast;
}

/* NULL: what the planner likes best. */
static const char *planning_algorithm(const coll_mtree_call_class_t *call_class)
{
    if (call_class->by_arrival) {
        return MTREE_PLAN_ARRIVAL;
    }
    return call_class->algorithm != NULL
               ? call_class->algorithm
               : coll_mtree_algorithm_of(call_class->collective);
}

static mtree_plan_request_t planning_request(const coll_mtree_call_class_t *call_class,
                                             int max_trees)
{
    int trees = call_class->trees < 0 ? coll_mtree_params.trees : call_class->trees;

    return (mtree_plan_request_t){.collective = call_class->collective,
                                  .algorithm = planning_algorithm(call_class),
                                  .root = call_class->root < 0 ? 0 : call_class->root,
                                  .max_trees = trees <= 0 ? max_trees : trees,
                                  .bytes = call_class->bytes};
}

/* A plan for calls of @a call_class, of the trees that @a keep has (NULL: of any); NULL,
 * having said why, when there is none. */
static mtree_plan_t *planning_new(ompi_communicator_t *comm,
                                  const mtree_topology_t *topology, const int *vertices,
                                  int num_hosts,
                                  const coll_mtree_call_class_t *call_class,
                                  int max_trees, const mtree_plan_t *keep,
                                  expected_t *expected, mtree_forecast_t *forecast_p)
{
    mtree_plan_request_t request = planning_request(call_class, max_trees);
    mtree_plan_t *plan;

    request.keep = keep;
    if (mtree_planner_run(topology, vertices, num_hosts, &request, &plan) != MTREE_OK) {
        coll_mtree_verbose(comm, 2, "no plan for %s; the fallback serves",
                           mtree_collective_name(call_class->collective));
        return NULL;
    }
    if (request.algorithm == NULL) {
        expected->trees =
            keep == NULL ? planning_lower(topology, vertices, num_hosts, &request, &plan)
                         : mtree_forecast_plan_seconds(plan);
        /* With 0 the user wants all to be served, whatever is expected. */
        if (coll_mtree_params.min_bytes > 0) {
            *forecast_p = planning_forecast(comm, topology, vertices, num_hosts, &request,
                                            expected);
        }
    }
    return plan;
}

/* The plan @a older if its trees can have other shares: *keep_p is NULL when they are
 * followed in lockstep, or are only one order of many. */
static mtree_status_t planning_keep(const char *older, mtree_plan_t **keep_p)
{
    mtree_plan_t *plan;
    mtree_status_t status =
        mtree_plan_from_json(older, strlen(older), "the plan that there is", &plan);

    if (status == MTREE_OK &&
        (mtree_plan_num_steps(plan) > 0 || mtree_plan_is_by_arrival(plan))) {
        mtree_plan_destroy(plan);
        plan = NULL;
    }
    if (status == MTREE_OK) {
        *keep_p = plan;
    }
    return status;
}

char *coll_mtree_planning_run(ompi_communicator_t *comm, const mtree_topology_t *topology,
                              const int *vertices, int num_hosts,
                              const coll_mtree_call_class_t *call_class, int max_trees,
                              const char *older, mtree_forecast_t *forecast_p)
{
    mtree_plan_t *keep = NULL;
    mtree_plan_t *plan =
        planning_saved(comm, topology, vertices, num_hosts, call_class, max_trees);
    bool saved = plan != NULL;
    expected_t expected = {-1, -1};
    char *text = NULL;

    *forecast_p = mtree_forecast_of(MTREE_FORECAST_FASTER);
    if (!saved && older != NULL && planning_keep(older, &keep) != MTREE_OK) {
        return NULL;
    }
    if (!saved) {
        plan = planning_new(comm, topology, vertices, num_hosts, call_class, max_trees,
                            keep, &expected, forecast_p);
    }
    mtree_plan_destroy(keep);
    if (plan == NULL) {
        return NULL;
    }
    if (plan_trees_of_a_root(plan) > max_trees) {
        coll_mtree_verbose(
            comm, 0,
            "the plan for %s has more than %d trees, raise coll_mtree_trees; "
            "the fallback serves",
            mtree_collective_name(call_class->collective), max_trees);
    } else if (mtree_plan_to_json(plan, &text) == MTREE_OK &&
               forecast_p->confidence < MTREE_FORECAST_MAYBE_SLOWER) {
        say_plan(comm, plan, call_class->bytes, saved, &expected);
    }
    mtree_plan_destroy(plan);
    return text;
}

/* The seconds that @a plan takes when its arcs have other capacities than it was made
 * for: what is not latency takes as many times longer as the fullest arc is too full. */
static double plan_seconds(const mtree_plan_t *plan, const mtree_topology_t *topology,
                           const mtree_routes_t *routes)
{
    double *load = calloc(2 * (size_t)topology->num_links, sizeof(*load));
    double moving = 8 * plan->bytes / plan->throughput;
    double fullest;

    if (load == NULL) {
        return 0;
    }
    mtree_plan_load(plan, routes, load);
    fullest = mtree_plan_busiest(topology, load);
    free(load);
    return fmax(plan->seconds - moving, 0) + moving * fullest;
}

/* The seconds that a plan for @a request takes; below 0: there is none. */
static double planned_seconds(const mtree_topology_t *topology, const int *vertices,
                              int num_hosts, const mtree_plan_request_t *request,
                              const mtree_routes_t *routes)
{
    mtree_plan_t *plan;
    double seconds;

    if (mtree_planner_run(topology, vertices, num_hosts, request, &plan) != MTREE_OK) {
        return -1;
    }
    seconds = plan_seconds(plan, topology, routes);
    mtree_plan_destroy(plan);
    return seconds;
}

coll_mtree_change_t coll_mtree_planning_change(const mtree_topology_t *topology,
                                               const int *vertices, int num_hosts,
                                               const coll_mtree_call_class_t *call_class,
                                               int max_trees, const mtree_plan_t *plan,
                                               bool little, double *gain_p)
{
    mtree_plan_request_t request = planning_request(call_class, max_trees);
    mtree_routes_t *routes;
    double now, shared, anew = -1;

    *gain_p = 0;
    if (mtree_routes_create(topology, vertices, num_hosts, &routes) != MTREE_OK) {
        return COLL_MTREE_STAY;
    }
    now = plan_seconds(plan, topology, routes);
    request.keep = plan;
    shared = planned_seconds(topology, vertices, num_hosts, &request, routes);
    if (!little) {
        request.keep = NULL;
        anew = planned_seconds(topology, vertices, num_hosts, &request, routes);
    }
    mtree_routes_destroy(routes);
    if (anew > 0 && now >= LEAST_GAIN * anew && (shared < 0 || shared > CLOSE * anew)) {
        *gain_p = now / anew;
        return COLL_MTREE_REPLAN;
    }
    *gain_p = shared > 0 ? now / shared : 0;
    return *gain_p >= LEAST_SHARED_GAIN ? COLL_MTREE_REBALANCE : COLL_MTREE_STAY;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/planning.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/fallback.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tuning.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/plan/plan_cache.h"
#include "coll_mtree/plan/plan_file.h"
#include "coll_mtree/relay/relays.h"
#include "coll_mtree/tcp/streams.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/units.h"
#include "planner/other_root.h"
#include "planner/plan/cables.h"
#include "planner/relays/relays.h"
#include "simulate/forecast/choice.h"
#include "simulate/forecast/choice_relays.h"
#include "tcp/kernel_buffers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Trees of a plan at most, per root. */
static int most_trees(const coll_mtree_planning_t *what)
{
    return coll_mtree_params_max_trees(ompi_comm_size(what->comm));
}

/* @a origin: where the plan is from, in words, where it was not made anew.  Plans that
 * are an order of hosts have no trees, and some have no bound. */
static void log_plan(const coll_mtree_planning_t *what, const mtree_plan_t *plan,
                     const char *origin, mtree_forecast_t forecast)
{
    char trees[32] = "", bound[48] = "", times[96] = "";

    if (plan->order == NULL) {
        (void)snprintf(trees, sizeof(trees), "%d tree%s, ", plan->num_trees,
                       MTREE_UNITS_PLURAL(plan->num_trees));
    }
    if (plan->bound > 0) {
        (void)snprintf(bound, sizeof(bound), " of at most %s",
                       MTREE_UNITS_RATE(plan->bound));
    }
    if (forecast.seconds > 0 && forecast.fallback > 0) {
        (void)snprintf(times, sizeof(times), ", predicted %s, Open MPI %s",
                       MTREE_UNITS_TIME(forecast.seconds),
                       MTREE_UNITS_TIME(forecast.fallback));
    }
    coll_mtree_verbose(what->comm, 2, "%s of about %s: %smtree %s%s, %s%s%s%s%s%s",
                       mtree_collective_name(plan->collective),
                       MTREE_UNITS_SIZE(what->call_class->bytes),
                       forecast.pays ? "" : "the fallback serves; ", plan->algorithm,
                       origin, trees, MTREE_UNITS_RATE(plan->throughput), bound, times,
                       plan->limit != NULL ? "; limit: " : "",
                       plan->limit != NULL ? plan->limit : "");
}

/* In the planning thread: the kernel of this host, and so perhaps of others, cuts what
 * @a plan has under way short. */
static void log_kernel_buffers(ompi_communicator_t *comm, const mtree_plan_t *plan)
{
    coll_mtree_streams_t streams;
    char command[160];
    double bytes;

    if (coll_mtree_world_rank() != 0 || strcmp(coll_mtree_host_fabric(), "tcp") != 0) {
        return;
    }
    (void)coll_mtree_streams_parse(coll_mtree_params.streams, &streams);
    bytes = coll_mtree_plan_choice_under_way(plan) / coll_mtree_streams_usual(&streams);
    if (mtree_tcp_kernel_buffers_command(MTREE_TCP_KERNEL_FOLDER, bytes, command,
                                         sizeof(command)) &&
        coll_mtree_log_is_first("the kernel's TCP buffers")) {
        coll_mtree_verbose(comm, 0,
                           "the kernel's TCP buffers are too small for %s under way in "
                           "a connection; on all hosts: %s",
                           MTREE_UNITS_SIZE(bytes), command);
    }
}

/* The plan of the user's file for such calls; NULL when there is none or it has too many
 * trees. */
static mtree_plan_t *plan_from_file(const coll_mtree_planning_t *what)
{
    mtree_plan_t *plan =
        coll_mtree_plan_file_get(what->comm, what->hosts, what->call_class);
    int trees = plan == NULL ? 0 : coll_mtree_plan_choice_trees_per_root(plan);

    if (trees <= most_trees(what)) {
        return plan;
    }
    if (coll_mtree_log_is_first("trees of coll_mtree_plan")) {
        coll_mtree_verbose(what->comm, 0,
                           "coll_mtree_plan: %s: its %d trees are more than %d, raise "
                           "coll_mtree_trees; planned as without it",
                           coll_mtree_params.plan, trees, most_trees(what));
    }
    mtree_plan_destroy(plan);
    return NULL;
}

/* NULL: there are none. */
static mtree_routes_t *routes_between(const coll_mtree_plan_hosts_t *hosts)
{
    mtree_routes_t *routes;

    return mtree_routes_create(hosts->topology, hosts->vertices, hosts->num_hosts,
                               &routes) == MTREE_OK
               ? routes
               : NULL;
}

/* NULL: there is no plan. */
static mtree_plan_t *run_planner(const coll_mtree_plan_hosts_t *hosts,
                                 const mtree_plan_request_t *request)
{
    mtree_plan_t *plan;

    return mtree_choice_plan(hosts->topology, hosts->vertices, hosts->num_hosts, request,
                             &plan, NULL) == MTREE_OK
               ? plan
               : NULL;
}

/* The Open MPI that this is built for, and whether the @a num_hosts hosts of @a comm have
 * a rank each.  Open MPI does not look at that of MPI_COMM_WORLD. */
static mtree_openmpi_t find_openmpi(ompi_communicator_t *comm, int num_hosts)
{
    return (mtree_openmpi_t){
        .release = 100 * OMPI_MAJOR_VERSION + OMPI_MINOR_VERSION >= 601
                       ? MTREE_OPENMPI_6_1
                       : MTREE_OPENMPI_4_1,
        .apart = ompi_comm_size(comm) == num_hosts && comm != MPI_COMM_WORLD};
}

/* How fast a plan that takes @a seconds is, beside the fallback where its algorithm is
 * known. */
static mtree_forecast_t make_forecast(const coll_mtree_planning_t *what, double seconds,
                                      const mtree_plan_request_t *request)
{
    const coll_mtree_plan_hosts_t *hosts = what->hosts;
    int ranks_per_host = (ompi_comm_size(what->comm) - 1) / hosts->num_hosts + 1;
    double fallback = -1;

    /* With 0 the user wants all to be served, whatever is predicted. */
    if (coll_mtree_params_min_bytes() == 0) {
        return mtree_forecast_of(true);
    }
    if (coll_mtree_fallback_has_fixed_rules(what->comm, request->collective)) {
        fallback = mtree_forecast_fallback_seconds(
            find_openmpi(what->comm, hosts->num_hosts), hosts->topology, hosts->vertices,
            hosts->num_hosts, ranks_per_host, request);
    }
    return mtree_forecast_make(seconds, fallback);
}

/* With the @a routes between the hosts: among thousands they take a tenth of a second. */
static mtree_plan_request_t make_request(const coll_mtree_planning_t *what,
                                         const mtree_routes_t *routes)
{
    const coll_mtree_call_class_t *calls = what->call_class;
    const int trees = coll_mtree_params.trees;

    return (mtree_plan_request_t){.collective = calls->collective,
                                  .algorithm = coll_mtree_algorithm_of(calls->collective),
                                  .root = calls->root < 0 ? 0 : calls->root,
                                  .max_trees = trees > 0 ? trees : most_trees(what),
                                  .bytes = calls->bytes,
                                  .routes = routes};
}

/* A plan with the trees of @a donor, or from them; NULL: they cannot be used. */
static mtree_plan_t *plan_with_donor_trees(const coll_mtree_plan_hosts_t *hosts,
                                           const mtree_plan_request_t *request,
                                           const coll_mtree_donor_trees_t *donor)
{
    mtree_plan_request_t keeping = *request;
    mtree_plan_t *plan = NULL;

    if (donor->plan == NULL || !coll_mtree_plan_choice_can_rebalance(donor->plan)) {
        return NULL;
    }
    if (donor->holds) {
        (void)mtree_other_root_plan(hosts->topology, hosts->vertices, hosts->num_hosts,
                                    request, donor->plan, &plan);
        return plan;
    }
    keeping.keep = donor->plan;
    plan = run_planner(hosts, &keeping);
    if (plan == NULL) {
        return NULL;
    }
    if (!donor->stay && !coll_mtree_plan_choice_is_good_enough(plan, donor->plan)) {
        mtree_plan_destroy(plan);
        return NULL;
    }
    if (plan->root == donor->plan->root) {
        plan->bound = donor->plan->bound;
    }
    return plan;
}

/* The plan for @a request, over the trees of @a donor if those do, which *origin_p says
 * then; NULL, having logged why, when there is none. */
static mtree_plan_t *plan_anew(const coll_mtree_planning_t *what,
                               const mtree_plan_request_t *request,
                               const coll_mtree_donor_trees_t *donor,
                               const char **origin_p, mtree_forecast_t *forecast_p)
{
    mtree_plan_t *plan = NULL;
    bool lends = false;

    if (request->routes != NULL) {
        plan = plan_with_donor_trees(what->hosts, request, donor);
        lends = plan != NULL;
        plan = lends ? plan : run_planner(what->hosts, request);
    }
    /* Where the user chose an algorithm there is nothing to choose between. */
    if (plan != NULL && request->algorithm == NULL) {
        *forecast_p = lends && donor->holds ? donor->forecast
                                            : make_forecast(what, plan->seconds, request);
    }
    if (plan == NULL && !mtree_cancel_is_set()) {
        coll_mtree_verbose(what->comm, 2, "no plan for %s; the fallback serves",
                           mtree_collective_name(what->call_class->collective));
    }
    *origin_p = lends ? " (trees of other calls)" : "";
    return plan;
}

/* What the forecast follows from besides hosts, request and donor's trees. */
static void write_rest(const coll_mtree_planning_t *what,
                       const coll_mtree_donor_trees_t *donor, char text[160])
{
    (void)snprintf(
        text, 160, "%d %d %d %d %d %d %.17g %.17g", ompi_comm_size(what->comm),
        what->comm == MPI_COMM_WORLD, coll_mtree_params_min_bytes() > 0,
        coll_mtree_fallback_has_fixed_rules(what->comm, what->call_class->collective),
        donor->holds, donor->forecast.pays, donor->forecast.seconds,
        donor->forecast.fallback);
}

/* The same, read where an earlier job made it, else left to later ones.  No other job
 * meets a network as it is once trees stay. */
static mtree_plan_t *plan_once(const coll_mtree_planning_t *what,
                               const mtree_routes_t *routes,
                               const coll_mtree_donor_trees_t *donor,
                               const char **origin_p, mtree_forecast_t *forecast_p)
{
    const mtree_plan_request_t request = make_request(what, routes);
    const bool caches = coll_mtree_params.cache_days > 0 && !donor->stay;
    char rest[160];
    const coll_mtree_plan_question_t question = {what->hosts, &request, donor->plan,
                                                 rest};
    mtree_plan_t *plan;
    double began;

    write_rest(what, donor, rest);
    plan = caches ? coll_mtree_plan_cache_read(&question, forecast_p) : NULL;
    if (plan != NULL) {
        *origin_p = " (from the cache)";
        return plan;
    }
    began = mtree_clock_thread_seconds();
    plan = plan_anew(what, &request, donor, origin_p, forecast_p);
    if (caches && plan != NULL && !mtree_cancel_is_set() &&
        mtree_clock_thread_seconds() > began + COLL_MTREE_CACHED_SECONDS) {
        coll_mtree_plan_cache_write(&question, plan, *forecast_p);
    }
    return plan;
}

mtree_plan_t *coll_mtree_planning_run(const coll_mtree_planning_t *what,
                                      const coll_mtree_donor_trees_t *donor,
                                      mtree_forecast_t *forecast_p)
{
    const char *origin = " (coll_mtree_plan)";
    mtree_routes_t *routes = routes_between(what->hosts);
    mtree_plan_t *plan = plan_from_file(what);

    *forecast_p = mtree_forecast_of(true);
    if (plan == NULL) {
        plan = plan_once(what, routes, donor, &origin, forecast_p);
    }
    if (plan != NULL && routes != NULL) {
        mtree_plan_add_cables(plan, what->hosts->topology, routes);
    }
    mtree_routes_destroy(routes);
    if (plan == NULL) {
        return NULL;
    }
    if (coll_mtree_plan_choice_trees_per_root(plan) > most_trees(what)) {
        coll_mtree_verbose(
            what->comm, 0,
            "the plan for %s has more than %d trees, raise coll_mtree_trees; "
            "the fallback serves",
            mtree_collective_name(what->call_class->collective), most_trees(what));
        mtree_plan_destroy(plan);
        return NULL;
    }
    if (forecast_p->pays) {
        log_kernel_buffers(what->comm, plan);
    }
    log_plan(what, plan, origin, *forecast_p);
    return plan;
}

/* Seconds in which a call's word of its end goes from the farthest of @a hosts to host @a
 * first, which has rank 0, and the verdict back. */
static double verdict_seconds(const coll_mtree_plan_hosts_t *hosts, int first)
{
    mtree_routes_t *routes = routes_between(hosts);
    double farthest = 0;

    for (int host = 0; host < hosts->num_hosts && routes != NULL; host++) {
        farthest = fmax(farthest, mtree_routes_latency(routes, first, host) +
                                      mtree_routes_latency(routes, host, first));
    }
    mtree_routes_destroy(routes);
    return farthest;
}

mtree_plan_t *coll_mtree_planning_by_relays(const coll_mtree_planning_t *what,
                                            const mtree_plan_t *plan, int first,
                                            mtree_forecast_t *forecast_p)
{
    const coll_mtree_plan_hosts_t *hosts = what->hosts;
    mtree_plan_request_t request = make_request(what, NULL);
    coll_mtree_relays_found_t found;
    mtree_plan_t *by_relays = NULL;

    coll_mtree_relays_find(hosts->topology, hosts->vertices, hosts->num_hosts, &found);
    request.num_relays = found.count;
    request.relays = found.vertices;
    request.relay_addresses = found.addresses;
    if (request.num_relays == 0 ||
        mtree_choice_relays(hosts->topology, hosts->vertices, hosts->num_hosts, &request,
                            plan, &by_relays) != MTREE_OK ||
        by_relays == NULL) {
        return NULL;
    }
    by_relays->seconds += verdict_seconds(hosts, first);
    if (!mtree_relays_gain(by_relays, plan)) {
        mtree_plan_destroy(by_relays);
        return NULL;
    }
    *forecast_p = make_forecast(what, by_relays->seconds, &request);
    log_plan(what, by_relays, "", *forecast_p);
    return by_relays;
}

/* Seconds of a new plan for @a request, which has routes; below 0: there is none. */
static double planned_seconds(const coll_mtree_plan_hosts_t *hosts,
                              const mtree_plan_request_t *request)
{
    mtree_plan_t *plan = run_planner(hosts, request);
    double seconds = plan == NULL ? -1
                                  : coll_mtree_plan_choice_seconds(plan, hosts->topology,
                                                                   request->routes);

    mtree_plan_destroy(plan);
    return seconds;
}

coll_mtree_change_t coll_mtree_planning_change(const coll_mtree_planning_t *what,
                                               const mtree_plan_t *plan, bool shares_only,
                                               double *gain_p)
{
    mtree_routes_t *routes = routes_between(what->hosts);
    mtree_plan_request_t request = make_request(what, routes);
    double now, rebalanced, anew = -1;

    *gain_p = 0;
    if (routes == NULL) {
        return COLL_MTREE_STAY;
    }
    now = coll_mtree_plan_choice_seconds(plan, what->hosts->topology, routes);
    request.keep = plan;
    rebalanced = planned_seconds(what->hosts, &request);
    if (!shares_only) {
        request.keep = NULL;
        anew = planned_seconds(what->hosts, &request);
    }
    mtree_routes_destroy(routes);
    return coll_mtree_plan_choice_change(now, rebalanced, anew, gain_p);
}

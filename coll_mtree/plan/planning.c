/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/planning.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/fallback.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/plan/plan_cache.h"
#include "coll_mtree/plan/plan_file.h"
#include "coll_mtree/relay/relays.h"
#include "coll_mtree/tcp/streams.h"

#include "base/cancel.h"
#include "base/units.h"
#include "planner/other_root.h"
#include "planner/plan/cables.h"
#include "planner/relays/relays.h"
#include "simulate/forecast/choice.h"
#include "simulate/forecast/choice_relays.h"
#include "tcp/kernel_buffers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What took less of the processor's time, in seconds, is planned anew by each job. */
#define CACHED_SECONDS 0.02

/* Predicted seconds of a call; below 0: not predicted. */
typedef struct {
    double trees, fallback;
    bool has_donor; /* the plan has the trees of another one */
    bool is_cached; /* an earlier job made it */
} prediction_t;

void coll_mtree_planning_format_rate(const mtree_plan_t *plan,
                                     char text[COLL_MTREE_RATE_TEXT])
{
    char rate[32], bound[32];

    mtree_units_format_rate(plan->throughput, rate, sizeof(rate));
    mtree_units_format_rate(plan->bound, bound, sizeof(bound));
    (void)snprintf(text, COLL_MTREE_RATE_TEXT, "%s%s%s", rate,
                   plan->bound > 0 ? " of at most " : "", plan->bound > 0 ? bound : "");
}

static void log_plan(ompi_communicator_t *comm, const mtree_plan_t *plan, double bytes,
                     bool from_file, const prediction_t *prediction)
{
    char size[32], rate[COLL_MTREE_RATE_TEXT], ours[32], theirs[32], times[96] = "";
    char trees[32] = "";

    mtree_units_format_size(bytes, size, sizeof(size));
    coll_mtree_planning_format_rate(plan, rate);
    if (plan->order == NULL) {
        (void)snprintf(trees, sizeof(trees), ", %d tree%s", plan->num_trees,
                       MTREE_UNITS_PLURAL(plan->num_trees));
    }
    if (prediction->trees >= 0 && prediction->fallback >= 0) {
        mtree_units_format_time(prediction->trees, ours, sizeof(ours));
        mtree_units_format_time(prediction->fallback, theirs, sizeof(theirs));
        (void)snprintf(times, sizeof(times), ", predicted %s, Open MPI %s", ours, theirs);
    }
    coll_mtree_verbose(comm, 2, "%s of about %s: mtree %s%s%s, %s%s%s%s",
                       mtree_collective_name(plan->collective), size, plan->algorithm,
                       from_file               ? " (coll_mtree_plan)"
                       : prediction->is_cached ? " (from the cache)"
                       : prediction->has_donor ? " (trees of other calls)"
                                               : "",
                       trees, rate, times, plan->limit != NULL ? "; limit: " : "",
                       plan->limit != NULL ? plan->limit : "");
}

/* In the planning thread: the kernel of this host, and so perhaps of others, cuts what
 * @a plan has under way short. */
static void log_kernel_buffers(ompi_communicator_t *comm, const mtree_plan_t *plan)
{
    static bool is_logged;
    mtree_tcp_kernel_buffers_t buffers;
    coll_mtree_streams_t streams;
    char command[160], size[32];
    double bytes;

    if (is_logged || coll_mtree_world_rank() != 0 ||
        strcmp(coll_mtree_host_fabric(), "tcp") != 0 ||
        mtree_tcp_kernel_buffers_read(MTREE_TCP_KERNEL_FOLDER, &buffers) != MTREE_OK) {
        return;
    }
    (void)coll_mtree_streams_parse(coll_mtree_params.streams, &streams);
    bytes = coll_mtree_plan_choice_under_way(plan) / coll_mtree_streams_usual(&streams);
    if (!mtree_tcp_kernel_buffers_command(&buffers, bytes, command, sizeof(command))) {
        return;
    }
    is_logged = true;
    mtree_units_format_size(bytes, size, sizeof(size));
    coll_mtree_verbose(comm, 0,
                       "the kernel's TCP buffers are too small for %s under way in a "
                       "connection; on all hosts: %s",
                       size, command);
}

/* The plan of the user's file for such calls; NULL when there is none or it has too many
 * trees. */
static mtree_plan_t *plan_from_file(ompi_communicator_t *comm,
                                    const coll_mtree_plan_hosts_t *hosts,
                                    const coll_mtree_call_class_t *call_class,
                                    int max_trees)
{
    static bool is_logged;
    mtree_plan_t *plan = coll_mtree_plan_file_get(comm, hosts, call_class);
    int trees = plan == NULL ? 0 : coll_mtree_plan_choice_trees_per_root(plan);

    if (trees <= max_trees) {
        return plan;
    }
    if (!is_logged) {
        is_logged = true;
        coll_mtree_verbose(comm, 0,
                           "coll_mtree_plan: %s: its %d trees are more than %d, raise "
                           "coll_mtree_trees; planned as without it",
                           coll_mtree_params.plan, trees, max_trees);
    }
    mtree_plan_destroy(plan);
    return NULL;
}

static mtree_status_t run_planner(const coll_mtree_plan_hosts_t *hosts,
                                  const mtree_plan_request_t *request,
                                  mtree_plan_t **plan_p)
{
    return mtree_choice_plan(hosts->topology, hosts->vertices, hosts->num_hosts, request,
                             plan_p, NULL);
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

/* How fast a plan that takes @a prediction->trees is, beside the fallback; that is set in
 * prediction->fallback where its algorithm is known. */
static mtree_forecast_t make_forecast(ompi_communicator_t *comm,
                                      const coll_mtree_plan_hosts_t *hosts,
                                      const mtree_plan_request_t *request,
                                      prediction_t *prediction)
{
    int ranks_per_host = (ompi_comm_size(comm) - 1) / hosts->num_hosts + 1;

    if (coll_mtree_fallback_has_fixed_rules(comm, request->collective)) {
        prediction->fallback = mtree_forecast_fallback_seconds(
            find_openmpi(comm, hosts->num_hosts), hosts->topology, hosts->vertices,
            hosts->num_hosts, ranks_per_host, request);
    }
    return mtree_forecast_make(prediction->trees, prediction->fallback);
}

/* Calls of @a bytes over @a plan are expected to take longer than by the fallback. */
static void log_loss(ompi_communicator_t *comm, const mtree_plan_t *plan, double bytes,
                     mtree_forecast_t forecast)
{
    char size[32], ours[32], theirs[32];

    mtree_units_format_size(bytes, size, sizeof(size));
    mtree_units_format_time(forecast.seconds, ours, sizeof(ours));
    mtree_units_format_time(forecast.fallback, theirs, sizeof(theirs));
    coll_mtree_verbose(comm, 2,
                       "%s of about %s: %s over trees, %s by Open MPI, as estimated; the "
                       "fallback serves",
                       mtree_collective_name(plan->collective), size, ours, theirs);
}

static mtree_plan_request_t make_request(const coll_mtree_call_class_t *call_class,
                                         int max_trees)
{
    return coll_mtree_plan_choice_request(call_class,
                                          coll_mtree_algorithm_of(call_class->collective),
                                          coll_mtree_params.trees, max_trees);
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
    if (run_planner(hosts, &keeping, &plan) != MTREE_OK) {
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

/* The plan for @a request, over the trees of @a donor if those do; NULL: there is none.
 */
static mtree_plan_t *plan_for_request(ompi_communicator_t *comm,
                                      const coll_mtree_plan_hosts_t *hosts,
                                      const mtree_plan_request_t *request,
                                      const coll_mtree_donor_trees_t *donor,
                                      prediction_t *prediction,
                                      mtree_forecast_t *forecast_p)
{
    mtree_plan_t *plan = plan_with_donor_trees(hosts, request, donor);

    prediction->has_donor = plan != NULL;
    if (plan == NULL && run_planner(hosts, request, &plan) != MTREE_OK) {
        return NULL;
    }
    /* Where the user chose an algorithm there is nothing to choose between. */
    if (request->algorithm == NULL) {
        prediction->trees = plan->seconds;
        /* With 0 the user wants all to be served, whatever is predicted. */
        if (prediction->has_donor && donor->holds) {
            *forecast_p = donor->forecast;
        } else if (coll_mtree_params_min_bytes() > 0) {
            *forecast_p = make_forecast(comm, hosts, request, prediction);
        }
    }
    return plan;
}

/* The planner's plan; NULL, having logged why, when there is none. */
static mtree_plan_t *plan_by_planner(ompi_communicator_t *comm,
                                     const coll_mtree_plan_hosts_t *hosts,
                                     const coll_mtree_call_class_t *call_class,
                                     int max_trees, const coll_mtree_donor_trees_t *donor,
                                     prediction_t *prediction,
                                     mtree_forecast_t *forecast_p)
{
    mtree_plan_request_t request = make_request(call_class, max_trees);
    mtree_plan_t *plan = NULL;
    mtree_routes_t *routes;

    /* Among thousands of hosts routes take a tenth of a second: all searches share them.
     */
    if (mtree_routes_create(hosts->topology, hosts->vertices, hosts->num_hosts,
                            &routes) == MTREE_OK) {
        request.routes = routes;
        plan = plan_for_request(comm, hosts, &request, donor, prediction, forecast_p);
        mtree_routes_destroy(routes);
    }
    if (plan == NULL && !mtree_cancel_is_set()) {
        coll_mtree_verbose(comm, 2, "no plan for %s; the fallback serves",
                           mtree_collective_name(call_class->collective));
    }
    return plan;
}

/* Of the processor, for this thread. */
static double thread_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What the forecast follows from besides hosts, request and donor's trees. */
static void write_rest(ompi_communicator_t *comm,
                       const coll_mtree_call_class_t *call_class,
                       const coll_mtree_donor_trees_t *donor, char text[160])
{
    (void)snprintf(text, 160, "%d %d %d %d %d %d %.17g %.17g", ompi_comm_size(comm),
                   comm == MPI_COMM_WORLD, coll_mtree_params_min_bytes() > 0,
                   coll_mtree_fallback_has_fixed_rules(comm, call_class->collective),
                   donor->holds, donor->forecast.pays, donor->forecast.seconds,
                   donor->forecast.fallback);
}

/* The same, read where an earlier job made it, else left to later ones.  No other job
 * meets a network as it is once trees stay. */
static mtree_plan_t *plan_once(ompi_communicator_t *comm,
                               const coll_mtree_plan_hosts_t *hosts,
                               const coll_mtree_call_class_t *call_class, int max_trees,
                               const coll_mtree_donor_trees_t *donor,
                               prediction_t *prediction, mtree_forecast_t *forecast_p)
{
    const mtree_plan_request_t request = make_request(call_class, max_trees);
    const bool caches = coll_mtree_params.cache_days > 0 && !donor->stay;
    char rest[160];
    const coll_mtree_plan_question_t question = {hosts, &request, donor->plan, rest};
    mtree_plan_t *plan;
    double began;

    write_rest(comm, call_class, donor, rest);
    plan = caches ? coll_mtree_plan_cache_read(&question, forecast_p) : NULL;
    if (plan != NULL) {
        *prediction = (prediction_t){
            .trees = forecast_p->seconds > 0 ? forecast_p->seconds : -1,
            .fallback = forecast_p->fallback > 0 ? forecast_p->fallback : -1,
            .is_cached = true};
        return plan;
    }
    began = thread_seconds();
    plan = plan_by_planner(comm, hosts, call_class, max_trees, donor, prediction,
                           forecast_p);
    if (caches && plan != NULL && !mtree_cancel_is_set() &&
        thread_seconds() > began + CACHED_SECONDS) {
        coll_mtree_plan_cache_write(&question, plan, *forecast_p);
    }
    return plan;
}

/* Without memory messages go over Open MPI's connections. */
static void add_cables(mtree_plan_t *plan, const coll_mtree_plan_hosts_t *hosts)
{
    mtree_routes_t *routes;

    if (mtree_routes_create(hosts->topology, hosts->vertices, hosts->num_hosts,
                            &routes) == MTREE_OK) {
        (void)mtree_plan_add_cables(plan, hosts->topology, routes);
        mtree_routes_destroy(routes);
    }
}

mtree_plan_t *coll_mtree_planning_run(ompi_communicator_t *comm,
                                      const coll_mtree_plan_hosts_t *hosts,
                                      const coll_mtree_call_class_t *call_class,
                                      int max_trees,
                                      const coll_mtree_donor_trees_t *donor,
                                      mtree_forecast_t *forecast_p)
{
    mtree_plan_t *plan = plan_from_file(comm, hosts, call_class, max_trees);
    bool from_file = plan != NULL;
    prediction_t prediction = {.trees = -1, .fallback = -1};

    *forecast_p = mtree_forecast_of(true);
    if (!from_file) {
        plan =
            plan_once(comm, hosts, call_class, max_trees, donor, &prediction, forecast_p);
    }
    if (plan == NULL) {
        return NULL;
    }
    if (coll_mtree_plan_choice_trees_per_root(plan) > max_trees) {
        coll_mtree_verbose(
            comm, 0,
            "the plan for %s has more than %d trees, raise coll_mtree_trees; "
            "the fallback serves",
            mtree_collective_name(call_class->collective), max_trees);
        mtree_plan_destroy(plan);
        return NULL;
    }
    add_cables(plan, hosts);
    if (forecast_p->pays) {
        log_kernel_buffers(comm, plan);
        log_plan(comm, plan, call_class->bytes, from_file, &prediction);
    } else {
        log_loss(comm, plan, call_class->bytes, *forecast_p);
    }
    return plan;
}

/* Seconds in which a call's word of its end goes from the farthest of @a hosts to host @a
 * first, which has rank 0, and the verdict back (coll_mtree/call/relayed_call.h). */
static double verdict_seconds(const coll_mtree_plan_hosts_t *hosts, int first)
{
    mtree_routes_t *routes;
    double farthest = 0;

    if (mtree_routes_create(hosts->topology, hosts->vertices, hosts->num_hosts,
                            &routes) != MTREE_OK) {
        return 0;
    }
    for (int host = 0; host < hosts->num_hosts; host++) {
        farthest = fmax(farthest, mtree_routes_latency(routes, first, host) +
                                      mtree_routes_latency(routes, host, first));
    }
    mtree_routes_destroy(routes);
    return farthest;
}

mtree_plan_t *coll_mtree_planning_relayed(ompi_communicator_t *comm,
                                          const coll_mtree_plan_hosts_t *hosts,
                                          const coll_mtree_call_class_t *call_class,
                                          int max_trees, const mtree_plan_t *plan,
                                          int first, mtree_forecast_t *forecast_p)
{
    mtree_plan_request_t request = make_request(call_class, max_trees);
    prediction_t prediction = {.trees = -1, .fallback = -1};
    coll_mtree_relays_found_t found;
    mtree_plan_t *relayed = NULL;

    coll_mtree_relays_find(hosts->topology, hosts->vertices, hosts->num_hosts, &found);
    request.num_relays = found.count;
    request.relays = found.vertices;
    request.relay_addresses = found.addresses;
    if (request.num_relays == 0 ||
        mtree_choice_relays(hosts->topology, hosts->vertices, hosts->num_hosts, &request,
                            plan, &relayed) != MTREE_OK ||
        relayed == NULL) {
        return NULL;
    }
    relayed->seconds += verdict_seconds(hosts, first);
    if (!mtree_relays_gain(relayed, plan)) {
        mtree_plan_destroy(relayed);
        return NULL;
    }
    *forecast_p = mtree_forecast_of(true);
    prediction.trees = relayed->seconds;
    if (coll_mtree_params_min_bytes() > 0) {
        *forecast_p = make_forecast(comm, hosts, &request, &prediction);
    }
    log_plan(comm, relayed, call_class->bytes, false, &prediction);
    return relayed;
}

/* Seconds of a new plan for @a request, which has routes; below 0: there is none. */
static double planned_seconds(const coll_mtree_plan_hosts_t *hosts,
                              const mtree_plan_request_t *request)
{
    mtree_plan_t *plan;
    double seconds;

    if (run_planner(hosts, request, &plan) != MTREE_OK) {
        return -1;
    }
    seconds = coll_mtree_plan_choice_seconds(plan, hosts->topology, request->routes);
    mtree_plan_destroy(plan);
    return seconds;
}

coll_mtree_change_t coll_mtree_planning_change(const coll_mtree_plan_hosts_t *hosts,
                                               const coll_mtree_call_class_t *call_class,
                                               int max_trees, const mtree_plan_t *plan,
                                               bool shares_only, double *gain_p)
{
    mtree_plan_request_t request = make_request(call_class, max_trees);
    mtree_routes_t *routes;
    double now, rebalanced, anew = -1;

    *gain_p = 0;
    if (mtree_routes_create(hosts->topology, hosts->vertices, hosts->num_hosts,
                            &routes) != MTREE_OK) {
        return COLL_MTREE_STAY;
    }
    now = coll_mtree_plan_choice_seconds(plan, hosts->topology, routes);
    request.routes = routes;
    request.keep = plan;
    rebalanced = planned_seconds(hosts, &request);
    if (!shares_only) {
        request.keep = NULL;
        anew = planned_seconds(hosts, &request);
    }
    mtree_routes_destroy(routes);
    return coll_mtree_plan_choice_change(now, rebalanced, anew, gain_p);
}

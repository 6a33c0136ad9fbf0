/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/planning_context.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/plan/planning.h"
#include "coll_mtree/plan/proc_group.h"
#include "coll_mtree/relay/relays.h"
#include "coll_mtree/topology/source.h"

#include "base/units.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* The planning thread changes contexts under the lock, and reads them without it; it
 * plans without it. */
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

void coll_mtree_planning_context_destroy(coll_mtree_planning_context_t *context)
{
    if (context == NULL) {
        return;
    }
    pthread_mutex_lock(&contexts_lock);
    coll_mtree_class_table_cleanup(&context->plans, coll_mtree_stored_plan_clear);
    pthread_mutex_unlock(&contexts_lock);
    /* A link that is gone may be back by the next job. */
    if (context->is_corrected && context->gone_version == 0) {
        coll_mtree_topology_cache_correct(&context->learned, context->hosts.topology);
    }
    coll_mtree_cached_hosts_cleanup(&context->learned);
    mtree_drift_destroy(context->drift);
    free(context->samples);
    free(context->vertices);
    coll_mtree_host_numbers_cleanup(&context->numbers);
    free(context);
}

/* Once per job where the user named the map, which the job's hosts should be in. */
static int missing_level(void)
{
    static atomic_flag is_told = ATOMIC_FLAG_INIT;

    return coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE &&
                   !atomic_flag_test_and_set(&is_told)
               ? 0
               : 1;
}

/* The host of rank @a first, and of @a missing ranks in all, is not in the topology. */
static void tell_missing(ompi_communicator_t *comm,
                         const coll_mtree_host_t *contributions, int first, int missing,
                         const char *origin, const mtree_topology_t *topology)
{
    const char *name = contributions[first].name;
    char others[64] = "";

    if (missing > 1) {
        (void)snprintf(others, sizeof(others), " (nor that of %d more ranks)",
                       missing - 1);
    }
    coll_mtree_verbose(
        comm, missing_level(),
        "not served, host %s of rank %d%s is not in topology %s; add it there, or give "
        "its node (the nearest name is %s) a host= attribute; the fallback serves",
        name, first, others, origin, mtree_topology_nearest_host(topology, name));
}

/* The names of the ranks' hosts there, @a names [ranks].  False, which is logged: one of
 * them is not in it. */
static bool find_names(ompi_communicator_t *comm, const coll_mtree_host_t *contributions,
                       const char *origin, const mtree_topology_t *topology,
                       const char **names)
{
    int first = -1, missing = 0;

    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        int vertex = mtree_topology_find_host(topology, contributions[rank].name);

        if (vertex < 0) {
            first = missing++ == 0 ? rank : first;
        } else {
            names[rank] = topology->vertices[vertex].name;
        }
    }
    if (missing > 0) {
        tell_missing(comm, contributions, first, missing, origin, topology);
    }
    return missing == 0;
}

/*
 * Number the hosts of the ranks of @a comm, which @a contributions [ranks] name, and find
 * them in the context's topology.  False, which is logged, when mtree cannot serve: a
 * host is not in the topology, or there is just one.
 */
static bool context_find_hosts(coll_mtree_planning_context_t *context,
                               ompi_communicator_t *comm,
                               const coll_mtree_host_t *contributions)
{
    coll_mtree_plan_hosts_t *hosts = &context->hosts;
    coll_mtree_host_numbers_t *numbers = &context->numbers;
    const char **names = coll_mtree_calloc((size_t)context->num_procs, sizeof(*names));
    bool found = find_names(comm, contributions, context->origin, hosts->topology, names);

    if (found) {
        coll_mtree_host_numbers_create(names, context->num_procs, numbers);
    }
    free(names);
    for (int host = 0; host < numbers->num_hosts; host++) {
        context->vertices[host] = mtree_topology_find_host(
            hosts->topology, contributions[numbers->first[host]].name);
    }
    hosts->vertices = context->vertices;
    hosts->num_hosts = numbers->num_hosts;
    if (found && hosts->num_hosts < 2) {
        coll_mtree_verbose(
            comm, coll_mtree_unserved_level(comm),
            "not served, all its ranks run on host %s; the fallback serves",
            contributions[0].name);
        return false;
    }
    return found;
}

/* Leaves the topology NULL, having logged why, when mtree cannot serve. */
static void context_read(coll_mtree_planning_context_t *context,
                         ompi_communicator_t *comm,
                         const coll_mtree_host_t *contributions)
{
    if (!coll_mtree_algorithm_check()) {
        return;
    }
    context->hosts.topology =
        coll_mtree_source_topology(contributions, context->num_procs, &context->origin);
    if (context->hosts.topology != NULL &&
        !context_find_hosts(context, comm, contributions)) {
        context->hosts.topology = NULL;
    }
    context->map = context->hosts.topology;
    if (context->map == NULL) {
        return;
    }
    if (coll_mtree_params_topology() != COLL_MTREE_TOPOLOGY_FILE) {
        coll_mtree_cached_hosts_init(&context->learned, contributions, &context->numbers);
    }
}

static coll_mtree_planning_context_t *
context_create(ompi_communicator_t *comm, const coll_mtree_host_t *contributions)
{
    size_t procs = (size_t)ompi_comm_size(comm);
    coll_mtree_planning_context_t *context = coll_mtree_calloc(1, sizeof(*context));

    coll_mtree_class_table_init(&context->plans);
    context->num_procs = (int)procs;
    context->vertices = coll_mtree_calloc(procs, sizeof(int));
    context_read(context, comm, contributions);
    return context;
}

coll_mtree_planning_context_t *
coll_mtree_planning_context_get(coll_mtree_proc_group_t *group, ompi_communicator_t *comm,
                                const coll_mtree_host_t *contributions)
{
    coll_mtree_planning_context_t *context = group->context;

    if (context == NULL) {
        context = context_create(comm, contributions);
        pthread_mutex_lock(&contexts_lock);
        group->context = context;
        pthread_mutex_unlock(&contexts_lock);
    }
    return context->hosts.topology != NULL ? context : NULL;
}

void coll_mtree_planning_context_lock(void)
{
    pthread_mutex_lock(&contexts_lock);
}

void coll_mtree_planning_context_unlock(void)
{
    pthread_mutex_unlock(&contexts_lock);
}

coll_mtree_call_class_t
coll_mtree_planning_context_by_host(const coll_mtree_planning_context_t *context,
                                    const coll_mtree_call_class_t *call_class)
{
    coll_mtree_call_class_t by_host = *call_class;

    if (call_class->root >= 0) {
        by_host.root = context->numbers.host[call_class->root];
    }
    by_host.bytes *= coll_mtree_call_class_host_share(
        call_class->collective, context->num_procs, context->hosts.num_hosts);
    return by_host;
}

/* What is stored for calls of @a by_host; without a plan at first. */
static coll_mtree_stored_plan_t *context_stored(coll_mtree_planning_context_t *context,
                                                const coll_mtree_call_class_t *by_host)
{
    coll_mtree_stored_plan_t *stored;

    pthread_mutex_lock(&contexts_lock);
    stored = coll_mtree_class_table_get(&context->plans, by_host, sizeof(*stored));
    pthread_mutex_unlock(&contexts_lock);
    return stored;
}

/*
 * Is a plan for @a collective made for the order of the ranks?  A scan is planned from
 * host to host, each of which it visits once; with ranks that come back to an earlier
 * host it is right, but slower than predicted.
 */
static bool fits_ranks(const coll_mtree_planning_context_t *context,
                       mtree_collective_t collective)
{
    const int *host = context->numbers.host;

    for (int rank = 1;
         rank < context->num_procs && mtree_collective_is_prefix(collective); rank++) {
        if (host[rank] < host[rank - 1]) {
            return false;
        }
    }
    return true;
}

/* Plan for the network as it is. */
static void context_run(coll_mtree_planning_context_t *context, ompi_communicator_t *comm,
                        coll_mtree_stored_plan_t *stored)
{
    const coll_mtree_planning_t what = {comm, &context->hosts, &stored->node.call_class};
    bool trees_stay =
        stored->oldest != NULL && stored->oldest_version >= context->tree_version;
    coll_mtree_donor_trees_t donor = {.plan = stored->oldest, .stay = true};
    mtree_forecast_t forecast;
    mtree_plan_t *plan;

    if (!trees_stay) {
        donor = coll_mtree_stored_plan_donor(&context->plans, stored, context->version);
    }
    plan = coll_mtree_planning_run(&what, &donor, &forecast);
    /* Where the user has chosen nothing is compared. */
    if (forecast.seconds > 0 && !fits_ranks(context, what.call_class->collective)) {
        forecast = mtree_forecast_of(false);
    }

    pthread_mutex_lock(&contexts_lock);
    coll_mtree_stored_plan_put(stored, context->version, plan, forecast, trees_stay,
                               donor.holds);
    pthread_mutex_unlock(&contexts_lock);
}

/* @a stored, as others see it. */
static coll_mtree_planned_t context_see(coll_mtree_planning_context_t *context,
                                        const coll_mtree_stored_plan_t *stored)
{
    return (coll_mtree_planned_t){.context = context,
                                  .plan = mtree_plan_retain(stored->plan),
                                  .version = context->version,
                                  .forecast = stored->forecast};
}

coll_mtree_planned_t
coll_mtree_planning_context_plan(coll_mtree_planning_context_t *context,
                                 ompi_communicator_t *comm,
                                 const coll_mtree_call_class_t *call_class)
{
    coll_mtree_call_class_t by_host =
        coll_mtree_planning_context_by_host(context, call_class);
    coll_mtree_stored_plan_t *stored;

    /* Its plan with relays lies beside it. */
    by_host.relayed = false;
    stored = context_stored(context, &by_host);
    if (!coll_mtree_stored_plan_is_current(stored, context->version)) {
        context_run(context, comm, stored);
    }
    return context_see(context, stored);
}

mtree_plan_t *coll_mtree_planning_context_relayed(
    const coll_mtree_planned_t *planned, ompi_communicator_t *comm,
    const coll_mtree_call_class_t *call_class, mtree_forecast_t *forecast_p)
{
    coll_mtree_planning_context_t *context = planned->context;
    coll_mtree_stored_plan_t *stored;
    coll_mtree_call_class_t by_host;

    if (!call_class->relayed || planned->plan == NULL ||
        mtree_plan_is_by_arrival(planned->plan)) {
        return NULL;
    }
    by_host = coll_mtree_planning_context_by_host(context, call_class);
    stored = context_stored(context, &by_host);
    if (!coll_mtree_stored_plan_is_current(stored, context->version) ||
        (stored->plan != NULL && !coll_mtree_relays_are_up(stored->plan))) {
        mtree_forecast_t forecast = mtree_forecast_of(false);
        mtree_plan_t *plan = coll_mtree_planning_relayed(
            &(coll_mtree_planning_t){comm, &context->hosts, &by_host}, planned->plan,
            context->numbers.host[0], &forecast);

        pthread_mutex_lock(&contexts_lock);
        coll_mtree_stored_plan_put(stored, context->version, plan, forecast, true, false);
        pthread_mutex_unlock(&contexts_lock);
    }
    *forecast_p = stored->forecast;
    return mtree_plan_retain(stored->plan);
}

bool coll_mtree_planning_context_find(const coll_mtree_proc_group_t *group,
                                      const coll_mtree_call_class_t *call_class,
                                      coll_mtree_planned_t *planned_p)
{
    coll_mtree_planning_context_t *context;
    coll_mtree_stored_plan_t *stored = NULL;
    bool found;

    pthread_mutex_lock(&contexts_lock);
    context = group->context;
    if (context != NULL && context->hosts.topology != NULL) {
        coll_mtree_call_class_t by_host =
            coll_mtree_planning_context_by_host(context, call_class);

        stored = coll_mtree_class_table_find(&context->plans, &by_host);
    }
    found = stored != NULL && coll_mtree_stored_plan_is_current(stored, context->version);
    if (found) {
        coll_mtree_stored_plan_use(stored);
        *planned_p = context_see(context, stored);
    }
    pthread_mutex_unlock(&contexts_lock);
    return found;
}

void coll_mtree_planning_context_log(const coll_mtree_planning_context_t *context,
                                     ompi_communicator_t *comm, const mtree_plan_t *plan,
                                     mtree_forecast_t forecast)
{
    char what[240] = "no plan, the fallback serves";
    char trees[COLL_MTREE_TREES_TEXT], share[16] = "";
    int num_hosts, num_links;

    if (plan != NULL) {
        coll_mtree_planning_format_trees(plan, trees);
        if (plan->bound > 0) {
            (void)snprintf(share, sizeof(share), " (%.0f %%)",
                           100 * plan->throughput / plan->bound);
        }
        (void)snprintf(what, sizeof(what), "%s of about %s by %s, %s%s%s",
                       mtree_collective_name(plan->collective),
                       MTREE_UNITS_SIZE(plan->bytes), plan->algorithm, trees, share,
                       forecast.pays ? "" : "; the fallback is expected to be faster");
    }
    /* The planning thread may put another topology in its place. */
    pthread_mutex_lock(&contexts_lock);
    num_hosts = mtree_topology_num_hosts(context->hosts.topology);
    num_links = context->hosts.topology->num_links;
    pthread_mutex_unlock(&contexts_lock);
    coll_mtree_verbose(comm, 1,
                       "topology %s: %d ranks on %d of its %d hosts, %d links; %s",
                       context->origin, context->num_procs, context->hosts.num_hosts,
                       num_hosts, num_links, what);
}

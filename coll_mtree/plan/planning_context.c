/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/planning_context.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/plan/planning.h"
#include "coll_mtree/plan/proc_group.h"
#include "coll_mtree/topology/source.h"

#include "base/memory.h"
#include "base/units.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The planning thread changes contexts under the lock, and reads them without it; it
 * plans without it. */
static pthread_mutex_t contexts_lock = PTHREAD_MUTEX_INITIALIZER;

void coll_mtree_planning_context_destroy(coll_mtree_planning_context_t *context)
{
    if (context == NULL) {
        return;
    }
    coll_mtree_planning_context_free_plans(context);
    /* A link that is gone may be back by the next job. */
    if (context->is_corrected && context->gone_version == 0) {
        coll_mtree_topology_cache_correct(&context->learned, context->hosts.topology);
    }
    mtree_cache_cleanup(&context->learned);
    mtree_drift_destroy(context->drift);
    free(context->samples);
    free(context->vertices);
    free(context);
}

/* Once per job where the user named the map, which the job's hosts should be in. */
static int missing_level(void)
{
    return coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE &&
                   coll_mtree_log_is_first("hosts of coll_mtree_topology")
               ? 0
               : 1;
}

/* The host of rank @a first, and of @a missing ranks in all, is not in the topology. */
static void tell_missing(ompi_communicator_t *comm, const char *name, int first,
                         int missing, const mtree_topology_t *topology)
{
    char others[64] = "";

    if (missing > 1) {
        (void)snprintf(others, sizeof(others), " (nor that of %d more ranks)",
                       missing - 1);
    }
    coll_mtree_verbose(
        comm, missing_level(),
        "not served, host %s of rank %d%s is not in topology %s; add it there, or give "
        "its node (the nearest name is %s) a host= attribute; the fallback serves",
        name, first, others, topology->source,
        mtree_topology_nearest_host(topology, name));
}

/* Find host number @a host in the context's topology; -1: it is not there, or is taken
 * for an earlier host, whose name begins the same. */
static int find_vertex(const coll_mtree_planning_context_t *context,
                       const coll_mtree_hosts_t *hosts, int host)
{
    int vertex =
        mtree_topology_find_host(context->hosts.topology, hosts->list[host].name);

    for (int before = 0; before < host; before++) {
        vertex = context->vertices[before] == vertex ? -1 : vertex;
    }
    return vertex;
}

/* Find the @a hosts of the ranks of @a comm in the context's topology.  False, which is
 * logged: one of them is not there. */
static bool context_find_hosts(coll_mtree_planning_context_t *context,
                               ompi_communicator_t *comm, const coll_mtree_hosts_t *hosts)
{
    const coll_mtree_host_numbers_t *numbers = &hosts->numbers;
    int first = -1, missing = 0;

    for (int host = 0; host < numbers->num_hosts; host++) {
        context->vertices[host] = find_vertex(context, hosts, host);
    }
    for (int rank = 0; rank < numbers->num_ranks; rank++) {
        if (context->vertices[numbers->host[rank]] < 0) {
            first = missing++ == 0 ? rank : first;
        }
    }
    if (missing > 0) {
        tell_missing(comm, hosts->list[numbers->host[first]].name, first, missing,
                     context->hosts.topology);
    }
    return missing == 0;
}

/* Leaves the topology NULL, having logged why, when mtree cannot serve. */
static void context_read(coll_mtree_planning_context_t *context,
                         ompi_communicator_t *comm, const coll_mtree_hosts_t *hosts)
{
    if (!coll_mtree_algorithm_check()) {
        return;
    }
    context->hosts.topology = coll_mtree_source_topology(hosts);
    if (context->hosts.topology != NULL && !context_find_hosts(context, comm, hosts)) {
        context->hosts.topology = NULL;
    }
    context->map = context->hosts.topology;
    if (context->map == NULL) {
        return;
    }
    coll_mtree_verbose(comm, 1, "topology %s: %d ranks on %d of its %d hosts, %d links",
                       context->map->source, context->num_procs, context->hosts.num_hosts,
                       mtree_topology_num_hosts(context->map), context->map->num_links);
    if (coll_mtree_params_topology() != COLL_MTREE_TOPOLOGY_FILE) {
        coll_mtree_topology_cache_init(&context->learned, hosts);
    }
}

static coll_mtree_planning_context_t *context_create(ompi_communicator_t *comm,
                                                     const coll_mtree_hosts_t *hosts)
{
    coll_mtree_planning_context_t *context = mtree_calloc(1, sizeof(*context));

    coll_mtree_class_table_init(&context->plans);
    context->numbers = hosts->numbers;
    context->num_procs = hosts->numbers.num_ranks;
    context->vertices = mtree_calloc((size_t)hosts->numbers.num_hosts, sizeof(int));
    context->hosts.vertices = context->vertices;
    context->hosts.num_hosts = hosts->numbers.num_hosts;
    context_read(context, comm, hosts);
    return context;
}

coll_mtree_planning_context_t *
coll_mtree_planning_context_of(const coll_mtree_proc_group_t *group)
{
    return group->context == NULL || group->context->map == NULL ? NULL : group->context;
}

coll_mtree_planning_context_t *
coll_mtree_planning_context_get(coll_mtree_proc_group_t *group, ompi_communicator_t *comm)
{
    if (group->context == NULL) {
        coll_mtree_planning_context_t *context = context_create(comm, &group->hosts);

        pthread_mutex_lock(&contexts_lock);
        group->context = context;
        pthread_mutex_unlock(&contexts_lock);
    }
    return coll_mtree_planning_context_of(group);
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

/* The network has changed as @a drift says: is it worth other plans, or where that is
 * small other shares of their trees?  Without a link that is gone there must be others.
 * Above 0, @a least_gain stands for sums that change their order. */
static void context_renew(coll_mtree_planning_context_t *context,
                          ompi_communicator_t *comm,
                          const coll_mtree_call_class_t *call_class,
                          const mtree_plan_t *plan, mtree_drift_change_t drift,
                          double least_gain)
{
    const bool is_gone = drift == MTREE_DRIFT_GONE;
    coll_mtree_call_class_t by_host =
        coll_mtree_planning_context_by_host(context, call_class);
    const char *news = mtree_drift_change_summary(context->drift);
    const char *order =
        least_gain > 0 ? "; from here on sums are added in another order" : "";
    const int level = least_gain > 0 ? 0 : 1;
    double gain = INFINITY;
    coll_mtree_change_t change =
        is_gone ? COLL_MTREE_REPLAN
                : coll_mtree_planning_change(
                      &(coll_mtree_planning_t){comm, &context->hosts, &by_host}, plan,
                      drift == MTREE_DRIFT_SMALL, &gain);

    news = news[0] == '\0' ? "the network has changed" : news;
    if (change == COLL_MTREE_STAY || gain < least_gain) {
        coll_mtree_verbose(comm, 2,
                           "%s; the plans stay, others would be %.2f times as fast", news,
                           gain);
        return;
    }
    coll_mtree_planning_context_lock();
    context->version++;
    if (change == COLL_MTREE_REPLAN) {
        context->tree_version = context->version;
    }
    coll_mtree_planning_context_unlock();
    if (is_gone) {
        coll_mtree_verbose(comm, level, "%s; planned anew%s", news, order);
        return;
    }
    coll_mtree_verbose(comm, level, "%s; %s, %.2f times as fast%s", news,
                       change == COLL_MTREE_REPLAN ? "planned anew"
                                                   : "the same trees with other shares",
                       gain, order);
}

/* Keep the samples for the report. */
static void context_keep(coll_mtree_planning_context_t *context,
                         const mtree_path_sample_t *samples, int num_samples)
{
    size_t bytes = (size_t)num_samples * sizeof(*samples);

    context->samples = mtree_realloc(context->samples, bytes);
    memcpy(context->samples, samples, bytes);
    context->num_samples = num_samples;
}

/* Take what was measured.  Links are to be checked only where plans @a may_change, and
 * not without slow calls where a probe has measured them. */
static mtree_drift_change_t context_observe(coll_mtree_planning_context_t *context,
                                            const coll_mtree_path_samples_t *paths,
                                            coll_mtree_link_check_t *check,
                                            bool may_change)
{
    mtree_drift_change_t change = MTREE_DRIFT_NOTHING;
    double unchecked = context->learned.num_hosts > 0 ? 0 : paths->seconds;

    if (check->count > 0) {
        change = mtree_link_check_update(context->drift, check->streams, check->count,
                                         paths->samples, paths->count);
        free(check->streams);
        *check = (coll_mtree_link_check_t){.count = 0};
        return change;
    }
    if (may_change &&
        mtree_link_check_is_due(context->drift, paths->slowness, unchecked)) {
        check->count = mtree_link_check_streams(context->drift, &check->streams);
    }
    return check->count > 0
               ? MTREE_DRIFT_NOTHING
               : mtree_drift_update(context->drift, paths->samples, paths->count);
}

void coll_mtree_planning_context_update(coll_mtree_planning_context_t *context,
                                        ompi_communicator_t *comm,
                                        const coll_mtree_call_class_t *call_class,
                                        const mtree_plan_t *plan,
                                        const coll_mtree_path_samples_t *paths,
                                        coll_mtree_link_check_t *check, double least_gain,
                                        unsigned version)
{
    /* A plan of the user's does not change. */
    const char *plan_file = coll_mtree_params.plan;
    mtree_drift_change_t change = MTREE_DRIFT_NOTHING;

    coll_mtree_planning_context_lock();
    context_keep(context, paths->samples, paths->count);
    if (context->drift == NULL &&
        mtree_drift_create(context->hosts.topology, context->vertices,
                           context->hosts.num_hosts, &context->drift) == MTREE_OK) {
        context->hosts.topology = mtree_drift_topology(context->drift);
    }
    if (context->drift != NULL && (plan_file == NULL || plan_file[0] == '\0')) {
        change = context_observe(context, paths, check, !isinf(least_gain));
    }
    coll_mtree_planning_context_unlock();
    context->is_corrected = context->is_corrected || change != MTREE_DRIFT_NOTHING;
    if (change == MTREE_DRIFT_GONE) {
        context->gone_version = context->version + 1;
    }
    change = coll_mtree_plan_choice_drift(
        change, (coll_mtree_versions_t){version, context->version, context->gone_version},
        least_gain <= 0);
    if (!isinf(least_gain) && change != MTREE_DRIFT_NOTHING && context->drift != NULL) {
        context_renew(context, comm, call_class, plan, change, least_gain);
    }
}

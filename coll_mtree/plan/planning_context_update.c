/* SPDX-License-Identifier: BSD-3-Clause */
/* What measurements change in a planning context (coll_mtree/plan/planning_context.h). */
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/plan/planning.h"
#include "coll_mtree/plan/planning_context.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

    context->samples = coll_mtree_realloc(context->samples, bytes);
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
    double unchecked = context->learned.key.num_hosts > 0 ? 0 : paths->seconds;

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

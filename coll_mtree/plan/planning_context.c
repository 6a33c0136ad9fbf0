/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/planning_context.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host_numbers.h"
#include "coll_mtree/plan/planning.h"
#include "coll_mtree/plan/proc_group.h"
#include "coll_mtree/topology/registry.h"
#include "coll_mtree/topology/source.h"
#include "coll_mtree/topology/user_files.h"

#include "base/units.h"

#include <stdlib.h>
#include <string.h>

/* A plan for one kind of call; NULL where none could be made. */
typedef struct planned {
    coll_mtree_call_class_t call_class; /* root: a host */
    unsigned version; /* of the network; older ones are not used any more */
    char *text;
    mtree_forecast_t forecast;
    struct planned *next;
} planned_t;

struct coll_mtree_planning_context {
    int num_procs;
    coll_mtree_host_numbers_t hosts;  /* by their names in the topology */
    const mtree_topology_t *topology; /* NULL: mtree cannot serve these processes */
    const char *origin;               /* the topology's name in messages */
    int *vertices;                    /* [hosts.num_hosts] of the topology */
    planned_t *planned;
    mtree_drift_t *drift;         /* has the topology, once it was heard of; or NULL */
    unsigned version;             /* of the topology */
    unsigned trees;               /* the version since which the trees are the same */
    mtree_path_sample_t *samples; /* [num_paces] of the last hearing; or NULL */
    int num_samples;
    coll_mtree_planning_context_t *next;
};

/* One thread at a time learns and plans; the solver is not made for more. */
static coll_mtree_planning_context_t *contexts;
static opal_mutex_t contexts_lock = OPAL_MUTEX_STATIC_INIT;

static void context_destroy(coll_mtree_planning_context_t *context)
{
    while (context->planned != NULL) {
        planned_t *planned = context->planned;

        context->planned = planned->next;
        free(planned->text);
        free(planned);
    }
    mtree_drift_destroy(context->drift);
    free(context->samples);
    free(context->vertices);
    coll_mtree_host_numbers_cleanup(&context->hosts);
    free(context);
}

void coll_mtree_planning_context_close(void)
{
    while (contexts != NULL) {
        coll_mtree_planning_context_t *context = contexts;

        contexts = context->next;
        context_destroy(context);
    }
    coll_mtree_user_files_close();
    coll_mtree_topology_registry_close();
}

/* Find the hosts of the ranks in the topology, @a names [num_procs] being their names
 * there.  False, which is logged: one of them is not in it. */
static bool context_find_hosts(const coll_mtree_planning_context_t *context,
                               ompi_communicator_t *comm,
                               const coll_mtree_host_t *contribution, const char **names)
{
    for (int rank = 0; rank < context->num_procs; rank++) {
        const char *name = contribution[rank].name;
        int vertex = mtree_topology_find_host(context->topology, name);

        if (vertex < 0) {
            coll_mtree_verbose(
                comm, 1,
                "not served, host %s of rank %d is not in topology %s; add it "
                "there, or give its node a host= attribute; the fallback "
                "serves",
                name, rank, context->origin);
            return false;
        }
        names[rank] = context->topology->vertices[vertex].name;
    }
    return true;
}

/* Number the hosts.  False when mtree cannot serve, which is logged but where there is no
 * memory. */
static bool context_number_hosts(coll_mtree_planning_context_t *context,
                                 ompi_communicator_t *comm,
                                 const coll_mtree_host_t *contribution)
{
    const char **names = calloc((size_t)context->num_procs, sizeof(*names));
    bool done = names != NULL && context_find_hosts(context, comm, contribution, names) &&
                coll_mtree_host_numbers_create(names, context->num_procs,
                                               &context->hosts) == MTREE_OK;

    for (int host = 0; done && host < context->hosts.num_hosts; host++) {
        context->vertices[host] = mtree_topology_find_host(
            context->topology, contribution[context->hosts.first[host]].name);
    }
    free(names);
    if (done && context->hosts.num_hosts < 2) {
        coll_mtree_verbose(
            comm, 1, "not served, all its ranks run on host %s; the fallback serves",
            contribution[0].name);
        return false;
    }
    return done;
}

/* Leaves the topology NULL, having said why, when mtree cannot serve. */
static void context_read(coll_mtree_planning_context_t *context,
                         ompi_communicator_t *comm, const coll_mtree_host_t *contribution)
{
    if (!coll_mtree_algorithm_check()) {
        return;
    }
    context->topology =
        coll_mtree_source_topology(contribution, context->num_procs, &context->origin);
    if (context->topology == NULL || !context_number_hosts(context, comm, contribution)) {
        context->topology = NULL;
        return;
    }
}

static coll_mtree_planning_context_t *
context_create(ompi_communicator_t *comm, const coll_mtree_host_t *contribution)
{
    size_t procs = (size_t)ompi_comm_size(comm);
    coll_mtree_planning_context_t *context = calloc(1, sizeof(*context));

    if (context == NULL) {
        return NULL;
    }
    context->num_procs = (int)procs;
    context->vertices = calloc(procs, sizeof(int));
    if (context->vertices == NULL) {
        context_destroy(context);
        return NULL;
    }
    context_read(context, comm, contribution);
    context->next = contexts;
    contexts = context;
    return context;
}

coll_mtree_planning_context_t *
coll_mtree_planning_context_learn(ompi_communicator_t *comm,
                                  const coll_mtree_host_t *contribution)
{
    coll_mtree_proc_group_t *group = coll_mtree_proc_group_get(comm);
    coll_mtree_planning_context_t *context;

    if (group == NULL) {
        return NULL;
    }
    opal_mutex_lock(&contexts_lock);
    if (group->context == NULL) {
        group->context = context_create(comm, contribution);
    }
    context = group->context;
    opal_mutex_unlock(&contexts_lock);
    return context != NULL && context->topology != NULL ? context : NULL;
}

const mtree_topology_t *
coll_mtree_planning_context_topology(const coll_mtree_planning_context_t *context,
                                     const int **vertices_p, const char **origin_p)
{
    *vertices_p = context->vertices;
    *origin_p = context->origin;
    return context->topology;
}

int coll_mtree_planning_context_num_hosts(const coll_mtree_planning_context_t *context)
{
    return context->hosts.num_hosts;
}

const int *coll_mtree_planning_context_hosts(const coll_mtree_planning_context_t *context)
{
    return context->hosts.host;
}

static planned_t *context_find_planned(const coll_mtree_planning_context_t *context,
                                       const coll_mtree_call_class_t *call_class)
{
    planned_t *planned = context->planned;

    while (planned != NULL &&
           (planned->version != context->version ||
            !coll_mtree_call_class_equals(&planned->call_class, call_class))) {
        planned = planned->next;
    }
    return planned;
}

/* The text of the plan for calls of @a call_class whose trees are to stay; NULL: there is
 * none. It is the oldest one, for later ones may have lost trees that are of use again.
 */
static const char *context_older_text(const coll_mtree_planning_context_t *context,
                                      const coll_mtree_call_class_t *call_class)
{
    const char *text = NULL;

    for (const planned_t *planned = context->planned;
         planned != NULL && planned->version >= context->trees; planned = planned->next) {
        if (planned->text != NULL &&
            coll_mtree_call_class_equals(&planned->call_class, call_class)) {
            text = planned->text;
        }
    }
    return text;
}

/* @a call_class with a host as its root. */
static coll_mtree_call_class_t
call_class_by_host(const coll_mtree_planning_context_t *context,
                   const coll_mtree_call_class_t *call_class)
{
    coll_mtree_call_class_t by_host = *call_class;

    if (call_class->root >= 0) {
        by_host.root = context->hosts.host[call_class->root];
    }
    return by_host;
}

const char *coll_mtree_planning_context_plan(coll_mtree_planning_context_t *context,
                                             ompi_communicator_t *comm,
                                             const coll_mtree_call_class_t *call_class,
                                             int max_trees, mtree_forecast_t *forecast_p)
{
    coll_mtree_call_class_t by_host = call_class_by_host(context, call_class);
    planned_t *planned;

    opal_mutex_lock(&contexts_lock);
    planned = context_find_planned(context, &by_host);
    if (planned == NULL) {
        planned = calloc(1, sizeof(*planned));
        if (planned != NULL) {
            planned->call_class = by_host;
            planned->version = context->version;
            planned->text = coll_mtree_planning_run(
                comm, context->topology, context->vertices, context->hosts.num_hosts,
                &by_host, max_trees, context_older_text(context, &by_host),
                &planned->forecast);
            planned->next = context->planned;
            context->planned = planned;
        }
    }
    opal_mutex_unlock(&contexts_lock);
    *forecast_p =
        planned == NULL ? mtree_forecast_of(MTREE_FORECAST_SLOWER) : planned->forecast;
    return planned == NULL ? NULL : planned->text;
}

void coll_mtree_planning_context_log(const coll_mtree_planning_context_t *context,
                                     ompi_communicator_t *comm, const mtree_plan_t *plan,
                                     mtree_forecast_t forecast)
{
    char rate[COLL_MTREE_RATE_TEXT], share[16] = "";
    char what[200] = "no plan, the fallback serves";

    if (plan != NULL) {
        coll_mtree_planning_format_rate(plan, rate);
        if (plan->bound > 0) {
            (void)snprintf(share, sizeof(share), " (%.0f %%)",
                           100 * plan->throughput / plan->bound);
        }
        (void)snprintf(what, sizeof(what), "%s by %s, %d trees, %s%s%s",
                       mtree_collective_name(plan->collective), plan->algorithm,
                       plan->num_trees, rate, share,
                       forecast.confidence >= MTREE_FORECAST_MAYBE_SLOWER
                           ? "; the fallback is expected to be faster"
                           : "");
    }
    coll_mtree_verbose(
        comm, 1, "topology %s: %d ranks on %d of its %d hosts, %d links; %s",
        context->origin, context->num_procs, context->hosts.num_hosts,
        mtree_topology_num_hosts(context->topology), context->topology->num_links, what);
}

unsigned coll_mtree_planning_context_version(const coll_mtree_planning_context_t *context)
{
    return context->version;
}

coll_mtree_change_t
coll_mtree_planning_context_change(const coll_mtree_planning_context_t *context,
                                   unsigned version)
{
    return version == context->version ? COLL_MTREE_STAY
           : version >= context->trees ? COLL_MTREE_REBALANCE
                                       : COLL_MTREE_REPLAN;
}

/* The network has changed, by @a little or much: is it worth other plans, or other shares
 * of their trees? */
static void context_renew(coll_mtree_planning_context_t *context,
                          ompi_communicator_t *comm,
                          const coll_mtree_call_class_t *call_class, int max_trees,
                          const mtree_plan_t *plan, bool little)
{
    coll_mtree_call_class_t by_host = call_class_by_host(context, call_class);
    const char *news = mtree_drift_news(context->drift);
    double gain;
    coll_mtree_change_t change = coll_mtree_planning_change(
        context->topology, context->vertices, context->hosts.num_hosts, &by_host,
        max_trees, plan, little, &gain);

    if (change == COLL_MTREE_STAY) {
        coll_mtree_verbose(comm, 2,
                           "%s; the plans stay, others would be %.2f times as fast", news,
                           gain);
        return;
    }
    context->version++;
    if (change == COLL_MTREE_REPLAN) {
        context->trees = context->version;
    }
    coll_mtree_verbose(comm, 1, "%s; %s, %.2f times as fast", news,
                       change == COLL_MTREE_REPLAN ? "planned anew"
                                                   : "the same trees with other shares",
                       gain);
}

/* Keep what was heard, for who wants to look at it. */
static void context_keep(coll_mtree_planning_context_t *context,
                         const mtree_path_sample_t *samples, int num_samples)
{
    mtree_path_sample_t *kept =
        realloc(context->samples, (size_t)num_samples * sizeof(*context->samples));

    if (kept != NULL) {
        memcpy(kept, samples, (size_t)num_samples * sizeof(*kept));
        context->samples = kept;
        context->num_samples = num_samples;
    }
}

mtree_path_sample_t *
coll_mtree_planning_context_path_samples(const coll_mtree_planning_context_t *context,
                                         int *num_p)
{
    mtree_path_sample_t *copy = NULL;

    *num_p = 0;
    opal_mutex_lock(&contexts_lock);
    if (context->num_samples > 0) {
        copy = malloc((size_t)context->num_samples * sizeof(*copy));
    }
    if (copy != NULL) {
        *num_p = context->num_samples;
        memcpy(copy, context->samples, (size_t)*num_p * sizeof(*copy));
    }
    opal_mutex_unlock(&contexts_lock);
    return copy;
}

unsigned coll_mtree_planning_context_update(coll_mtree_planning_context_t *context,
                                            ompi_communicator_t *comm,
                                            const coll_mtree_call_class_t *call_class,
                                            int max_trees, const mtree_plan_t *plan,
                                            const mtree_path_sample_t *samples,
                                            int num_samples)
{
    /* A plan of the user's is not to be changed. */
    const char *saved = coll_mtree_params.plan;
    mtree_drift_change_t change = MTREE_DRIFT_NOTHING;

    opal_mutex_lock(&contexts_lock);
    context_keep(context, samples, num_samples);
    if (context->drift == NULL &&
        mtree_drift_create(context->topology, context->vertices, context->hosts.num_hosts,
                           &context->drift) == MTREE_OK) {
        context->topology = mtree_drift_topology(context->drift);
    }
    if (context->drift != NULL && (saved == NULL || saved[0] == '\0')) {
        change = mtree_drift_update(context->drift, samples, num_samples);
    }
    if (change != MTREE_DRIFT_NOTHING) {
        context_renew(context, comm, call_class, max_trees, plan,
                      change == MTREE_DRIFT_LITTLE);
    }
    opal_mutex_unlock(&contexts_lock);
    return context->version;
}

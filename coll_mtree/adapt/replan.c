/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/replan.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/tcp/endpoints.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void coll_mtree_replan_query_destroy(coll_mtree_replan_query_t *query)
{
    if (query != NULL) {
        free(query->traffic);
        free(query->check.streams);
        free(query);
    }
}

/* The state of the links to each host, [hosts], the caller's. */
static mtree_link_state_t *links_to_hosts(const mca_coll_mtree_module_t *module,
                                          ompi_communicator_t *comm)
{
    const mtree_placement_t *placement = module->placement;
    mtree_link_state_t *links =
        mtree_calloc((size_t)placement->num_hosts, sizeof(*links));
    int ranks = coll_mtree_endpoints_serve(comm) ? ompi_comm_size(comm) : 0;

    for (int rank = 0; rank < ranks; rank++) {
        mtree_link_state_t link = coll_mtree_endpoint_link(comm, rank);
        mtree_link_state_t *to_host = &links[placement->host[rank]];

        *to_host = link > *to_host ? link : *to_host;
    }
    return links;
}

void coll_mtree_replan_query_sample(const coll_mtree_replan_query_t *query,
                                    coll_mtree_rank_sample_t *sample_p)
{
    const coll_mtree_traffic_t *traffic = query->traffic;

    memset(sample_p, 0, sizeof(*sample_p));
    if (traffic != NULL) {
        mtree_link_state_t *links = links_to_hosts(query->module, query->comm);

        sample_p->seconds = (float)traffic->sum.seconds;
        sample_p->unattended = (float)traffic->sum.unattended;
        coll_mtree_traffic_pack(query->module->placement, ompi_comm_rank(query->comm),
                                traffic, links, sample_p->paths);
        free(links);
    }
}

/* The gain from which on plans change for @a query. */
static double least_gain(const coll_mtree_replan_query_t *query)
{
    mca_coll_mtree_module_t *module = query->module;
    bool all = atomic_load(&module->all_reordered);

    return query->is_blocking
               ? coll_mtree_replan_least_gain(atomic_load(&module->keeps_order),
                                              all || atomic_load(&module->some_reordered))
               : coll_mtree_replan_least_gain(query->keeps_order,
                                              query->has_changed || all);
}

/* Nothing without a planning context: a communicator may have taken over its plans, and
 * still ask for the hosts.  Deterministic blocking calls keep theirs, since others would
 * add sums in another order. */
static coll_mtree_samples_use_t samples_use(const coll_mtree_replan_query_t *query,
                                            const mtree_plan_t *plan,
                                            const coll_mtree_rank_sample_t *samples)
{
    if (query->module->context == NULL ||
        (query->is_blocking && coll_mtree_params.deterministic)) {
        return COLL_MTREE_SAMPLES_NOTHING;
    }
    return query->is_blocking ? COLL_MTREE_SAMPLES_USABLE
                              : coll_mtree_replan_samples_use(
                                    plan, samples, ompi_comm_size(query->comm));
}

/* Update the planning context by the @a samples of calls over @a plan, of @a version. */
static void update(coll_mtree_replan_query_t *query, const mtree_plan_t *plan,
                   unsigned version, const coll_mtree_rank_sample_t *samples, double gain)
{
    size_t ranks = (size_t)ompi_comm_size(query->comm);
    mtree_path_sample_t *paths = mtree_malloc(ranks * sizeof(samples->paths));
    double seconds = query->promised > 0 ? query->traffic->sum.seconds : 0;
    coll_mtree_path_samples_t all = {
        .samples = paths,
        .count = (int)ranks * COLL_MTREE_MOST_PATHS,
        .slowness = query->promised > 0 ? seconds / query->promised : 0,
        .seconds = seconds};

    for (size_t rank = 0; rank < ranks; rank++) {
        memcpy(paths + rank * COLL_MTREE_MOST_PATHS, samples[rank].paths,
               sizeof(samples->paths));
    }
    coll_mtree_planning_context_update(query->module->context, query->comm,
                                       &query->call_class, plan, &all, &query->check,
                                       gain, version);
    free(paths);
}

coll_mtree_replan_reply_t
coll_mtree_replan_decide(coll_mtree_replan_query_t *query, const mtree_plan_t *plan,
                         unsigned version, const coll_mtree_rank_sample_t *samples)
{
    coll_mtree_samples_use_t use = samples_use(query, plan, samples);
    double gain = least_gain(query);
    unsigned before;

    if (use == COLL_MTREE_SAMPLES_TOO_SHORT) {
        return COLL_MTREE_REPLY_MORE;
    }
    if (use == COLL_MTREE_SAMPLES_NOTHING) {
        return COLL_MTREE_REPLY_STAY;
    }
    /* What other communicators gained is no reason to change the order of sums. */
    before = gain > 0 ? query->module->context->version : version;
    if (use == COLL_MTREE_SAMPLES_USABLE) {
        update(query, plan, version, samples, gain);
    }
    if (query->check.count > 0) {
        return COLL_MTREE_REPLY_CHECK;
    }
    return query->module->context->version == before ? COLL_MTREE_REPLY_STAY
                                                     : COLL_MTREE_REPLY_PLAN;
}

void coll_mtree_replan_query_changes(coll_mtree_replan_query_t *query)
{
    mca_coll_mtree_module_t *module = query->module;

    if (query->is_blocking) {
        atomic_store(&module->version, module->context->version);
        if (atomic_load(&module->keeps_order)) {
            atomic_store(&module->all_reordered, true);
        }
    } else if (query->keeps_order) {
        query->has_changed = true;
        atomic_store(&module->some_reordered, true);
    }
}

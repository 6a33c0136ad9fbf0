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
                                    mtree_path_sample_t samples[COLL_MTREE_MOST_PATHS])
{
    mtree_link_state_t *links = links_to_hosts(query->module, query->comm);

    coll_mtree_traffic_pack(query->module->placement, ompi_comm_rank(query->comm),
                            query->traffic, links, samples);
    free(links);
}

/* Update the planning context by the @a samples of calls over @a plan, of @a version. */
static void update(coll_mtree_replan_query_t *query, const mtree_plan_t *plan,
                   unsigned version, const mtree_path_sample_t *samples, double gain)
{
    double seconds = query->promised > 0 ? query->traffic->seconds : 0;
    coll_mtree_path_samples_t all = {
        .samples = samples,
        .count = ompi_comm_size(query->comm) * COLL_MTREE_MOST_PATHS,
        .slowness = query->promised > 0 ? seconds / query->promised : 0,
        .seconds = seconds};

    coll_mtree_planning_context_update(query->module->context, query->comm,
                                       &query->call_class, plan, &all, &query->check,
                                       gain, version);
}

coll_mtree_replan_reply_t coll_mtree_replan_decide(coll_mtree_replan_query_t *query,
                                                   const mtree_plan_t *plan,
                                                   const mtree_path_sample_t *samples)
{
    mca_coll_mtree_module_t *module = query->module;
    double gain = coll_mtree_replan_least_gain(atomic_load(&module->keeps_order),
                                               atomic_load(&module->is_reordered));
    unsigned version = atomic_load(&module->version), before;

    /* A communicator may have taken over its plans, and still ask for the hosts.
     * Deterministic calls keep theirs: others would add sums in another order. */
    if (module->context == NULL || coll_mtree_params.deterministic) {
        return COLL_MTREE_REPLY_STAY;
    }
    /* What other communicators gained is no reason to change the order of sums. */
    before = gain > 0 ? module->context->version : version;
    update(query, plan, version, samples, gain);
    if (query->check.count > 0) {
        return COLL_MTREE_REPLY_CHECK;
    }
    return module->context->version == before ? COLL_MTREE_REPLY_STAY
                                              : COLL_MTREE_REPLY_PLAN;
}

void coll_mtree_replan_changes(mca_coll_mtree_module_t *module)
{
    atomic_store(&module->version, module->context->version);
    if (atomic_load(&module->keeps_order)) {
        atomic_store(&module->is_reordered, true);
    }
}

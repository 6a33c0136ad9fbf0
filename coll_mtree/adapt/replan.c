/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/replan.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/plan/plan_reply.h"
#include "coll_mtree/tcp/endpoints.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>
#include <string.h>

/* Queries of this process that have not ended. */
static atomic_int num_running;

void coll_mtree_replan_finish(void)
{
    while (atomic_load(&num_running) > 0) {
        opal_progress();
    }
}

static void comm_retain(coll_mtree_replan_t *replan)
{
    OBJ_RETAIN(replan->comm);
}

static void comm_release(coll_mtree_replan_t *replan)
{
    /* The macro writes to its argument, and with the last reference goes the sequence. */
    ompi_communicator_t *comm = replan->comm;

    OBJ_RELEASE(comm);
}

void coll_mtree_replan_init(coll_mtree_replan_t *replan,
                            coll_mtree_replan_decide_t decide,
                            mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                            double query_seconds)
{
    memset(replan, 0, sizeof(*replan));
    replan->decide = decide;
    replan->module = module;
    replan->comm = comm;
    replan->retain = comm_retain;
    replan->release = comm_release;
    coll_mtree_replan_schedule_init(&replan->schedule, ompi_comm_size(comm),
                                    query_seconds);
    mtree_list_init(&replan->awaited);
    atomic_init(&replan->is_ending, false);
    coll_mtree_ordered_gate_init(&replan->ends);
    coll_mtree_ordered_gate_init(&replan->gate);
}

void coll_mtree_replan_cleanup(coll_mtree_replan_t *replan)
{
    mtree_list_t *link;

    while ((link = mtree_list_take(&replan->awaited)) != NULL) {
        coll_mtree_replan_query_release(
            MTREE_CONTAINER_OF(link, coll_mtree_replan_query_t, link));
    }
    coll_mtree_ordered_gate_cleanup(&replan->ends);
    coll_mtree_ordered_gate_cleanup(&replan->gate);
}

void coll_mtree_replan_open(coll_mtree_replan_t *replan, const mtree_plan_part_t *part,
                            unsigned version)
{
    replan->newest = part;
    replan->version = version;
    coll_mtree_ordered_gate_open(&replan->ends);
    coll_mtree_ordered_gate_open(&replan->gate);
}

void coll_mtree_replan_query_release(coll_mtree_replan_query_t *query)
{
    if (atomic_fetch_sub(&query->holders, 1) == 1) {
        mtree_plan_destroy(query->new_plan);
        mtree_plan_part_destroy(query->new_part);
        mtree_plan_part_destroy(query->part);
        free(query->traffic);
        free(query->check.streams);
        free(query);
    }
}

/* Queries end in their order, so one waits for the end of the one before. */
static bool end_is_ready(coll_mtree_waiter_t *end)
{
    return !atomic_load(
        &MTREE_CONTAINER_OF(end, coll_mtree_replan_query_t, end)->replan->is_ending);
}

static void end_pass(coll_mtree_waiter_t *end)
{
    coll_mtree_replan_query_t *query =
        MTREE_CONTAINER_OF(end, coll_mtree_replan_query_t, end);

    atomic_store(&query->replan->is_ending, true);
    coll_mtree_exchange_open(query->exchange);
}

static void query_end_deferred(coll_mtree_deferred_release_t *deferred)
{
    coll_mtree_replan_query_t *query =
        MTREE_CONTAINER_OF(deferred, coll_mtree_replan_query_t, deferred);
    coll_mtree_replan_t *replan = query->replan;

    coll_mtree_replan_query_release(query);
    /* With the owner goes the sequence. */
    replan->release(replan);
}

coll_mtree_replan_query_t *coll_mtree_replan_query_create(coll_mtree_replan_t *replan)
{
    coll_mtree_replan_query_t *query = coll_mtree_calloc(1, sizeof(*query));

    query->replan = replan;
    query->call = replan->schedule.calls;
    query->end.is_ready = end_is_ready;
    query->end.pass = end_pass;
    query->deferred.release = query_end_deferred;
    atomic_init(&query->holders, 2);
    atomic_init(&query->ended, false);
    return query;
}

static coll_mtree_replan_query_t *query_of(coll_mtree_decision_t *decision)
{
    return MTREE_CONTAINER_OF(decision, coll_mtree_replan_query_t, decision);
}

/* What rank 0 makes of the samples. */
static void decision_decide(coll_mtree_decision_t *decision)
{
    coll_mtree_replan_query_t *query = query_of(decision);

    query->decided = query->replan->decide(query);
}

/* With the new plan, if there is one. */
static void decision_reply(coll_mtree_decision_t *decision,
                           coll_mtree_exchange_t *exchange)
{
    coll_mtree_replan_query_t *query = query_of(decision);
    const mtree_forecast_t forecast = mtree_forecast_of(true);

    if (query->decided == COLL_MTREE_REPLY_PLAN) {
        coll_mtree_plan_reply_send(
            exchange, COLL_MTREE_REPLY_PLAN, query->new_plan, &forecast,
            query->replan->module->context->numbers.host,
            ompi_comm_size(query->replan->comm), &(coll_mtree_appendix_t){NULL, 0});
    } else {
        coll_mtree_exchange_reply(exchange, (int)query->decided, NULL, 0);
    }
}

static void decision_release(coll_mtree_decision_t *decision)
{
    coll_mtree_replan_t *replan = query_of(decision)->replan;

    coll_mtree_replan_query_release(query_of(decision));
    replan->release(replan);
}

static void query_decide(coll_mtree_exchange_t *exchange, const void *samples, void *arg)
{
    coll_mtree_replan_query_t *query = arg;

    query->decision = (coll_mtree_decision_t){.comm = query->replan->comm,
                                              .decide = decision_decide,
                                              .reply = decision_reply,
                                              .release = decision_release};
    query->samples = samples;
    query->decided = COLL_MTREE_REPLY_STAY;
    atomic_fetch_add(&query->holders, 1);
    query->replan->retain(query->replan);
    coll_mtree_decision_start(&query->decision, exchange);
}

/* Take over @a reply.  Open MPI's code. */
static int query_read(coll_mtree_replan_query_t *query, const coll_mtree_reply_t *reply)
{
    query->reply = reply->code == OMPI_SUCCESS ? (coll_mtree_replan_reply_t)reply->kind
                                               : COLL_MTREE_REPLY_STAY;
    if (query->reply == COLL_MTREE_REPLY_MORE && query->traffic != NULL) {
        coll_mtree_bandwidth_monitor_put_back(query->replan->module, query->traffic);
    }
    if (query->reply == COLL_MTREE_REPLY_PLAN) {
        query->new_part = coll_mtree_plan_reply_read(reply, query->new_plan, NULL, NULL);
    }
    return reply->code;
}

static void query_ended(const coll_mtree_reply_t *reply, void *arg)
{
    coll_mtree_replan_query_t *query = arg;
    coll_mtree_replan_t *replan = query->replan;

    query->status = query_read(query, reply);
    if (query->new_part != NULL) {
        replan->newest = query->new_part;
    }
    atomic_store(&query->ended, true);
    atomic_store(&replan->is_ending, false);
    coll_mtree_ordered_gate_pass(&replan->ends, NULL);
    coll_mtree_ordered_gate_pass(&replan->gate, NULL);
    atomic_fetch_sub(&num_running, 1);
    /* From here on another thread may free the sequence. */
    coll_mtree_deferred_release_add(&query->deferred);
}

/* The state of the links to each host, [hosts], the caller's. */
static mtree_link_state_t *links_to_hosts(const coll_mtree_replan_t *replan)
{
    const mtree_placement_t *placement = replan->module->placement;
    mtree_link_state_t *links =
        coll_mtree_calloc((size_t)placement->num_hosts, sizeof(*links));
    int ranks =
        coll_mtree_endpoints_serve(replan->comm) ? ompi_comm_size(replan->comm) : 0;

    for (int rank = 0; rank < ranks; rank++) {
        mtree_link_state_t link = coll_mtree_endpoint_link(replan->comm, rank);
        mtree_link_state_t *to_host = &links[placement->host[rank]];

        *to_host = link > *to_host ? link : *to_host;
    }
    return links;
}

static void fill_sample(const coll_mtree_replan_query_t *query,
                        coll_mtree_rank_sample_t *sample_p)
{
    const coll_mtree_replan_t *replan = query->replan;
    const coll_mtree_traffic_t *traffic = query->traffic;

    memset(sample_p, 0, sizeof(*sample_p));
    if (traffic != NULL) {
        mtree_link_state_t *links = links_to_hosts(replan);

        sample_p->seconds = (float)traffic->sum.seconds;
        sample_p->unattended = (float)traffic->sum.unattended;
        coll_mtree_traffic_pack(replan->module->placement, ompi_comm_rank(replan->comm),
                                traffic, links, sample_p->paths);
        free(links);
    }
}

void coll_mtree_replan_query_begin(coll_mtree_replan_query_t *query, int first_tag)
{
    coll_mtree_replan_t *replan = query->replan;
    coll_mtree_rank_sample_t sample;

    fill_sample(query, &sample);
    replan->retain(replan);
    atomic_fetch_add(&num_running, 1);
    mtree_list_append(&replan->awaited, &query->link);
    query->exchange =
        coll_mtree_exchange_start(&(coll_mtree_exchange_spec_t){.module = replan->module,
                                                                .comm = replan->comm,
                                                                .first_tag = first_tag,
                                                                .mine = &sample,
                                                                .bytes = sizeof(sample),
                                                                .decide = query_decide,
                                                                .end = query_ended,
                                                                .arg = query});
    coll_mtree_ordered_gate_pass(&replan->ends, &query->end);
}

coll_mtree_replan_query_t *coll_mtree_replan_take_due(coll_mtree_replan_t *replan,
                                                      long call)
{
    coll_mtree_replan_query_t *query =
        MTREE_CONTAINER_OF(replan->awaited.next, coll_mtree_replan_query_t, link);

    if (mtree_list_is_empty(&replan->awaited) ||
        !coll_mtree_replan_reply_is_due(query->call, call)) {
        return NULL;
    }
    mtree_list_remove(&query->link);
    return query;
}

/* Seconds of the calls; 0: it is not known how many are predicted for them. */
static double query_seconds(const coll_mtree_replan_query_t *query)
{
    return query->traffic == NULL || query->promised <= 0 ? 0
                                                          : query->traffic->sum.seconds;
}

/* The same per predicted second; 0: not known. */
static double query_slowness(const coll_mtree_replan_query_t *query)
{
    return query->promised <= 0 ? 0 : query_seconds(query) / query->promised;
}

bool coll_mtree_replan_update(coll_mtree_replan_query_t *query, bool usable,
                              double least_gain)
{
    const coll_mtree_rank_sample_t *samples = query->samples;
    coll_mtree_replan_t *replan = query->replan;
    coll_mtree_planning_context_t *context = replan->module->context;
    size_t ranks = (size_t)ompi_comm_size(replan->comm);
    mtree_path_sample_t *paths =
        usable ? coll_mtree_malloc(ranks * sizeof(samples->paths)) : NULL;
    unsigned began = context->version;
    bool changes;

    if (paths != NULL) {
        for (size_t rank = 0; rank < ranks; rank++) {
            memcpy(paths + rank * COLL_MTREE_MOST_PATHS, samples[rank].paths,
                   sizeof(samples->paths));
        }
        coll_mtree_planning_context_update(
            context, replan->comm, &query->call_class, query->part->plan,
            &(coll_mtree_path_samples_t){paths, (int)ranks * COLL_MTREE_MOST_PATHS,
                                         query_slowness(query), query_seconds(query)},
            &query->check, least_gain, replan->version);
    }
    free(paths);
    /* What other communicators gained is no reason to change the order of sums. */
    changes = context->version != (least_gain > 0 ? began : replan->version);
    if (changes) {
        replan->version = context->version;
    }
    return changes;
}

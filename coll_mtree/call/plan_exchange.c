/* SPDX-License-Identifier: BSD-3-Clause */
/* How a plan entry gets its plan from rank 0 (coll_mtree/call/plan_entry.h). */
#include "coll_mtree/call/plan_entry.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/base/fallback.h"
#include "coll_mtree/base/free_hook.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/report/statistics.h"
#include "coll_mtree/tcp/endpoints.h"
#include "coll_mtree/transport/progress.h"

#include "base/memory.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>
#include <string.h>

/* Queries of this process that have not ended. */
static atomic_int num_queries;

/* Where a plan with relays is faster, all ranks get both, and what is expected of calls
 * is that of the one with relays. */
static void tell_relays(coll_mtree_plan_entry_t *entry)
{
    coll_mtree_planned_t *planned = &entry->planned;

    if (planned->relay_plan == NULL) {
        return;
    }
    if (coll_mtree_relay_plan_write(planned->relay_plan, entry->comm,
                                    planned->context->numbers.host, &entry->trailer.bytes,
                                    &entry->trailer.length)) {
        planned->forecast = planned->relay_forecast;
        return;
    }
    mtree_plan_destroy(planned->relay_plan);
    planned->relay_plan = NULL;
}

static coll_mtree_planned_t make_plan(const coll_mtree_plan_entry_t *entry)
{
    coll_mtree_planning_context_t *context =
        coll_mtree_planning_context_get(entry->module->processes, entry->comm);

    return context == NULL ? (coll_mtree_planned_t){.forecast = mtree_forecast_of(false)}
                           : coll_mtree_planning_context_plan(context, entry->comm,
                                                              &entry->call_class);
}

/* On rank 0, in the planning thread: update the planning context by what the ranks
 * contributed to the query of @a entry, COLL_MTREE_MOST_PATHS samples each, and say what
 * becomes of its plan.  COLL_MTREE_REPLY_PLAN: another one is to be made. */
static coll_mtree_replan_reply_t decide_query(coll_mtree_plan_entry_t *entry)
{
    mca_coll_mtree_module_t *module = entry->module;
    coll_mtree_replan_query_t *query = &entry->query;
    coll_mtree_planning_context_t *context =
        coll_mtree_planning_context_of(module->processes);
    const double gain = coll_mtree_replan_least_gain(atomic_load(&module->keeps_order),
                                                     atomic_load(&module->is_reordered));
    const double seconds = query->traffic->seconds;
    const coll_mtree_path_samples_t paths = {.samples = entry->samples,
                                             .count = ompi_comm_size(entry->comm) *
                                                      COLL_MTREE_MOST_PATHS,
                                             .slowness = seconds / query->promised,
                                             .seconds = seconds};
    unsigned version = atomic_load(&module->version), before;

    /* Others would add sums in another order. */
    if (coll_mtree_params.deterministic) {
        return COLL_MTREE_REPLY_STAY;
    }
    /* What other communicators gained is no reason to change the order of sums. */
    before = gain > 0 ? context->version : version;
    coll_mtree_planning_context_update(context, entry->comm, &entry->call_class,
                                       entry->part->plan, &paths, &query->check, gain,
                                       version);
    if (query->check.count > 0) {
        return COLL_MTREE_REPLY_CHECK;
    }
    return context->version == before ? COLL_MTREE_REPLY_STAY : COLL_MTREE_REPLY_PLAN;
}

/* Likewise, once the new plan exists, for @a version of the network: the plans of @a
 * module change, and with them the order of sums. */
static void change_plans(mca_coll_mtree_module_t *module, unsigned version)
{
    atomic_store(&module->version, version);
    if (atomic_load(&module->keeps_order)) {
        atomic_store(&module->is_reordered, true);
    }
}

/* The plan for @a entry, where one is asked for.  Without another one calls stay with the
 * plan that they have. */
static void decide(coll_mtree_plan_entry_t *entry)
{
    const bool is_query = entry->query.traffic != NULL;

    entry->decided = is_query ? decide_query(entry) : COLL_MTREE_REPLY_PLAN;
    if (entry->decided != COLL_MTREE_REPLY_PLAN) {
        return;
    }
    entry->planned = make_plan(entry);
    tell_relays(entry);
    if (entry->planned.context == NULL) {
        entry->decided = COLL_MTREE_REPLY_NEVER;
    } else if (is_query && entry->planned.plan == NULL) {
        entry->decided = COLL_MTREE_REPLY_STAY;
    } else if (is_query) {
        change_plans(entry->module, entry->planned.version);
    }
}

static coll_mtree_plan_entry_t *entry_of(coll_mtree_plan_task_t *task)
{
    return MTREE_CONTAINER_OF(task, coll_mtree_plan_entry_t, task);
}

static void task_run(coll_mtree_plan_task_t *task)
{
    coll_mtree_plan_entry_t *entry = entry_of(task);

    coll_mtree_log_keep(&entry->lines);
    decide(entry);
    coll_mtree_log_keep(NULL);
}

/* From the end of this on another thread may free the entry. */
static void task_end(coll_mtree_plan_task_t *task)
{
    coll_mtree_plan_entry_t *entry = entry_of(task);

    coll_mtree_log_write(&entry->lines);
    coll_mtree_exchange_resume(entry->exchange);
}

/* Reply with what was decided. */
static void exchange_answer(coll_mtree_exchange_t *exchange, void *arg)
{
    coll_mtree_plan_entry_t *entry = arg;
    const coll_mtree_planned_t *planned = &entry->planned;

    if (entry->decided != COLL_MTREE_REPLY_PLAN) {
        coll_mtree_exchange_reply(exchange, (int)entry->decided, NULL, 0);
        return;
    }
    entry->version = planned->version;
    coll_mtree_plan_entry_note_version(entry->module, entry->version);
    coll_mtree_plan_reply_send(exchange, COLL_MTREE_REPLY_PLAN, planned, &entry->trailer);
}

/* On rank 0: have the planning thread make the plan, or look it up.  The exchange holds
 * the entry meanwhile. */
static void exchange_decide(coll_mtree_exchange_t *exchange, const void *contributions,
                            void *arg)
{
    coll_mtree_plan_entry_t *entry = arg;

    entry->exchange = exchange;
    entry->samples = contributions;
    entry->task = (coll_mtree_plan_task_t){.run = task_run, .end = task_end};
    mtree_list_init(&entry->lines);
    coll_mtree_exchange_postpone(exchange, exchange_answer);
    coll_mtree_plan_thread_add(&entry->task);
}

/* Take over the plan in @a reply, and that with relays if there is one. */
static void read_plan(coll_mtree_plan_entry_t *entry, const coll_mtree_reply_t *reply)
{
    mca_coll_mtree_module_t *module = entry->module;
    mtree_piece_t trailer;

    mtree_plan_part_destroy(entry->part);
    entry->part = coll_mtree_plan_reply_read(reply, entry->planned.plan, &entry->forecast,
                                             &trailer);
    if (trailer.length > 0) {
        entry->relay_plan = coll_mtree_relay_plan_read(trailer.bytes, trailer.length);
    }
    coll_mtree_statistics_planned(module, entry->comm, &entry->call_class,
                                  entry->part->plan, entry->planned.relay_plan,
                                  &entry->forecast);
}

/* Take over the reply of rank 0. */
static void exchange_read(coll_mtree_plan_entry_t *entry, const coll_mtree_reply_t *reply)
{
    entry->reply = (coll_mtree_replan_reply_t)reply->kind;
    if (entry->reply == COLL_MTREE_REPLY_PLAN) {
        read_plan(entry, reply);
    }
}

static void exchange_ended(const coll_mtree_reply_t *reply, void *arg)
{
    coll_mtree_plan_entry_t *entry = arg;
    const bool is_query = entry->query.traffic != NULL;

    entry->status = reply->code;
    if (reply->code == OMPI_SUCCESS) {
        exchange_read(entry, reply);
    }
    coll_mtree_counter_add(COLL_MTREE_COUNT_REPLANS,
                           is_query && entry->reply == COLL_MTREE_REPLY_PLAN);
    coll_mtree_plan_entry_complete(entry);
    /* MPI_Finalize releases what was complete before. */
    atomic_fetch_sub(&num_queries, is_query);
}

/* On rank 0, from a call of the user. */
static void planning_open(void)
{
    coll_mtree_fallback_look_up();
    coll_mtree_progress_add(coll_mtree_plan_thread_poll);
}

void coll_mtree_plan_exchange_close(void)
{
    coll_mtree_plan_thread_close();
    coll_mtree_progress_remove(coll_mtree_plan_thread_poll);
}

/* MPI_Finalize, before it frees communicators.  What has ended is given up by the user's
 * next call, and there is none. */
static void finish(void *unused)
{
    (void)unused;
    while (atomic_load(&num_queries) > 0) {
        opal_progress();
    }
    coll_mtree_plan_thread_close();
    coll_mtree_deferred_release_run();
}

/* All that has to end begins with an exchange for a plan.  With sessions alone there is
 * no MPI_COMM_SELF, and no MPI_Finalize. */
static void add_finish(void)
{
    static atomic_bool added;

    if (coll_mtree_has_world() && !atomic_exchange(&added, true)) {
        coll_mtree_free_hook_add(&ompi_mpi_comm_self.comm, finish, NULL);
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

/* What this rank contributes to the query of @a entry, sent as it is. */
static void sample_query(const coll_mtree_plan_entry_t *entry,
                         mtree_path_sample_t samples[COLL_MTREE_MOST_PATHS])
{
    mtree_link_state_t *links = links_to_hosts(entry->module, entry->comm);

    coll_mtree_traffic_pack(entry->module->placement, ompi_comm_rank(entry->comm),
                            entry->query.traffic, links, samples);
    free(links);
}

void coll_mtree_plan_exchange_start(coll_mtree_plan_entry_t *entry)
{
    mca_coll_mtree_module_t *module = entry->module;
    mtree_path_sample_t samples[COLL_MTREE_MOST_PATHS];

    if (ompi_comm_rank(entry->comm) == 0) {
        planning_open();
    }
    add_finish();
    if (entry->query.traffic != NULL) {
        sample_query(entry, samples);
        atomic_fetch_add(&num_queries, 1);
    }
    /* Connections take as long as many a plan. */
    if (!module->has_met) {
        module->has_met = true;
        coll_mtree_endpoints_meet(entry->comm, module->placement);
    }
    coll_mtree_exchange_start(&(coll_mtree_exchange_spec_t){
        .module = module,
        .comm = entry->comm,
        .mine = entry->query.traffic == NULL ? NULL : samples,
        .bytes = entry->query.traffic == NULL ? 0 : sizeof(samples),
        .decide = exchange_decide,
        .end = exchange_ended,
        .arg = entry});
}

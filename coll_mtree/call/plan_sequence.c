/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/plan_sequence.h"

#include "coll_mtree/adapt/link_check.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/transport/progress.h"

#include "base/memory.h"

#include <stdlib.h>

typedef coll_mtree_replan_sequence_t sequence_t;

/* Of the blocking calls of a communicator. */
typedef struct coll_mtree_blocking_sequence {
    sequence_t super;
    coll_mtree_traffic_t *traffic;   /* since the last query began */
    coll_mtree_link_check_t checked; /* on rank 0: that no query has taken along */
} blocking_t;

/* Begin @a query, of which the rest is set and which is taken over, at the last call of
 * @a sequence, whose plan is that of @a entry. */
static void ask(sequence_t *sequence, coll_mtree_plan_entry_t *entry,
                coll_mtree_replan_query_t query, int first_tag)
{
    coll_mtree_replan_query_t *own = mtree_malloc(sizeof(*own));
    /* Where a query began at the call before, its reply may not be there. */
    coll_mtree_plan_entry_t *before =
        *coll_mtree_replan_asked(sequence, sequence->calls - 1);
    /* Queries under way began at this call, or at one of those whose reply is not due. */
    long set = sequence->calls % (COLL_MTREE_REPLAN_PATIENCE + 2);

    query.module = entry->module;
    query.comm = entry->comm;
    query.call_class = entry->call_class;
    query.promised = sequence->seconds;
    sequence->bytes = sequence->seconds = 0;
    *own = query;
    *coll_mtree_replan_asked(sequence, sequence->calls) = coll_mtree_plan_entry_follow(
        entry, before != NULL ? before : entry, own,
        first_tag == 0 ? 0 : first_tag - (int)set * COLL_MTREE_EXCHANGE_TAGS);
}

void coll_mtree_plan_sequence_count(sequence_t *sequence,
                                    coll_mtree_plan_entry_t **entry_p, double bytes,
                                    bool keeps_order, int first_tag)
{
    coll_mtree_plan_entry_t **due;

    if (!coll_mtree_plan_entry_is_monitored(*entry_p)) {
        return;
    }
    due = coll_mtree_replan_asked(sequence, ++sequence->calls);
    if (*due != NULL) {
        (*due)->warmed_up = (*entry_p)->warmed_up;
        coll_mtree_plan_entry_release(*entry_p);
        *entry_p = *due;
        *due = NULL;
    }
    if (coll_mtree_replan_query_is_due(sequence, ompi_comm_size((*entry_p)->comm), 0)) {
        ask(sequence, *entry_p,
            (coll_mtree_replan_query_t){
                .keeps_order = keeps_order,
                .traffic = coll_mtree_bandwidth_monitor_take((*entry_p)->module)},
            first_tag);
    }
    sequence->bytes += bytes;
}

bool coll_mtree_plan_sequence_is_settled(const sequence_t *sequence)
{
    for (int i = 0; i < COLL_MTREE_REPLAN_PATIENCE; i++) {
        if (sequence->asked[i] != NULL &&
            !atomic_load(&sequence->asked[i]->gate.is_open)) {
            return false;
        }
    }
    return true;
}

void coll_mtree_plan_sequence_reset(sequence_t *sequence)
{
    for (int i = 0; i < COLL_MTREE_REPLAN_PATIENCE; i++) {
        coll_mtree_plan_entry_release(sequence->asked[i]);
    }
    *sequence = (sequence_t){.calls = 0};
}

static blocking_t *blocking_get(mca_coll_mtree_module_t *module)
{
    if (module->blocking == NULL) {
        module->blocking = mtree_calloc(1, sizeof(*module->blocking));
        module->blocking->traffic =
            coll_mtree_traffic_create((size_t)module->placement->num_hosts);
    }
    return module->blocking;
}

/* Does a call like @a req over its plan show the rates of links?  The same on all ranks.
 * What passes through relays says nothing of the paths of the plan without. */
static bool shows_rates(const coll_mtree_request_t *req)
{
    const coll_mtree_plan_entry_t *entry = req->entry;

    return entry->part != NULL && entry->relayed == NULL && req->layout != NULL &&
           coll_mtree_plan_entry_is_monitored(entry) && entry->part->num_steps == 0 &&
           coll_mtree_replan_shows_rates(entry->part, entry->call_class.bytes);
}

void coll_mtree_plan_sequence_note(const coll_mtree_request_t *req)
{
    coll_mtree_plan_entry_t *entry = req->entry;
    const double bytes = entry->call_class.bytes;
    mca_coll_mtree_module_t *module = entry->module;
    const bool was_warmed_up = entry->warmed_up;
    blocking_t *self;

    entry->warmed_up = true;
    if (!shows_rates(req)) {
        return;
    }
    self = blocking_get(module);
    self->super.calls++;
    /* The first call over a plan opens connections, and finds their windows small. */
    if (was_warmed_up) {
        coll_mtree_traffic_add_call(self->traffic, req->goodput,
                                    (double)req->args.call.unit_bytes /
                                        (double)req->buffers.super.extent,
                                    module->placement->host, ompi_comm_rank(entry->comm));
        self->super.bytes += bytes;
        self->super.seconds += coll_mtree_replan_promised_seconds(entry->part, bytes);
    }
    if (coll_mtree_replan_query_is_due(&self->super, ompi_comm_size(entry->comm),
                                       COLL_MTREE_MEASURABLE_SECONDS)) {
        ask(&self->super, entry,
            (coll_mtree_replan_query_t){
                .is_blocking = true, .traffic = self->traffic, .check = self->checked},
            0);
        self->checked = (coll_mtree_link_check_t){.count = 0};
        self->traffic = coll_mtree_traffic_create((size_t)module->placement->num_hosts);
    }
}

void coll_mtree_plan_sequence_renew(coll_mtree_comm_class_t *comm_class)
{
    coll_mtree_plan_entry_release(comm_class->entry);
    comm_class->entry = NULL;
    coll_mtree_plan_sequence_reset(&comm_class->sequence);
    coll_mtree_server_renew(&comm_class->server);
}

/* The network has changed: calls from here on have entries of their own. */
static void renew_all(mca_coll_mtree_module_t *module)
{
    coll_mtree_comm_class_t *comm_class;
    mtree_list_t *link;

    COLL_MTREE_CLASS_TABLE_FOR_EACH(comm_class, link, &module->classes)
    {
        coll_mtree_plan_sequence_renew(comm_class);
    }
}

void coll_mtree_plan_sequences_destroy(mca_coll_mtree_module_t *module)
{
    renew_all(module);
    if (module->blocking != NULL) {
        coll_mtree_plan_sequence_reset(&module->blocking->super);
        free(module->blocking->traffic);
        free(module->blocking->checked.streams);
        free(module->blocking);
        module->blocking = NULL;
    }
}

/* The links are checked; rank 0 has the next query take the result along. */
static void check_links(blocking_t *self, coll_mtree_plan_entry_t *asked)
{
    coll_mtree_link_check_run(asked->module, asked->comm, &asked->query->check);
    free(self->checked.streams);
    self->checked = asked->query->check;
    asked->query->check = (coll_mtree_link_check_t){.count = 0};
}

bool coll_mtree_plan_sequence_catch_up(mca_coll_mtree_module_t *module)
{
    blocking_t *self = module->blocking;
    coll_mtree_plan_entry_t **due =
        self == NULL ? NULL
                     : coll_mtree_replan_asked(&self->super, self->super.calls + 1);
    coll_mtree_plan_entry_t *asked = due == NULL ? NULL : *due;

    if (asked == NULL) {
        return false;
    }
    *due = NULL;
    coll_mtree_progress_wait_for(&asked->gate.is_open);
    if (asked->reply == COLL_MTREE_REPLY_PLAN) {
        renew_all(module);
        coll_mtree_comm_class_get(module, &asked->call_class)->entry = asked;
        return true;
    }
    if (asked->reply == COLL_MTREE_REPLY_CHECK) {
        check_links(self, asked);
    }
    coll_mtree_plan_entry_release(asked);
    return false;
}

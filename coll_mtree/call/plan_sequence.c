/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/plan_sequence.h"

#include "coll_mtree/adapt/link_check.h"
#include "coll_mtree/transport/progress.h"

#include "base/memory.h"

#include <stdlib.h>

/* Of the blocking calls of a communicator. */
typedef struct coll_mtree_plan_sequence {
    coll_mtree_replan_sequence_t super;
    coll_mtree_traffic_t *traffic;   /* since the last query began */
    coll_mtree_link_check_t checked; /* on rank 0: that no query has taken along */
} sequence_t;

/* Begin a query at the last call of @a self, whose plan is that of @a entry. */
static void ask(sequence_t *self, const coll_mtree_plan_entry_t *entry)
{
    mca_coll_mtree_module_t *module = entry->module;
    const coll_mtree_replan_query_t query = {.traffic = self->traffic,
                                             .promised = self->super.seconds,
                                             .check = self->checked};

    self->super.bytes = self->super.seconds = 0;
    self->checked = (coll_mtree_link_check_t){.count = 0};
    self->traffic = coll_mtree_traffic_create((size_t)module->placement->num_hosts);
    *coll_mtree_replan_asked(&self->super, self->super.calls) =
        coll_mtree_plan_entry_follow(entry, &query);
}

static sequence_t *sequence_get(mca_coll_mtree_module_t *module)
{
    if (module->sequence == NULL) {
        module->sequence = mtree_calloc(1, sizeof(*module->sequence));
        module->sequence->traffic =
            coll_mtree_traffic_create((size_t)module->placement->num_hosts);
    }
    return module->sequence;
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
    sequence_t *self;

    entry->warmed_up = true;
    if (!shows_rates(req)) {
        return;
    }
    self = sequence_get(module);
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
    if (coll_mtree_replan_query_is_due(&self->super, ompi_comm_size(entry->comm))) {
        ask(self, entry);
    }
}

void coll_mtree_plan_sequence_renew(coll_mtree_comm_class_t *comm_class)
{
    coll_mtree_plan_entry_release(comm_class->entry);
    comm_class->entry = NULL;
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

void coll_mtree_plan_sequence_destroy(mca_coll_mtree_module_t *module)
{
    sequence_t *self = module->sequence;

    renew_all(module);
    for (int i = 0; self != NULL && i < COLL_MTREE_REPLAN_PATIENCE; i++) {
        coll_mtree_plan_entry_release(self->super.asked[i]);
    }
    if (self != NULL) {
        free(self->traffic);
        free(self->checked.streams);
        free(self);
    }
}

/* The links are checked; rank 0 has the next query take the result along. */
static void check_links(sequence_t *self, coll_mtree_plan_entry_t *asked)
{
    coll_mtree_link_check_run(asked->module, asked->comm, &asked->query.check);
    free(self->checked.streams);
    self->checked = asked->query.check;
    asked->query.check = (coll_mtree_link_check_t){.count = 0};
}

bool coll_mtree_plan_sequence_catch_up(mca_coll_mtree_module_t *module)
{
    sequence_t *self = module->sequence;
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/plan_sequence.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/probe/coordinator.h"
#include "coll_mtree/probe/probe.h"
#include "coll_mtree/transport/progress.h"

#include "base/memory.h"

#include <stdlib.h>

/* Of the measured blocking calls of a communicator. */
typedef struct coll_mtree_plan_sequence {
    double bytes, seconds; /* since the last query began; seconds are those that the plans
                              predict */
    coll_mtree_traffic_t *traffic;   /* likewise */
    coll_mtree_link_check_t checked; /* on rank 0: that no query has taken along */
    /* The entries whose queries began at the last call, and at the one before it until
     * the reply has been applied; references, NULL: none began. */
    coll_mtree_plan_entry_t *asked, *due;
} sequence_t;

/* Begin a query at @a req, the last call of @a self; the entry that it is for. */
static coll_mtree_plan_entry_t *ask(sequence_t *self, const coll_mtree_request_t *req)
{
    const coll_mtree_replan_query_t query = {
        .traffic = self->traffic, .promised = self->seconds, .check = self->checked};

    self->bytes = self->seconds = 0;
    self->checked = (coll_mtree_link_check_t){.count = 0};
    self->traffic = coll_mtree_traffic_create((size_t)req->module->placement->num_hosts);
    return coll_mtree_plan_entry_follow(req, &query);
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

    return entry->part != NULL && entry->relay_plan == NULL && req->layout != NULL &&
           coll_mtree_replan_is_monitored(&entry->call_class, coll_mtree_params.replan,
                                          coll_mtree_params.deterministic) &&
           entry->part->num_steps == 0 &&
           coll_mtree_replan_shows_rates(entry->part, entry->call_class.bytes);
}

void coll_mtree_plan_sequence_note(const coll_mtree_request_t *req)
{
    coll_mtree_plan_entry_t *entry = req->entry;
    const int ranks = ompi_comm_size(req->comm);
    bool was_warmed_up;
    double bytes;
    sequence_t *self;

    if (entry == NULL) {
        return;
    }
    bytes = entry->call_class.bytes;
    was_warmed_up = entry->warmed_up;
    entry->warmed_up = true;
    if (!shows_rates(req)) {
        return;
    }
    self = sequence_get(req->module);
    /* The first call over a plan opens connections, and finds their windows small. */
    if (was_warmed_up) {
        coll_mtree_traffic_add_call(
            self->traffic, req->goodput,
            (double)req->args.call.unit_bytes / (double)req->buffers.super.extent,
            req->module->placement->host, ompi_comm_rank(req->comm));
        self->bytes += bytes;
        self->seconds += coll_mtree_replan_promised_seconds(entry->part, bytes);
    }
    self->due = self->asked;
    self->asked = coll_mtree_replan_query_is_due(self->bytes, self->seconds, ranks)
                      ? ask(self, req)
                      : NULL;
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

    if (self != NULL) {
        coll_mtree_plan_entry_release(self->asked);
        coll_mtree_plan_entry_release(self->due);
        free(self->traffic);
        free(self->checked.streams);
        free(self);
    }
}

/* Run the streams turn by turn. */
static mtree_status_t run_streams(coll_mtree_probe_coordinator_t *coordinator,
                                  mtree_link_stream_t *streams, int num_streams)
{
    mtree_probe_experiment_t *experiments =
        mtree_calloc((size_t)num_streams, sizeof(*experiments));
    mtree_probe_result_t *results = mtree_calloc((size_t)num_streams, sizeof(*results));
    mtree_status_t status = MTREE_OK;

    for (int turn = 0; turn < MTREE_LINK_CHECK_TURNS && status == MTREE_OK; turn++) {
        mtree_probe_round_t round =
            mtree_link_check_round(streams, num_streams, turn,
                                   (double)coll_mtree_params.probe_bytes, experiments);

        if (round.num_experiments > 0) {
            status = coll_mtree_probe_round_run(coordinator, &round, results);
        }
        if (status == MTREE_OK) {
            mtree_link_check_take(streams, num_streams, turn, results);
        }
    }
    free(results);
    free(experiments);
    return status;
}

/* On rank 0. */
static mtree_status_t check_lead(const coll_mtree_channel_t *channel,
                                 const coll_mtree_host_numbers_t *hosts,
                                 mtree_link_stream_t *streams, int num_streams)
{
    coll_mtree_probe_coordinator_t coordinator = {
        .channel = channel, .num_hosts = hosts->num_hosts, .leader = hosts->first};
    mtree_status_t status = coll_mtree_probe_coordinator_begin(&coordinator);

    if (status == MTREE_OK) {
        status = run_streams(&coordinator, streams, num_streams);
    }
    coll_mtree_probe_coordinator_end(&coordinator);
    return status;
}

/* Check links (topo/drift/link_check.h) between two blocking calls: the first ranks of
 * the hosts send each other the streams of @a check, which is that of rank 0 and empty
 * elsewhere.  It sets the capacities of the streams, 0 where one failed.  The rank may go
 * on when this returns, whatever the others do. */
static void check_run(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                      coll_mtree_link_check_t *check)
{
    const mtree_placement_t *placement = module->placement;
    coll_mtree_channel_t channel = coll_mtree_probe_channel(module, comm);
    int rank = ompi_comm_rank(comm);

    if (rank != 0) {
        if (coll_mtree_host_is_first(placement->host, rank)) {
            coll_mtree_probe_worker_serve(&channel);
        }
        return;
    }
    if (check_lead(&channel, &module->processes->hosts.numbers, check->streams,
                   check->count) != MTREE_OK) {
        coll_mtree_verbose(comm, 1,
                           "the links could not be checked, a host did not "
                           "answer; their capacities stay");
    }
}

/* The links are checked; rank 0 has the next query take the result along. */
static void check_links(sequence_t *self, coll_mtree_plan_entry_t *asked)
{
    check_run(asked->module, asked->comm, &asked->query.check);
    free(self->checked.streams);
    self->checked = asked->query.check;
    asked->query.check = (coll_mtree_link_check_t){.count = 0};
}

bool coll_mtree_plan_sequence_catch_up(mca_coll_mtree_module_t *module)
{
    sequence_t *self = module->sequence;
    coll_mtree_plan_entry_t *due = self == NULL ? NULL : self->due;

    if (due == NULL) {
        return false;
    }
    self->due = NULL;
    coll_mtree_progress_wait_for(&due->is_complete);
    if (due->reply == COLL_MTREE_REPLY_PLAN) {
        renew_all(module);
        coll_mtree_comm_class_get(module, &due->call_class)->entry = due;
        return true;
    }
    if (due->reply == COLL_MTREE_REPLY_CHECK) {
        check_links(self, due);
    }
    coll_mtree_plan_entry_release(due);
    return false;
}

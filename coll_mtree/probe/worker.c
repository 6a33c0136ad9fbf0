/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/worker.h"

#include "coll_mtree/base/tuning.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* By kind of experiment.  Packets have no runner, since all are sent by one socket. */
static const struct {
    const coll_mtree_probe_runner_t *runner;
    coll_mtree_wait_t wait;
} kinds[] = {[MTREE_PROBE_TRACE] = {NULL, COLL_MTREE_WAIT_LATER},
             [MTREE_PROBE_PING] = {&coll_mtree_ping_runner, COLL_MTREE_WAIT_AT_ONCE},
             [MTREE_PROBE_STREAM] = {&coll_mtree_stream_runner, COLL_MTREE_WAIT_SOON},
             [MTREE_PROBE_CABLE] = {&coll_mtree_cable_runner, COLL_MTREE_WAIT_AT_ONCE}};

struct coll_mtree_probe_experiments {
    const coll_mtree_probe_part_t *parts;
    int num_parts;
    mtree_probe_kind_t kind;
    coll_mtree_probe_report_t *reports;
    bool ended;
    mtree_traceroute_t *traces;       /* NULL: none, or no socket: none is answered */
    mtree_traceroute_probe_t *probes; /* [num_parts] of these */
    void *runs[];                     /* [num_parts] of the others */
};

size_t coll_mtree_command_bytes(const coll_mtree_command_t *command, int tag)
{
    static const struct {
        size_t item, reply;
    } sizes[] = {
        [COLL_MTREE_COMMAND_HANDSHAKE] = {0, sizeof(mtree_pressure_t)},
        [COLL_MTREE_COMMAND_FIRST_HOPS] = {sizeof(mtree_address_t),
                                           sizeof(mtree_kernel_route_t)},
        [COLL_MTREE_COMMAND_EXPERIMENTS] = {sizeof(coll_mtree_probe_part_t),
                                            sizeof(coll_mtree_probe_report_t)},
        [COLL_MTREE_COMMAND_INTERFACES] = {0, sizeof(coll_mtree_cable_host_t)},
    };

    return tag == COLL_MTREE_COMMAND_TAG ? sizeof(*command)
           : tag == COLL_MTREE_ITEMS_TAG
               ? (size_t)command->num_items * sizes[command->kind].item
               : (size_t)command->num_replies * sizes[command->kind].reply;
}

static void find_first_hops(const mtree_address_t *to, int count,
                            mtree_kernel_route_t *found)
{
    for (int i = 0; i < count; i++) {
        if (mtree_kernel_route_find(&to[i], &found[i]) != MTREE_OK) {
            found[i] = (mtree_kernel_route_t){.device = 0};
        }
    }
}

static void begin_traces(coll_mtree_probe_experiments_t *experiments, double patience)
{
    const coll_mtree_probe_part_t *parts = experiments->parts;

    experiments->probes =
        mtree_calloc((size_t)experiments->num_parts, sizeof(*experiments->probes));
    for (int p = 0; p < experiments->num_parts; p++) {
        experiments->probes[p].to = parts[p].experiment.ends[1];
        experiments->probes[p].limit = parts[p].experiment.limit;
    }
    if (mtree_traceroute_start(&parts[0].experiment.ends[0], experiments->probes,
                               experiments->num_parts, patience,
                               &experiments->traces) != MTREE_OK) {
        experiments->traces = NULL;
    }
}

static coll_mtree_probe_experiments_t *begin_experiments(
    const coll_mtree_channel_t *channel, const coll_mtree_command_t *command,
    const coll_mtree_probe_part_t *parts, coll_mtree_probe_report_t *reports)
{
    const double begins = mtree_clock_seconds() + command->delay;
    const size_t count = (size_t)command->num_items;
    coll_mtree_probe_experiments_t *experiments =
        mtree_calloc(1, sizeof(*experiments) + count * sizeof(experiments->runs[0]));
    const coll_mtree_probe_runner_t *runner = kinds[parts[0].experiment.kind].runner;

    experiments->parts = parts;
    experiments->num_parts = command->num_items;
    experiments->kind = parts[0].experiment.kind;
    experiments->reports = reports;
    while (mtree_clock_seconds() < begins) {
        coll_mtree_progress_wait(COLL_MTREE_WAIT_SOON);
    }
    if (runner == NULL) {
        begin_traces(experiments, command->patience);
    }
    for (size_t i = 0; runner != NULL && i < count; i++) {
        experiments->runs[i] = runner->begin(channel, &parts[i]);
    }
    return experiments;
}

coll_mtree_probe_experiments_t *
coll_mtree_probe_command_begin(const coll_mtree_channel_t *channel,
                               const coll_mtree_command_t *command, const void *items,
                               void *replies)
{
    switch (command->kind) {
    case COLL_MTREE_COMMAND_HANDSHAKE:
        mtree_pressure_read(replies);
        return NULL;
    case COLL_MTREE_COMMAND_FIRST_HOPS:
        find_first_hops(items, command->num_items, replies);
        return NULL;
    case COLL_MTREE_COMMAND_EXPERIMENTS:
        return begin_experiments(channel, command, items, replies);
    default:
        coll_mtree_cables_describe(replies);
        return NULL;
    }
}

bool coll_mtree_probe_experiments_advance(coll_mtree_probe_experiments_t *experiments)
{
    const coll_mtree_probe_runner_t *runner;

    if (experiments == NULL || experiments->ended) {
        coll_mtree_progress_wait(COLL_MTREE_WAIT_LATER);
        return true;
    }
    runner = kinds[experiments->kind].runner;
    experiments->ended =
        experiments->traces == NULL || mtree_traceroute_advance(experiments->traces);
    for (int i = 0; runner != NULL && i < experiments->num_parts; i++) {
        experiments->ended = runner->advance(experiments->runs[i]) && experiments->ended;
    }
    if (!experiments->ended) {
        coll_mtree_progress_wait(kinds[experiments->kind].wait);
    }
    return experiments->ended;
}

static void trace_end(const mtree_traceroute_probe_t *probe, mtree_probe_result_t *result)
{
    result->failed = false;
    result->answer = probe->answer;
    if (probe->from.family != AF_UNSPEC) {
        (void)mtree_address_format(&probe->from, result->address);
    }
}

void coll_mtree_probe_experiments_end(coll_mtree_probe_experiments_t *experiments)
{
    coll_mtree_probe_report_t *next;

    if (experiments == NULL) {
        return;
    }
    next = experiments->reports;
    for (int i = 0; i < experiments->num_parts; i++) {
        const coll_mtree_probe_part_t *part = &experiments->parts[i];
        coll_mtree_probe_report_t report = {.number = part->number,
                                            .result.failed = true};

        if (experiments->probes == NULL) {
            kinds[experiments->kind].runner->end(experiments->runs[i], &report.result);
        } else {
            trace_end(&experiments->probes[i], &report.result);
        }
        if (coll_mtree_probe_part_reports(part)) {
            *next++ = report;
        }
    }
    mtree_traceroute_destroy(experiments->traces);
    free(experiments->probes);
    free(experiments);
}

/* Receive the items of @a command, carry it out and reply.  False: rank 0 cannot be
 * served any more. */
static bool serve_one(const coll_mtree_channel_t *channel,
                      const coll_mtree_command_t *command)
{
    const size_t length = coll_mtree_command_bytes(command, COLL_MTREE_ITEMS_TAG);
    const size_t reply = coll_mtree_command_bytes(command, COLL_MTREE_REPLY_TAG);
    void *items = mtree_malloc(length), *replies = mtree_calloc(reply, 1);
    bool is_there =
        length == 0 || coll_mtree_message_recv_copy(channel, 0, COLL_MTREE_ITEMS_TAG,
                                                    items, length, INFINITY);

    if (is_there) {
        coll_mtree_probe_experiments_t *experiments =
            coll_mtree_probe_command_begin(channel, command, items, replies);

        while (experiments != NULL &&
               !coll_mtree_probe_experiments_advance(experiments)) {}
        coll_mtree_probe_experiments_end(experiments);
        /* Rank 0 may have given the probe up, and then receives none. */
        (void)coll_mtree_message_send_copy(
            channel, 0, COLL_MTREE_REPLY_TAG, replies, reply,
            mtree_clock_seconds() + 2 * COLL_MTREE_PATIENCE);
    }
    free(replies);
    free(items);
    return is_there;
}

void coll_mtree_probe_worker_serve(const coll_mtree_channel_t *channel)
{
    coll_mtree_command_t command;

    while (coll_mtree_message_recv_copy(channel, 0, COLL_MTREE_COMMAND_TAG, &command,
                                        sizeof(command), INFINITY) &&
           command.kind != COLL_MTREE_COMMAND_END && serve_one(channel, &command)) {}
    coll_mtree_cables_close();
}

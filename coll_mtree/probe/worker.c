/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/worker.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/control/host.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For a reply to leave: rank 0 may have given the probe up, and then receives none. */
#define REPLY_SECONDS 30.0

struct coll_mtree_probe_worker {
    const coll_mtree_channel_t *channel;
    coll_mtree_command_t command;
    void *items, *reply;
    double begins; /* experiments, by this host's clock */
    coll_mtree_probe_experiments_t *experiments;
    mtree_traceroute_t *hops;
    coll_mtree_cables_trial_t *cables;
    bool is_done;
};

size_t coll_mtree_command_item_bytes(int kind)
{
    return kind == COLL_MTREE_COMMAND_FIRST_HOPS    ? sizeof(mtree_address_t)
           : kind == COLL_MTREE_COMMAND_HOPS        ? sizeof(mtree_traceroute_probe_t)
           : kind == COLL_MTREE_COMMAND_EXPERIMENTS ? sizeof(coll_mtree_probe_part_t)
           : kind == COLL_MTREE_COMMAND_CABLES      ? sizeof(coll_mtree_cable_part_t)
                                                    : 0;
}

size_t coll_mtree_command_reply_bytes(const coll_mtree_command_t *command,
                                      const void *items)
{
    const coll_mtree_probe_part_t *parts = items;
    size_t bytes = 0;

    if (command->kind == COLL_MTREE_COMMAND_FIRST_HOPS) {
        return (size_t)command->num_items * sizeof(mtree_kernel_route_t);
    }
    if (command->kind == COLL_MTREE_COMMAND_HOPS) {
        return (size_t)command->num_items * sizeof(mtree_traceroute_probe_t);
    }
    if (command->kind == COLL_MTREE_COMMAND_HANDSHAKE) {
        return sizeof(mtree_pressure_t);
    }
    if (command->kind == COLL_MTREE_COMMAND_INTERFACES) {
        return sizeof(coll_mtree_cable_host_t);
    }
    if (command->kind == COLL_MTREE_COMMAND_CABLES) {
        return (size_t)command->num_items * sizeof(coll_mtree_cable_report_t);
    }
    for (int i = 0;
         command->kind == COLL_MTREE_COMMAND_EXPERIMENTS && i < command->num_items; i++) {
        bytes += coll_mtree_probe_part_reports(&parts[i])
                     ? sizeof(coll_mtree_probe_report_t)
                     : 0;
    }
    return bytes;
}

static void find_first_hops(const coll_mtree_probe_worker_t *worker)
{
    const mtree_address_t *to = worker->items;
    mtree_kernel_route_t *found = worker->reply;

    for (int i = 0; i < worker->command.num_items; i++) {
        if (mtree_kernel_route_find(&to[i], &found[i]) != MTREE_OK) {
            found[i] = (mtree_kernel_route_t){.device = 0};
        }
    }
}

/* Start to look for hops; without memory or sockets no probe is answered. */
static void start_hops(coll_mtree_probe_worker_t *worker)
{
    mtree_traceroute_probe_t *probes = worker->reply;
    coll_mtree_host_t host;

    memcpy(probes, worker->items, (size_t)worker->command.num_items * sizeof(*probes));
    coll_mtree_host_describe(&host);
    for (int i = 0; i < COLL_MTREE_HOST_ADDRESSES; i++) {
        if (host.addresses[i].family == probes[0].to.family) {
            if (mtree_traceroute_start(
                    &host.addresses[i], probes, worker->command.num_items,
                    worker->command.patience, &worker->hops) != MTREE_OK) {
                worker->hops = NULL;
            }
            return;
        }
    }
}

coll_mtree_probe_worker_t *
coll_mtree_probe_worker_begin(const coll_mtree_channel_t *channel,
                              const coll_mtree_command_t *command, void *items,
                              void *reply)
{
    coll_mtree_probe_worker_t *worker = coll_mtree_calloc(1, sizeof(*worker));

    worker->channel = channel;
    worker->command = *command;
    worker->items = items;
    worker->reply = reply;
    worker->begins = mtree_clock_seconds() + command->delay;
    if (command->kind == COLL_MTREE_COMMAND_FIRST_HOPS) {
        find_first_hops(worker);
    } else if (command->kind == COLL_MTREE_COMMAND_HOPS && command->num_items > 0) {
        start_hops(worker);
    } else if (command->kind == COLL_MTREE_COMMAND_HANDSHAKE) {
        mtree_pressure_read(reply);
    } else if (command->kind == COLL_MTREE_COMMAND_INTERFACES) {
        coll_mtree_cables_describe(reply);
    } else if (command->kind == COLL_MTREE_COMMAND_CABLES) {
        worker->cables = coll_mtree_cables_begin(items, command->num_items);
    }
    return worker;
}

static bool advance_experiments(coll_mtree_probe_worker_t *worker)
{
    if (worker->experiments == NULL) {
        if (mtree_clock_seconds() < worker->begins) {
            return false;
        }
        worker->experiments = coll_mtree_probe_experiments_begin(
            worker->channel, worker->items, worker->command.num_items);
    }
    if (!coll_mtree_probe_experiments_advance(worker->experiments)) {
        return false;
    }
    coll_mtree_probe_experiments_end(worker->experiments, worker->reply);
    worker->experiments = NULL;
    return true;
}

/* True at the end, when the reply is there. */
static bool advance_cables(coll_mtree_probe_worker_t *worker)
{
    if (!coll_mtree_cables_advance(worker->cables)) {
        return false;
    }
    coll_mtree_cables_end(worker->cables, worker->reply);
    worker->cables = NULL;
    return true;
}

bool coll_mtree_probe_worker_advance(coll_mtree_probe_worker_t *worker)
{
    if (!worker->is_done) {
        worker->is_done =
            worker->command.kind == COLL_MTREE_COMMAND_EXPERIMENTS
                ? advance_experiments(worker)
            : worker->command.kind == COLL_MTREE_COMMAND_CABLES
                ? advance_cables(worker)
                : worker->hops == NULL || mtree_traceroute_advance(worker->hops);
    }
    return worker->is_done;
}

coll_mtree_wait_t coll_mtree_probe_worker_wait(const coll_mtree_probe_worker_t *worker)
{
    const coll_mtree_probe_part_t *parts;

    if (worker != NULL && worker->cables != NULL) {
        return COLL_MTREE_WAIT_AT_ONCE;
    }
    if (worker == NULL || worker->experiments == NULL) {
        return COLL_MTREE_WAIT_LATER;
    }
    parts = worker->items;
    return parts[0].kind == MTREE_PROBE_PING ? COLL_MTREE_WAIT_AT_ONCE
                                             : COLL_MTREE_WAIT_SOON;
}

void coll_mtree_probe_worker_end(coll_mtree_probe_worker_t *worker)
{
    if (worker == NULL) {
        return;
    }
    if (worker->experiments != NULL) {
        coll_mtree_probe_experiments_end(worker->experiments, worker->reply);
    }
    if (worker->cables != NULL) {
        coll_mtree_cables_end(worker->cables, worker->reply);
    }
    mtree_traceroute_destroy(worker->hops);
    free(worker);
}

/* Carry out @a command with its @a items, to @a reply. */
static void carry_out(const coll_mtree_channel_t *channel,
                      const coll_mtree_command_t *command, void *items, void *reply)
{
    coll_mtree_probe_worker_t *worker =
        coll_mtree_probe_worker_begin(channel, command, items, reply);

    while (!coll_mtree_probe_worker_advance(worker)) {
        coll_mtree_progress_wait(coll_mtree_probe_worker_wait(worker));
    }
    coll_mtree_probe_worker_end(worker);
}

/* Receive the items of @a command, carry it out and reply.  False: rank 0 cannot be
 * served any more. */
static bool serve_one(const coll_mtree_channel_t *channel,
                      const coll_mtree_command_t *command)
{
    size_t length =
        (size_t)command->num_items * coll_mtree_command_item_bytes(command->kind);
    void *items = coll_mtree_calloc(length, 1);
    bool is_there =
        length == 0 || coll_mtree_message_recv_copy(channel, 0, COLL_MTREE_ITEMS_TAG,
                                                    items, length, INFINITY);

    if (is_there) {
        size_t bytes = coll_mtree_command_reply_bytes(command, items);
        void *reply = coll_mtree_calloc(bytes, 1);
        coll_mtree_message_t *message;

        carry_out(channel, command, items, reply);
        message = coll_mtree_message_send(channel, 0, COLL_MTREE_REPLY_TAG, reply, bytes);
        (void)coll_mtree_message_wait(&message, mtree_clock_seconds() + REPLY_SECONDS);
        coll_mtree_message_abandon(&message, reply);
    }
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

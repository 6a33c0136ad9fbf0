/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/worker.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

/* For a reply to leave: rank 0 may have given the probe up, and then receives none. */
#define REPLY_SECONDS 30.0

/* The bytes of an item, and of a reply, by the kind of command. */
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

size_t coll_mtree_command_item_bytes(int kind)
{
    return sizes[kind].item;
}

size_t coll_mtree_command_items_bytes(const coll_mtree_command_t *command)
{
    return (size_t)command->num_items * sizes[command->kind].item;
}

size_t coll_mtree_command_replies_bytes(const coll_mtree_command_t *command)
{
    return (size_t)command->num_replies * sizes[command->kind].reply;
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

coll_mtree_probe_experiments_t *
coll_mtree_probe_command_begin(const coll_mtree_channel_t *channel,
                               const coll_mtree_command_t *command, void *items,
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
        return coll_mtree_probe_experiments_begin(channel, items, command->num_items,
                                                  command->delay, command->patience,
                                                  replies);
    default:
        coll_mtree_cables_describe(replies);
        return NULL;
    }
}

/* Carry out @a command with its @a items, to @a replies. */
static void carry_out(const coll_mtree_channel_t *channel,
                      const coll_mtree_command_t *command, void *items, void *replies)
{
    coll_mtree_probe_experiments_t *experiments =
        coll_mtree_probe_command_begin(channel, command, items, replies);

    while (!coll_mtree_probe_experiments_advance(experiments)) {
        coll_mtree_progress_wait(coll_mtree_probe_experiments_wait(experiments));
    }
    coll_mtree_probe_experiments_end(experiments);
}

/* Receive the items of @a command, carry it out and reply.  False: rank 0 cannot be
 * served any more. */
static bool serve_one(const coll_mtree_channel_t *channel,
                      const coll_mtree_command_t *command)
{
    size_t length = coll_mtree_command_items_bytes(command);
    void *items = mtree_malloc(length);
    bool is_there =
        length == 0 || coll_mtree_message_recv_copy(channel, 0, COLL_MTREE_ITEMS_TAG,
                                                    items, length, INFINITY);

    if (is_there) {
        size_t reply_length = coll_mtree_command_replies_bytes(command);
        void *replies = mtree_calloc(reply_length, 1);
        coll_mtree_message_t *message;

        carry_out(channel, command, items, replies);
        message = coll_mtree_message_start(channel, true, 0, COLL_MTREE_REPLY_TAG,
                                           replies, reply_length);
        (void)coll_mtree_message_wait(&message, mtree_clock_seconds() + REPLY_SECONDS);
        coll_mtree_message_abandon(&message, replies);
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

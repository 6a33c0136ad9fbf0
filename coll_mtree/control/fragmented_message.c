/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/fragmented_message.h"

#include "base/container_of.h"

static void start_fragment(coll_mtree_fragmented_message_t *message);

static bool is_stopped(coll_mtree_fragmented_message_t *message)
{
    return message->move.receives && atomic_load(&message->is_abandoned);
}

static void fragment_ended(mtree_event_t *event)
{
    coll_mtree_fragmented_message_t *message =
        MTREE_CONTAINER_OF(event, coll_mtree_fragmented_message_t, event);
    bool is_partial = event->status == MTREE_OK && message->moved < message->move.length;

    if (!is_partial || is_stopped(message)) {
        message->move.ended(message, is_partial ? MTREE_ERR_TRANSPORT : event->status);
        return;
    }
    start_fragment(message);
    /* It may have been abandoned before there was this fragment to cancel. */
    if (is_stopped(message)) {
        message->move.cancel(&message->event.completion);
    }
}

void coll_mtree_fragmented_message_abandon(coll_mtree_fragmented_message_t *message)
{
    atomic_store(&message->is_abandoned, true);
    message->move.cancel(&message->event.completion);
}

static void start_fragment(coll_mtree_fragmented_message_t *message)
{
    const coll_mtree_move_t *move = &message->move;
    mtree_transport_t *transport = move->transport;
    mtree_completion_t *done = &message->event.completion;
    char *bytes = move->bytes + message->moved;
    size_t left = move->length - message->moved;
    size_t length = left < move->longest ? left : move->longest;
    mtree_status_t status;

    message->moved += length;
    mtree_event_init(&message->event, move->inbox, fragment_ended);
    status = move->receives ? transport->ops->recv(transport, move->peer, move->tag,
                                                   bytes, length, done)
                            : transport->ops->send(transport, move->peer, move->tag,
                                                   bytes, length, false, done);
    /* What could not be started ends like what failed later. */
    if (status != MTREE_OK) {
        done->func(done, status);
    }
}

void coll_mtree_fragmented_message_start(coll_mtree_fragmented_message_t *message,
                                         const coll_mtree_move_t *move)
{
    message->move = *move;
    message->moved = 0;
    atomic_init(&message->is_abandoned, false);
    start_fragment(message);
}

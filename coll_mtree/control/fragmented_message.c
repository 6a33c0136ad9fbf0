/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/fragmented_message.h"

#include "base/container_of.h"

static void start_fragment(coll_mtree_fragmented_message_t *message);

static void fragment_ended(mtree_event_t *event)
{
    coll_mtree_fragmented_message_t *message =
        MTREE_CONTAINER_OF(event, coll_mtree_fragmented_message_t, event);

    if (event->status == MTREE_OK && message->moved < message->move.length) {
        start_fragment(message);
    } else {
        message->move.ended(message, event->status);
    }
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
    start_fragment(message);
}

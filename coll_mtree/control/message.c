/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/message.h"

#include "coll_mtree/base/tuning.h"
#include "coll_mtree/control/fragmented_message.h"
#include "coll_mtree/transport/transport.h"

#include "base/clock.h"
#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { UNDERWAY, ENDED, ABANDONED };

struct coll_mtree_message {
    mtree_inbox_t inbox;
    coll_mtree_transport_t transport;
    coll_mtree_fragmented_message_t body;
    bool is_over; /* in the inbox: the body has ended */
    mtree_status_t status;
    coll_mtree_wait_t wait;
    void *owned; /* of one that was abandoned */
    /* Whoever comes second, the end or the owner who abandons it, frees the message. */
    atomic_int state;
};

static void message_free(coll_mtree_message_t *message)
{
    free(message->owned);
    free(message);
}

static void body_ended(coll_mtree_fragmented_message_t *body, mtree_status_t status)
{
    coll_mtree_message_t *message = MTREE_CONTAINER_OF(body, coll_mtree_message_t, body);

    message->is_over = true;
    message->status = status;
}

static bool message_idle(mtree_inbox_t *inbox)
{
    return MTREE_CONTAINER_OF(inbox, coll_mtree_message_t, inbox)->is_over;
}

static void message_finish(mtree_inbox_t *inbox)
{
    coll_mtree_message_t *message =
        MTREE_CONTAINER_OF(inbox, coll_mtree_message_t, inbox);

    if (atomic_exchange(&message->state, ENDED) == ABANDONED) {
        message_free(message);
    }
}

coll_mtree_message_t *coll_mtree_message_start(const coll_mtree_channel_t *channel,
                                               bool sends, int peer, int tag, void *bytes,
                                               size_t length)
{
    coll_mtree_message_t *message = mtree_calloc(1, sizeof(*message));

    mtree_inbox_init(&message->inbox, message_idle, message_finish);
    coll_mtree_transport_init(&message->transport, channel->comm, MPI_BYTE,
                              channel->first_tag);
    message->transport.count_sent = channel->count_sent;
    message->wait = channel->wait;
    atomic_init(&message->state, UNDERWAY);
    coll_mtree_fragmented_message_start(
        &message->body, &(coll_mtree_move_t){.inbox = &message->inbox,
                                             .transport = &message->transport.super,
                                             .longest = channel->longest,
                                             .receives = !sends,
                                             .peer = peer,
                                             .tag = tag,
                                             .bytes = bytes,
                                             .length = length,
                                             .ended = body_ended,
                                             .cancel = coll_mtree_transport_cancel});
    mtree_inbox_open(&message->inbox);
    return message;
}

bool coll_mtree_message_test(coll_mtree_message_t **message_p, mtree_status_t *status_p)
{
    coll_mtree_message_t *message = *message_p;

    if (message != NULL && atomic_load(&message->state) != ENDED) {
        return false;
    }
    if (status_p != NULL) {
        *status_p = message == NULL ? MTREE_OK : message->status;
    }
    free(message);
    *message_p = NULL;
    return true;
}

bool coll_mtree_message_wait(coll_mtree_message_t **message_p, double deadline)
{
    coll_mtree_wait_t wait =
        *message_p == NULL ? COLL_MTREE_WAIT_AT_ONCE : (*message_p)->wait;
    bool timed_out = false;
    mtree_status_t status;

    /* After the deadline, too, what is there is taken, which may need a progress. */
    while (!coll_mtree_message_test(message_p, &status)) {
        if (timed_out) {
            return false;
        }
        timed_out = mtree_clock_seconds() > deadline;
        coll_mtree_progress_wait(wait);
    }
    return status == MTREE_OK;
}

void coll_mtree_message_abandon(coll_mtree_message_t **message_p, void *owned)
{
    coll_mtree_message_t *message = *message_p;

    *message_p = NULL;
    if (message == NULL) {
        free(owned);
        return;
    }
    message->owned = owned;
    if (atomic_load(&message->state) == UNDERWAY) {
        coll_mtree_fragmented_message_abandon(&message->body);
    }
    if (atomic_exchange(&message->state, ABANDONED) == ENDED) {
        message_free(message);
    }
}

void coll_mtree_message_forget(coll_mtree_message_t **message_p, void *owned)
{
    free(owned);
    free(*message_p);
    *message_p = NULL;
}

/* Wait for the end of @a message, whose bytes are @a owned, which is freed unless @a
 * keeps and all went well. */
static bool finish(coll_mtree_message_t *message, double deadline, void *owned,
                   bool keeps)
{
    bool done = coll_mtree_message_wait(&message, deadline);

    if (!done || !keeps) {
        coll_mtree_message_abandon(&message, owned);
    }
    return done;
}

bool coll_mtree_message_send_copy(const coll_mtree_channel_t *channel, int peer, int tag,
                                  const void *bytes, size_t length, double deadline)
{
    void *copy = mtree_malloc(length);

    memcpy(copy, bytes, length);
    return finish(coll_mtree_message_start(channel, true, peer, tag, copy, length),
                  deadline, copy, false);
}

/* Receive into new memory; NULL: it has not come in time. */
static void *receive_new(const coll_mtree_channel_t *channel, int peer, int tag,
                         size_t length, double deadline)
{
    void *bytes = mtree_malloc(length);

    return finish(coll_mtree_message_start(channel, false, peer, tag, bytes, length),
                  deadline, bytes, true)
               ? bytes
               : NULL;
}

bool coll_mtree_message_recv_copy(const coll_mtree_channel_t *channel, int peer, int tag,
                                  void *bytes, size_t length, double deadline)
{
    void *copy = receive_new(channel, peer, tag, length, deadline);

    if (copy == NULL) {
        return false;
    }
    memcpy(bytes, copy, length);
    free(copy);
    return true;
}

bool coll_mtree_message_send_bulk(const coll_mtree_channel_t *channel, int peer, int tag,
                                  void *owned, size_t length, double deadline)
{
    uint64_t header = length;
    bool sent = coll_mtree_message_send_copy(channel, peer, tag, &header, sizeof(header),
                                             deadline);

    if (!sent || length == 0) {
        free(owned);
        return sent;
    }
    return finish(coll_mtree_message_start(channel, true, peer, tag, owned, length),
                  deadline, owned, false);
}

bool coll_mtree_message_recv_bulk(const coll_mtree_channel_t *channel, int peer, int tag,
                                  void **bytes_p, size_t *length_p, double deadline)
{
    uint64_t header;
    void *bytes = NULL;

    if (!coll_mtree_message_recv_copy(channel, peer, tag, &header, sizeof(header),
                                      deadline)) {
        return false;
    }
    if (header > 0) {
        deadline = fmax(deadline, mtree_clock_seconds() + COLL_MTREE_PATIENCE +
                                      (double)header / COLL_MTREE_SLOWEST_RATE);
        bytes = receive_new(channel, peer, tag, (size_t)header, deadline);
        if (bytes == NULL) {
            return false;
        }
    }
    *bytes_p = bytes;
    *length_p = (size_t)header;
    return true;
}

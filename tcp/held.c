/* SPDX-License-Identifier: BSD-3-Clause */
/* The stream of a connection: what it has written and may have to write again. */
#include "tcp/private.h"
#include "tcp/socket.h"

#include "base/clock.h"
#include "base/log.h"

#include <string.h>

/* Seconds that a connection stood at least where nothing that arrived tells of the way.
 */
#define LEAST_STALL 1.0

static size_t frame_bytes(const mtree_tcp_message_t *message)
{
    return MTREE_TCP_HEADER + message->frame.length;
}

/* Is @a link that of a message of the stream that is written, if all before it are? */
static bool is_written(const mtree_tcp_connection_t *connection, const mtree_list_t *link)
{
    return link != &connection->stream &&
           (connection->sending == NULL || link != &connection->sending->link);
}

void mtree_tcp_connection_hold(mtree_tcp_connection_t *connection)
{
    mtree_tcp_message_t *message = connection->sending;
    const bool is_awaited = message->is_synchronous && message->done != NULL;
    mtree_list_t *next = message->link.next;

    connection->sent += frame_bytes(message);
    message->end = connection->written;
    message->until = connection->sent;
    connection->sending = next == &connection->stream
                              ? NULL
                              : MTREE_CONTAINER_OF(next, mtree_tcp_message_t, link);
    if (is_awaited) {
        return;
    }
    if (connection->peer->dial == NULL) {
        mtree_tcp_message_complete(message, MTREE_OK);
    } else {
        mtree_tcp_message_leave_copy(message, MTREE_OK);
    }
}

/* The peer has read up to @a position. */
static void release(mtree_tcp_connection_t *connection, uint64_t position)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &connection->stream)
    {
        mtree_tcp_message_t *message =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (!is_written(connection, link) || message->until > position) {
            return;
        }
        mtree_tcp_message_complete(message, MTREE_OK);
    }
}

/* In a call @a connection was made again in vain: both ends have read no more than at the
 * last time.  Packets that are short arrive, since they made it. */
static void stall(mtree_tcp_connection_t *connection)
{
    const mtree_tcp_peer_t *peer = connection->peer;

    connection->stalls++;
    if (peer->dial->dials && connection->mss == 0) {
        connection->mss = MTREE_TCP_DEFAULT_MSS;
        mtree_error(
            "long packets to or from %s are lost; it gets short ones from now on; "
            "lower the MTU of the interfaces of both hosts",
            peer->name);
    }
}

/* It is made again, when the peer has read up to @a position.  At the first time one that
 * has carried nothing may have been idle. */
static void note_progress(mtree_tcp_connection_t *connection, uint64_t position)
{
    const double now = mtree_clock_seconds();

    if (connection->progress < position + connection->received) {
        connection->stalls = 0;
    } else if (connection->made > 0 && now > connection->made + LEAST_STALL &&
               (connection->remade || connection->progress > 0) &&
               connection->peer->num_running > 0) {
        stall(connection);
    }
    connection->remade = connection->made > 0;
    connection->progress = position + connection->received;
    connection->made = now;
}

bool mtree_tcp_connection_rewind(mtree_tcp_connection_t *connection, uint64_t position)
{
    const mtree_tcp_message_t *sending = connection->sending;
    mtree_tcp_message_t *first;
    mtree_list_t *link;

    if (position > connection->sent + (sending == NULL ? 0 : sending->moved)) {
        return false;
    }
    release(connection, position);
    first = mtree_list_is_empty(&connection->stream)
                ? NULL
                : MTREE_CONTAINER_OF(connection->stream.next, mtree_tcp_message_t, link);
    if (first != sending) {
        connection->sent = first->until - frame_bytes(first);
    }
    if (position < connection->sent) {
        return false;
    }
    MTREE_LIST_FOR_EACH(link, &connection->stream)
    {
        MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link)->moved = 0;
    }
    connection->sending = first;
    if (first != NULL) {
        first->moved = (size_t)(position - connection->sent);
    }
    note_progress(connection, position);
    return true;
}

void mtree_tcp_connection_give_up(mtree_tcp_connection_t *connection,
                                  const mtree_tcp_session_t *session)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &connection->stream)
    {
        mtree_tcp_message_t *message =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (session != NULL && (message->done == NULL || message->session != session)) {
            continue;
        }
        if (session == NULL ||
            (connection->peer->dial == NULL && message != connection->sending)) {
            mtree_tcp_message_complete(message, MTREE_ERR_TRANSPORT);
        } else {
            mtree_tcp_message_leave_copy(message, MTREE_ERR_TRANSPORT);
        }
    }
    connection->sending = session == NULL ? NULL : connection->sending;
}

/* Is no message of the session of @a message behind it? */
static bool is_last(const mtree_tcp_connection_t *connection,
                    const mtree_tcp_message_t *message)
{
    const mtree_list_t *link = message->link.next;

    while (is_written(connection, link)) {
        const mtree_tcp_message_t *next =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (next->done != NULL && next->is_synchronous &&
            memcmp(&next->frame.key, &message->frame.key, sizeof(next->frame.key)) == 0) {
            return false;
        }
        link = link->next;
    }
    return true;
}

void mtree_tcp_connection_confirm_by(mtree_tcp_connection_t *connection,
                                     size_t unacknowledged, size_t missing)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &connection->stream)
    {
        mtree_tcp_message_t *message =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (!is_written(connection, link) ||
            message->end + missing > connection->written) {
            return;
        }
        if (message->end + unacknowledged <= connection->written ||
            (message->peer->dial == NULL && !is_last(connection, message))) {
            mtree_tcp_message_complete(message, MTREE_OK);
        } else if (message->done != NULL && !is_last(connection, message)) {
            mtree_tcp_message_leave_copy(message, MTREE_OK);
        }
    }
}

void mtree_tcp_connection_confirm(mtree_tcp_connection_t *connection)
{
    size_t unacknowledged, missing;

    if (is_written(connection, connection->stream.next)) {
        missing = mtree_tcp_socket_missing(connection->socket, &unacknowledged);
        mtree_tcp_connection_confirm_by(connection, unacknowledged, missing);
    }
}

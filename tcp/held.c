/* SPDX-License-Identifier: BSD-3-Clause */
/* What a connection has written and may have to write again. */
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

void mtree_tcp_connection_hold(mtree_tcp_connection_t *connection,
                               mtree_tcp_message_t *message)
{
    const bool is_awaited = message->is_synchronous && message->done != NULL;

    connection->sent += frame_bytes(message);
    message->end = connection->written;
    message->until = connection->sent;
    if (connection->peer->dial == NULL && !is_awaited) {
        mtree_tcp_message_complete(message, MTREE_OK);
        return;
    }
    mtree_list_append(&connection->under_way, &message->link);
    if (!is_awaited) {
        /* Without memory it ends later. */
        (void)mtree_tcp_message_leave_copy(message, MTREE_OK);
    }
}

/* The peer has read up to @a position. */
static void release(mtree_tcp_connection_t *connection, uint64_t position)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &connection->under_way)
    {
        mtree_tcp_message_t *message =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (message->until > position) {
            return;
        }
        mtree_tcp_message_complete(message, MTREE_OK);
    }
}

static mtree_tcp_message_t *first_of(mtree_list_t *list)
{
    return mtree_list_is_empty(list)
               ? NULL
               : MTREE_CONTAINER_OF(list->next, mtree_tcp_message_t, link);
}

/* Have all that is kept before what waits to be written again. */
static void gather(mtree_tcp_connection_t *connection)
{
    if (connection->sending != NULL) {
        mtree_list_append(&connection->under_way, &connection->sending->link);
        connection->sending = NULL;
    }
    mtree_list_move(&connection->under_way, &connection->again);
    mtree_list_move(&connection->again, &connection->under_way);
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
    const uint64_t all = connection->sent;
    mtree_tcp_message_t *first;
    mtree_list_t *link;

    release(connection, position);
    MTREE_LIST_FOR_EACH(link, &connection->under_way)
    {
        connection->sent -=
            frame_bytes(MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link));
    }
    first =
        connection->sending != NULL ? connection->sending : first_of(&connection->again);
    if (position < connection->sent ||
        position > all + (first == NULL ? 0 : first->moved)) {
        return false;
    }
    gather(connection);
    MTREE_LIST_FOR_EACH(link, &connection->again)
    {
        MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link)->moved = 0;
    }
    first = first_of(&connection->again);
    if (first != NULL) {
        first->moved = (size_t)(position - connection->sent);
    }
    note_progress(connection, position);
    return true;
}

/* End what is of @a session (NULL: of any) in @a list. */
static bool give_up(mtree_tcp_connection_t *connection, mtree_list_t *list,
                    const mtree_tcp_session_t *session)
{
    bool is_kept = true;
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, list)
    {
        mtree_tcp_message_t *message =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (session == NULL) {
            mtree_tcp_message_complete(message, connection->peer->status);
        } else if (message->done == NULL || message->session != session) {
            continue;
        } else if (connection->peer->dial == NULL) {
            mtree_tcp_message_complete(message, MTREE_ERR_TRANSPORT);
        } else {
            is_kept =
                mtree_tcp_message_leave_copy(message, MTREE_ERR_TRANSPORT) && is_kept;
        }
    }
    return is_kept;
}

bool mtree_tcp_connection_give_up(mtree_tcp_connection_t *connection,
                                  const mtree_tcp_session_t *session)
{
    bool is_kept = give_up(connection, &connection->under_way, session);

    return give_up(connection, &connection->again, session) && is_kept;
}

/* Is no message of the session of @a message behind it? */
static bool is_last(const mtree_tcp_connection_t *connection,
                    const mtree_tcp_message_t *message)
{
    const mtree_list_t *link = message->link.next;

    while (link != &connection->under_way) {
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

    MTREE_LIST_FOR_EACH_SAFE(link, next, &connection->under_way)
    {
        mtree_tcp_message_t *message =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (message->end + missing > connection->written) {
            return;
        }
        if (message->end + unacknowledged <= connection->written ||
            (message->peer->dial == NULL && !is_last(connection, message))) {
            mtree_tcp_message_complete(message, MTREE_OK);
        } else if (message->done != NULL && !is_last(connection, message)) {
            (void)mtree_tcp_message_leave_copy(message, MTREE_OK);
        }
    }
}

void mtree_tcp_connection_confirm(mtree_tcp_connection_t *connection)
{
    size_t unacknowledged, missing;

    if (!mtree_list_is_empty(&connection->under_way)) {
        missing = mtree_tcp_socket_missing(connection->socket, &unacknowledged);
        mtree_tcp_connection_confirm_by(connection, unacknowledged, missing);
    }
}

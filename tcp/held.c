/* SPDX-License-Identifier: BSD-3-Clause */
/* What a connection has written and may have to write again. */
#include "tcp/private.h"

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
    if (connection->peer->redial == NULL && !is_awaited) {
        mtree_tcp_message_complete(message, MTREE_OK);
        return;
    }
    mtree_list_append(&connection->under_way, &message->link);
    if (!is_awaited) {
        mtree_tcp_message_keep(message);
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
        } else if (connection->peer->redial == NULL) {
            mtree_tcp_message_complete(message, MTREE_ERR_TRANSPORT);
        } else {
            is_kept = mtree_tcp_message_detach(message) && is_kept;
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

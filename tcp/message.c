/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

mtree_tcp_message_t *mtree_tcp_message_create(mtree_tcp_peer_t *peer,
                                              mtree_tcp_session_t *session)
{
    mtree_list_t *link = mtree_list_take(&peer->tcp->spare);
    mtree_tcp_message_t *message =
        link == NULL ? mtree_malloc(sizeof(*message))
                     : MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

    memset(message, 0, sizeof(*message));
    mtree_list_init(&message->link);
    message->peer = peer;
    message->session = session;
    if (session != NULL) {
        message->frame.key = session->key;
    }
    return message;
}

void mtree_tcp_message_free(mtree_tcp_message_t *message)
{
    mtree_list_remove(&message->link);
    if (message->is_owned) {
        free(message->bytes);
    }
    mtree_list_append(&message->peer->tcp->spare, &message->link);
}

/* Nobody waits for @a message any more. */
static void message_end(mtree_tcp_message_t *message, mtree_status_t status)
{
    mtree_tcp_t *tcp = message->peer->tcp;
    mtree_completion_t *done = message->done;

    if (done != NULL) {
        done->status = status;
        mtree_list_append(&tcp->completed, &done->link);
        tcp->num_completed++;
        message->done = NULL;
    }
}

void mtree_tcp_message_complete(mtree_tcp_message_t *message, mtree_status_t status)
{
    message_end(message, status);
    mtree_tcp_message_free(message);
}

void mtree_tcp_messages_fail(mtree_list_t *list, const mtree_tcp_session_t *session)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, list)
    {
        mtree_tcp_message_t *message =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (session == NULL || (message->session == session && message->done != NULL)) {
            mtree_tcp_message_complete(message, MTREE_ERR_TRANSPORT);
        }
    }
}

void mtree_tcp_message_leave_copy(mtree_tcp_message_t *message, mtree_status_t status)
{
    char *copy;

    if (message->done == NULL) {
        return;
    }
    copy = mtree_malloc(message->frame.length);
    if (message->frame.length > 0) {
        memcpy(copy, message->bytes, message->frame.length);
    }
    message->bytes = copy;
    message->is_owned = true;
    message_end(message, status);
}

void mtree_tcp_message_enqueue(mtree_tcp_message_t *message)
{
    mtree_tcp_peer_t *peer = message->peer;

    mtree_tcp_frame_write(&message->frame, message->header);
    mtree_list_append(message->frame.length > 0 ? &peer->queue : &peer->urgent,
                      &message->link);
}

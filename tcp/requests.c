/* SPDX-License-Identifier: BSD-3-Clause */
/* What the owner of a session asks for: to begin it, to send and to receive. */
#include "tcp/private.h"

mtree_tcp_session_t *mtree_tcp_session_begin(mtree_tcp_peer_t *peer,
                                             const mtree_tcp_key_t *key, int rank,
                                             double rate, void *owner)
{
    mtree_tcp_session_t *session = mtree_tcp_session_get(peer, key);
    mtree_tcp_message_t *message;

    if (!session->has_begun) {
        mtree_tcp_peer_plan(peer, rate);
        peer->num_running++;
        session->has_begun = true;
        mtree_tcp_session_discharge(session);
        session->rank = rank;
        session->owner = owner;
        message = mtree_tcp_message_create(peer, session);
        message->frame.kind = MTREE_TCP_OPEN;
        mtree_tcp_message_enqueue(message);
        mtree_tcp_peer_pump(peer);
    }
    return session;
}

/* A message of @a length bytes with @a tag, whose number follows; NULL: none can be sent
 * or received. */
static mtree_tcp_message_t *message_begin(mtree_tcp_session_t *session, uint32_t tag,
                                          void *bytes, size_t length,
                                          mtree_completion_t *done)
{
    mtree_tcp_message_t *message;

    if (session->peer->has_failed) {
        mtree_tcp_peer_log(session->peer);
        return NULL;
    }
    if (session->is_abandoned) {
        return NULL;
    }
    message = mtree_tcp_message_create(session->peer, session);
    message->done = done;
    message->frame.tag = tag;
    message->frame.length = length;
    message->bytes = bytes;
    return message;
}

mtree_status_t mtree_tcp_send(mtree_tcp_session_t *session, uint32_t tag,
                              const void *bytes, size_t length, bool synchronous,
                              mtree_completion_t *done)
{
    mtree_tcp_message_t *message =
        message_begin(session, tag, (void *)bytes, length, done);

    if (message == NULL) {
        return MTREE_ERR_TRANSPORT;
    }
    message->is_synchronous = synchronous;
    message->frame.sequence = mtree_tcp_session_flow(session, tag)->next_sent++;
    if (!session->is_open && session->ahead + length > MTREE_TCP_AHEAD) {
        mtree_list_append(&session->held, &message->link);
        return MTREE_OK;
    }
    session->ahead += length;
    mtree_tcp_message_enqueue(message);
    mtree_tcp_peer_pump(session->peer);
    return MTREE_OK;
}

mtree_status_t mtree_tcp_recv(mtree_tcp_session_t *session, uint32_t tag, void *bytes,
                              size_t length, mtree_completion_t *done)
{
    mtree_tcp_message_t *message = message_begin(session, tag, bytes, length, done);

    if (message == NULL) {
        return MTREE_ERR_TRANSPORT;
    }
    if (mtree_tcp_flow_post(mtree_tcp_session_flow(session, tag), message)) {
        mtree_tcp_peer_unstick(session->peer);
    }
    return MTREE_OK;
}

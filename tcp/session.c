/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/private.h"

#include "base/array.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Messages that came before their receives, of all sessions of a peer, beyond which
 * nothing more is read, as of their bytes: they may have none. */
#define MOST_EARLY 65536

static bool session_equals(const mtree_hash_link_t *link, const void *key)
{
    const mtree_tcp_session_t *session =
        MTREE_CONTAINER_OF(link, mtree_tcp_session_t, by_key);

    return memcmp(&session->key, key, sizeof(session->key)) == 0;
}

static uint64_t hash_key(const mtree_tcp_key_t *key)
{
    return mtree_hash_bytes(MTREE_HASH_INIT, key, sizeof(*key));
}

mtree_tcp_session_t *mtree_tcp_session_find(mtree_tcp_peer_t *peer,
                                            const mtree_tcp_key_t *key)
{
    mtree_hash_link_t *link =
        mtree_hash_table_find(&peer->by_key, hash_key(key), session_equals, key);

    return link == NULL ? NULL : MTREE_CONTAINER_OF(link, mtree_tcp_session_t, by_key);
}

/* @a bytes more of memory, of @a session, which has not begun here, are the peer's doing.
 */
static void session_charge(mtree_tcp_session_t *session, size_t bytes)
{
    if (session->peer->budget != NULL && !session->has_begun) {
        session->charged += bytes;
        session->peer->budget->used += bytes;
    }
}

/* Would the peer take too much memory here by @a bytes more? */
static bool takes_too_much(const mtree_tcp_peer_t *peer, size_t bytes)
{
    return peer->budget != NULL && peer->budget->used + bytes > peer->budget->most;
}

mtree_tcp_session_t *mtree_tcp_session_get(mtree_tcp_peer_t *peer,
                                           const mtree_tcp_key_t *key)
{
    mtree_tcp_session_t *session = mtree_tcp_session_find(peer, key);

    if (session != NULL) {
        return session;
    }
    session = mtree_calloc(1, sizeof(*session));
    session->peer = peer;
    session->key = *key;
    mtree_list_init(&session->held);
    mtree_list_init(&session->flows);
    mtree_list_append(&peer->sessions, &session->link);
    mtree_hash_table_add(&peer->by_key, &session->by_key, hash_key(key));
    session_charge(session, sizeof(*session));
    return session;
}

/* @a early, which came so for @a flow, is thrown away or taken. */
static void early_leave(mtree_tcp_flow_t *flow, mtree_tcp_message_t *early)
{
    mtree_hash_table_remove(&flow->by_sequence, &early->by_sequence);
    early->peer->early -= early->frame.length;
    early->peer->num_early--;
}

/* What came early for @a flow is thrown away. */
static void flow_forget_early(mtree_tcp_flow_t *flow)
{
    while (!mtree_list_is_empty(&flow->early)) {
        mtree_tcp_message_t *early =
            MTREE_CONTAINER_OF(flow->early.next, mtree_tcp_message_t, link);

        if (early->taker != NULL) {
            mtree_tcp_message_complete(early->taker, MTREE_ERR_TRANSPORT);
        }
        early_leave(flow, early);
        mtree_tcp_message_free(early);
    }
    mtree_hash_table_cleanup(&flow->by_sequence);
}

void mtree_tcp_session_discharge(mtree_tcp_session_t *session)
{
    if (session->charged > 0) {
        session->peer->budget->used -= session->charged;
        session->charged = 0;
    }
}

static void session_clear(mtree_tcp_session_t *session)
{
    mtree_list_t *link;

    while ((link = mtree_list_take(&session->flows)) != NULL) {
        mtree_tcp_flow_t *flow = MTREE_CONTAINER_OF(link, mtree_tcp_flow_t, link);

        flow_forget_early(flow);
        free(flow);
    }
    mtree_hash_table_cleanup(&session->flow_of);
    session->ahead = session->early = 0;
    mtree_tcp_session_discharge(session);
    session->peer->num_running -= session->has_begun;
    session->has_begun = session->is_open = false;
}

void mtree_tcp_session_free(mtree_tcp_session_t *session)
{
    session_clear(session);
    mtree_list_remove(&session->link);
    mtree_hash_table_remove(&session->peer->by_key, &session->by_key);
    free(session);
}

/* The hash of a tag is the tag. */
static bool is_flow(const mtree_hash_link_t *link, const void *unused)
{
    (void)link;
    (void)unused;
    return true;
}

mtree_tcp_flow_t *mtree_tcp_session_flow(mtree_tcp_session_t *session, uint32_t tag)
{
    mtree_hash_link_t *link =
        mtree_hash_table_find(&session->flow_of, tag, is_flow, NULL);
    mtree_tcp_flow_t *flow;

    if (link != NULL) {
        return MTREE_CONTAINER_OF(link, mtree_tcp_flow_t, by_tag);
    }
    flow = mtree_calloc(1, sizeof(*flow));
    mtree_list_init(&flow->posted);
    mtree_list_init(&flow->early);
    mtree_hash_table_add(&session->flow_of, &flow->by_tag, tag);
    mtree_list_append(&session->flows, &flow->link);
    /* With its bucket, of which there are at most two for each. */
    session_charge(session, sizeof(*flow) + 2 * sizeof(flow));
    return flow;
}

/* Receive number @a sequence of those that are posted; NULL: it is not there. */
static mtree_tcp_message_t *find_posted(mtree_list_t *list, uint32_t sequence)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, list)
    {
        mtree_tcp_message_t *message =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (message->frame.sequence == sequence) {
            return message;
        }
    }
    return NULL;
}

static uint64_t hash_sequence(uint32_t sequence)
{
    return mtree_hash_bytes(MTREE_HASH_INIT, &sequence, sizeof(sequence));
}

static bool sequence_equals(const mtree_hash_link_t *link, const void *sequence)
{
    return MTREE_CONTAINER_OF(link, mtree_tcp_message_t, by_sequence)->frame.sequence ==
           *(const uint32_t *)sequence;
}

/* Message number @a sequence, which came early; NULL: it did not. */
static mtree_tcp_message_t *find_early(const mtree_tcp_flow_t *flow, uint32_t sequence)
{
    mtree_hash_link_t *link = mtree_hash_table_find(
        &flow->by_sequence, hash_sequence(sequence), sequence_equals, &sequence);

    return link == NULL ? NULL
                        : MTREE_CONTAINER_OF(link, mtree_tcp_message_t, by_sequence);
}

void mtree_tcp_session_close(mtree_tcp_session_t *session)
{
    session->owed += !session->is_open;
    session_clear(session);
    if (session->owed == 0) {
        mtree_tcp_session_free(session);
    }
}

/* The peer has begun a session with the key of @a session; false: it had before.  Those
 * that have ended here come first.  Of another one it has receives for what is held, or
 * will. */
static bool session_open(mtree_tcp_session_t *session)
{
    mtree_list_t *link;

    if (session->owed > 0) {
        if (--session->owed == 0 && !session->has_begun &&
            mtree_list_is_empty(&session->flows)) {
            mtree_tcp_session_free(session);
        }
        return true;
    }
    if (session->is_open) {
        return false;
    }
    session->is_open = true;
    while ((link = mtree_list_take(&session->held)) != NULL) {
        mtree_tcp_message_enqueue(MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link));
    }
    return true;
}

/* @a early, which is complete, is what @a message waits for, of @a flow. */
static void message_take(mtree_tcp_flow_t *flow, mtree_tcp_message_t *message,
                         mtree_tcp_message_t *early)
{
    mtree_status_t status = MTREE_OK;

    if (early->frame.length > message->frame.length) {
        status = MTREE_ERR_INVALID;
    } else if (early->frame.length > 0) {
        memcpy(message->bytes, early->bytes, early->frame.length);
    }
    early_leave(flow, early);
    message->frame.length = early->frame.length;
    mtree_tcp_message_free(early);
    mtree_tcp_message_complete(message, status);
}

bool mtree_tcp_flow_post(mtree_tcp_flow_t *flow, mtree_tcp_message_t *message)
{
    mtree_tcp_message_t *early;

    message->frame.sequence = flow->next_posted++;
    early = find_early(flow, message->frame.sequence);
    if (early != NULL && !early->has_arrived) {
        early->taker = message;
        return false;
    }
    if (early == NULL) {
        mtree_list_append(&flow->posted, &message->link);
    } else {
        message_take(flow, message, early);
    }
    return true;
}

/* Memory for a frame that has no receive yet; NULL: there is none for one that a
 * connection is drained of, which may claim any length. */
static mtree_tcp_message_t *early_create(mtree_tcp_session_t *session,
                                         mtree_tcp_flow_t *flow,
                                         const mtree_tcp_frame_t *frame)
{
    mtree_tcp_message_t *message;
    char *bytes = session->peer->is_draining ? malloc(frame->length + 1)
                                             : mtree_malloc(frame->length);

    if (bytes == NULL) {
        return NULL;
    }
    message = mtree_tcp_message_create(session->peer, session);
    message->frame = *frame;
    message->is_owned = true;
    message->bytes = bytes;
    session->peer->early += frame->length;
    session->peer->num_early++;
    session_charge(session, sizeof(*message) + frame->length);
    mtree_list_append(&flow->early, &message->link);
    mtree_hash_table_add(&flow->by_sequence, &message->by_sequence,
                         hash_sequence(frame->sequence));
    return message;
}

static int break_rules(mtree_tcp_connection_t *connection, const char *reason)
{
    connection->reason = reason;
    return -1;
}

#define TOO_MUCH "it takes more memory here than it may"

/* As mtree_tcp_session_place(), of a frame that has no receive yet. */
static int place_early(mtree_tcp_connection_t *connection, mtree_tcp_session_t *session,
                       mtree_tcp_flow_t *flow, const mtree_tcp_frame_t *frame)
{
    const mtree_tcp_peer_t *peer = session->peer;

    if (frame->sequence < flow->next_posted || find_early(flow, frame->sequence)) {
        return break_rules(connection, "it sent a message twice");
    }
    if (session->has_begun && !peer->is_draining &&
        (peer->early + frame->length > MTREE_TCP_EARLY ||
         peer->num_early >= MOST_EARLY)) {
        return 0;
    }
    session->early += frame->length;
    if (!session->has_begun && session->early > MTREE_TCP_AHEAD) {
        return break_rules(connection, "it sent too much before this end had begun");
    }
    if (!session->has_begun &&
        takes_too_much(peer, sizeof(*connection->reading) + frame->length)) {
        return break_rules(connection, TOO_MUCH);
    }
    connection->reading = early_create(session, flow, frame);
    return connection->reading != NULL
               ? 1
               : break_rules(connection, "there is no memory for what it sends");
}

int mtree_tcp_session_place(mtree_tcp_connection_t *connection,
                            const mtree_tcp_frame_t *frame)
{
    mtree_tcp_session_t *session;
    mtree_tcp_message_t *message;
    mtree_tcp_flow_t *flow;

    if (frame->kind == MTREE_TCP_TAIL_PROBE) {
        return 1;
    }
    session = mtree_tcp_session_get(connection->peer, &frame->key);
    if (session->is_abandoned) {
        return 1;
    }
    if (takes_too_much(session->peer, 0)) {
        return break_rules(connection, TOO_MUCH);
    }
    if (frame->kind == MTREE_TCP_OPEN) {
        return session_open(session)
                   ? 1
                   : break_rules(connection, "it began a session twice");
    }
    flow = mtree_tcp_session_flow(session, frame->tag);
    message = find_posted(&flow->posted, frame->sequence);
    if (message == NULL) {
        return place_early(connection, session, flow, frame);
    }
    if (frame->length > message->frame.length) {
        mtree_tcp_message_complete(message, MTREE_ERR_INVALID);
        return 1;
    }
    mtree_list_remove(&message->link);
    message->frame.length = frame->length;
    connection->reading = message;
    return 1;
}

void mtree_tcp_session_arrived(mtree_tcp_message_t *message)
{
    if (!message->is_owned) {
        mtree_tcp_message_complete(message, MTREE_OK);
    } else if (message->taker != NULL) {
        message_take(mtree_tcp_session_flow(message->session, message->frame.tag),
                     message->taker, message);
    } else {
        message->has_arrived = true;
    }
}

void mtree_tcp_session_fail(mtree_tcp_session_t *session)
{
    mtree_list_t *link;

    mtree_tcp_messages_fail(&session->held, NULL);
    MTREE_LIST_FOR_EACH(link, &session->flows)
    {
        mtree_tcp_flow_t *flow = MTREE_CONTAINER_OF(link, mtree_tcp_flow_t, link);

        mtree_tcp_messages_fail(&flow->posted, NULL);
        flow_forget_early(flow);
    }
}

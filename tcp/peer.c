/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/private.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "tcp/socket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mtree_tcp_peer_t *mtree_tcp_peer_create(mtree_tcp_t *tcp, const char *name, int silence,
                                        mtree_tcp_budget_t *budget)
{
    mtree_tcp_peer_t *peer = mtree_calloc(1, sizeof(*peer));

    peer->tcp = tcp;
    peer->silence = silence;
    peer->budget = budget;
    (void)snprintf(peer->name, sizeof(peer->name), "%s", name);
    mtree_list_init(&peer->sessions);
    mtree_list_init(&peer->urgent);
    mtree_list_init(&peer->queue);
    mtree_list_append(&tcp->peers, &peer->link);
    return peer;
}

void mtree_tcp_peer_connect(mtree_tcp_peer_t *peer, int socket,
                            const mtree_tls_key_t *key)
{
    const int number = peer->num_connections++;

    mtree_tcp_connection_init(peer, number, socket);
    if (!mtree_tcp_connection_open(&peer->connections[number], socket, key)) {
        mtree_tcp_peer_fail(peer, peer->connections[number].reason);
        return;
    }
    mtree_tcp_peer_use(peer, MTREE_TCP_TUNING_NONE);
    mtree_tcp_peer_pump(peer);
}

/* @a connection has failed.  False: and with it its peer. */
static bool peer_lose(mtree_tcp_connection_t *connection)
{
    if (connection->is_cut && connection->peer->dial != NULL) {
        return mtree_tcp_connection_lose(connection);
    }
    mtree_tcp_peer_fail(connection->peer, connection->reason);
    return false;
}

/* False: the peer has failed. */
static bool peer_read(mtree_tcp_connection_t *connection)
{
    return mtree_tcp_connection_read(connection) || peer_lose(connection);
}

/* Go on with what is written in part, or to be written again; false: the peer has failed.
 */
static bool finish_writing(mtree_tcp_peer_t *peer)
{
    for (int i = 0; i < peer->num_connections; i++) {
        mtree_tcp_connection_t *connection = &peer->connections[i];

        while (connection->is_writable && connection->sending != NULL) {
            if (!mtree_tcp_connection_write(connection) && !peer_lose(connection)) {
                return false;
            }
        }
    }
    return true;
}

/* The first message that waits, which stays; NULL: none does. */
static mtree_tcp_message_t *first_message(mtree_tcp_peer_t *peer)
{
    mtree_list_t *list =
        mtree_list_is_empty(&peer->urgent) ? &peer->queue : &peer->urgent;

    return mtree_list_is_empty(list)
               ? NULL
               : MTREE_CONTAINER_OF(list->next, mtree_tcp_message_t, link);
}

void mtree_tcp_peer_pump(mtree_tcp_peer_t *peer)
{
    mtree_tcp_connection_t *connection;
    mtree_tcp_message_t *message;

    if (!finish_writing(peer)) {
        return;
    }
    while ((message = first_message(peer)) != NULL &&
           (connection = mtree_tcp_peer_next(peer, message->frame.length)) != NULL) {
        mtree_list_remove(&message->link);
        if (!mtree_tcp_connection_send(connection, message) && !peer_lose(connection)) {
            return;
        }
    }
}

void mtree_tcp_peer_unstick(mtree_tcp_peer_t *peer)
{
    for (int i = 0; i < peer->num_connections; i++) {
        if (peer->connections[i].is_stuck && !peer_read(&peer->connections[i])) {
            return;
        }
    }
}

void mtree_tcp_peer_work(mtree_tcp_peer_t *peer)
{
    peer->is_active = false;
    for (int i = 0; i < peer->num_connections; i++) {
        if (!peer_read(&peer->connections[i])) {
            return;
        }
    }
    mtree_tcp_peer_pump(peer);
}

void mtree_tcp_peer_look(mtree_tcp_peer_t *peer, double now)
{
    for (int i = 0; i < peer->num_connections; i++) {
        if (!mtree_tcp_connection_look(&peer->connections[i], now) &&
            !peer_lose(&peer->connections[i])) {
            return;
        }
    }
    mtree_tcp_peer_tune(peer, now);
}

/* Close it and end what is half sent or received. */
static void connection_end(mtree_tcp_connection_t *connection)
{
    mtree_tcp_connection_give_up(connection, NULL);
    /* What comes early is in its flow's list. */
    if (connection->reading != NULL && !connection->reading->is_owned) {
        mtree_tcp_message_complete(connection->reading, MTREE_ERR_TRANSPORT);
    }
    mtree_tcp_dialer_end(&connection->attempt.dialer);
    if (connection->is_lost) {
        connection->peer->tcp->num_lost--;
    } else {
        mtree_tcp_connection_close(connection);
    }
}

/* The first session of @a peer; NULL: there is none. */
static mtree_tcp_session_t *first_session(mtree_tcp_peer_t *peer)
{
    return mtree_list_is_empty(&peer->sessions)
               ? NULL
               : MTREE_CONTAINER_OF(peer->sessions.next, mtree_tcp_session_t, link);
}

/* What came early for sessions that have not begun here nobody will ask for. */
static void peer_disconnect(mtree_tcp_peer_t *peer)
{
    mtree_list_t *link, *next;

    for (int i = 0; i < peer->num_connections; i++) {
        connection_end(&peer->connections[i]);
    }
    peer->num_connections = peer->width = 0;
    if (peer->dial != NULL) {
        explicit_bzero(&peer->dial->key, sizeof(peer->dial->key));
    }
    mtree_tcp_messages_fail(&peer->urgent, NULL);
    mtree_tcp_messages_fail(&peer->queue, NULL);
    MTREE_LIST_FOR_EACH_SAFE(link, next, &peer->sessions)
    {
        mtree_tcp_session_t *session =
            MTREE_CONTAINER_OF(link, mtree_tcp_session_t, link);

        mtree_tcp_session_fail(session);
        if (!session->has_begun) {
            mtree_tcp_session_free(session);
        }
    }
}

void mtree_tcp_peer_log(mtree_tcp_peer_t *peer)
{
    if (!peer->is_logged) {
        mtree_clock_sleep(peer->tcp->grace);
        peer->is_logged = true;
        mtree_error("lost the TCP connections to %s in a call: %s", peer->name,
                    peer->reason);
    }
}

void mtree_tcp_peer_fail(mtree_tcp_peer_t *peer, const char *reason)
{
    int before = peer->tcp->num_completed;

    if (peer->has_failed) {
        return;
    }
    peer->has_failed = true;
    (void)snprintf(peer->reason, sizeof(peer->reason), "%s", reason);
    peer_disconnect(peer);
    /* A peer that has nothing to do may have ended. */
    if (peer->tcp->num_completed > before) {
        mtree_tcp_peer_log(peer);
    }
}

/* What the connection reads for @a session is thrown away: the peer may have begun a
 * message that nobody receives. */
static void connection_detach(mtree_tcp_connection_t *connection,
                              const mtree_tcp_session_t *session)
{
    mtree_tcp_message_t *reading = connection->reading;

    if (reading == NULL || reading->session != session) {
        return;
    }
    connection->reading = NULL;
    connection->place = NULL;
    if (!reading->is_owned) {
        mtree_tcp_message_complete(reading, MTREE_ERR_TRANSPORT);
    }
}

void mtree_tcp_session_end(mtree_tcp_peer_t *peer, const mtree_tcp_key_t *key,
                           bool is_failed)
{
    mtree_tcp_session_t *session = mtree_tcp_session_find(peer, key);

    if (session == NULL || !session->has_begun) {
        return;
    }
    for (int i = 0; i < peer->num_connections; i++) {
        connection_detach(&peer->connections[i], session);
    }
    if (!is_failed) {
        mtree_tcp_session_close(session);
        return;
    }
    session->is_abandoned = true;
    for (int i = 0; i < peer->num_connections; i++) {
        mtree_tcp_connection_give_up(&peer->connections[i], session);
    }
    mtree_tcp_messages_fail(&peer->urgent, session);
    mtree_tcp_messages_fail(&peer->queue, session);
    mtree_tcp_session_fail(session);
}

void mtree_tcp_peer_destroy(mtree_tcp_peer_t *peer)
{
    mtree_tcp_session_t *session;

    peer->has_failed = true;
    peer_disconnect(peer);
    while ((session = first_session(peer)) != NULL) {
        mtree_tcp_session_free(session);
    }
    mtree_hash_table_cleanup(&peer->by_key);
    mtree_list_remove(&peer->link);
    if (peer->dial != NULL) {
        explicit_bzero(peer->dial, sizeof(*peer->dial));
        free(peer->dial);
    }
    free(peer);
}

static void reroute_list(mtree_list_t *list, bool sends, mtree_tcp_reroute_t reroute)
{
    mtree_list_t *link;

    while ((link = mtree_list_take(list)) != NULL) {
        mtree_tcp_message_t *message =
            MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link);

        if (message->done != NULL) {
            reroute(message->session->owner, message->session->rank, sends,
                    message->frame.tag, message->bytes, message->frame.length,
                    message->done);
        }
        mtree_tcp_message_free(message);
    }
}

void mtree_tcp_peer_reroute(mtree_tcp_peer_t *peer, mtree_tcp_reroute_t reroute)
{
    mtree_tcp_session_t *session;
    mtree_list_t *link;

    reroute_list(&peer->urgent, true, reroute);
    reroute_list(&peer->queue, true, reroute);
    while ((session = first_session(peer)) != NULL) {
        reroute_list(&session->held, true, reroute);
        MTREE_LIST_FOR_EACH(link, &session->flows)
        {
            reroute_list(&MTREE_CONTAINER_OF(link, mtree_tcp_flow_t, link)->posted, false,
                         reroute);
        }
        mtree_tcp_session_free(session);
    }
}

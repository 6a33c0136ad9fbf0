/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/private.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

/* Events that one poll takes. */
#define EVENTS 64

/* Seconds between two looks at the messages under way: a part of the time that a chunk
 * takes on a link where that counts. */
#define LOOK 0.0005

mtree_status_t mtree_tcp_create(double grace, mtree_tcp_t **tcp_p)
{
    mtree_tcp_t *tcp = mtree_calloc(1, sizeof(*tcp));

    tcp->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (tcp->epoll < 0) {
        mtree_error("TCP connections cannot be watched: %s", strerror(errno));
        free(tcp);
        return MTREE_ERR_IO;
    }
    tcp->grace = grace;
    mtree_list_init(&tcp->peers);
    mtree_list_init(&tcp->completed);
    mtree_list_init(&tcp->spare);
    *tcp_p = tcp;
    return MTREE_OK;
}

void mtree_tcp_destroy(mtree_tcp_t *tcp)
{
    mtree_list_t *link;

    if (tcp == NULL) {
        return;
    }
    while (!mtree_list_is_empty(&tcp->peers)) {
        mtree_tcp_peer_destroy(
            MTREE_CONTAINER_OF(tcp->peers.next, mtree_tcp_peer_t, link));
    }
    while ((link = mtree_list_take(&tcp->spare)) != NULL) {
        free(MTREE_CONTAINER_OF(link, mtree_tcp_message_t, link));
    }
    (void)close(tcp->epoll);
    free(tcp);
}

int mtree_tcp_descriptor(const mtree_tcp_t *tcp)
{
    return tcp->epoll;
}

int mtree_tcp_num_missing(const mtree_tcp_t *tcp)
{
    return tcp->num_lost;
}

double mtree_tcp_patience(const mtree_tcp_t *tcp)
{
    return tcp->has_more                                      ? 0
           : tcp->num_unacknowledged > 0 || tcp->num_lost > 0 ? LOOK
                                                              : INFINITY;
}

void mtree_tcp_take(mtree_tcp_t *tcp, mtree_list_t *taken)
{
    mtree_list_init(taken);
    mtree_list_move(taken, &tcp->completed);
}

int mtree_tcp_call(mtree_list_t *taken)
{
    mtree_list_t *link;
    int count = 0;

    while ((link = mtree_list_take(taken)) != NULL) {
        mtree_completion_t *done = MTREE_CONTAINER_OF(link, mtree_completion_t, link);

        done->func(done, done->status);
        count++;
    }
    return count;
}

int mtree_tcp_hand_out(mtree_tcp_t *tcp)
{
    mtree_list_t taken;

    mtree_tcp_take(tcp, &taken);
    return mtree_tcp_call(&taken);
}

static void note_event(mtree_tcp_connection_t *connection, uint32_t events)
{
    if (connection->is_lost) {
        return;
    }
    connection->is_ending |= (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP)) != 0;
    /* TLS may have waited to write before it reads, and the other way round. */
    connection->is_readable |=
        connection->is_ending || connection->tls != NULL || (events & EPOLLIN) != 0;
    connection->is_writable |=
        connection->tls != NULL || (events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) != 0;
    connection->peer->is_active = true;
}

static void look_at_peers(mtree_tcp_t *tcp)
{
    double now = mtree_clock_seconds();
    mtree_list_t *link;

    if (now < tcp->next_look) {
        return;
    }
    tcp->next_look = now + LOOK;
    MTREE_LIST_FOR_EACH(link, &tcp->peers)
    {
        mtree_tcp_peer_t *peer = MTREE_CONTAINER_OF(link, mtree_tcp_peer_t, link);

        mtree_tcp_peer_look(peer, now);
        mtree_tcp_peer_make_again(peer, now);
    }
}

int mtree_tcp_poll(mtree_tcp_t *tcp)
{
    struct epoll_event events[EVENTS];
    int count = epoll_wait(tcp->epoll, events, EVENTS, 0);
    mtree_list_t *link;

    tcp->num_completed = 0;
    for (int i = 0; i < count; i++) {
        note_event(events[i].data.ptr, events[i].events);
    }
    if (count > 0 || tcp->has_more) {
        tcp->has_more = false;
        MTREE_LIST_FOR_EACH(link, &tcp->peers)
        {
            mtree_tcp_peer_t *peer = MTREE_CONTAINER_OF(link, mtree_tcp_peer_t, link);

            if (peer->is_active) {
                mtree_tcp_peer_work(peer);
            }
        }
    }
    if (tcp->num_unacknowledged > 0 || tcp->num_lost > 0) {
        look_at_peers(tcp);
    }
    return tcp->num_completed;
}

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

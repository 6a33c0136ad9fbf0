/* SPDX-License-Identifier: BSD-3-Clause */
/* Connections that are lost, or may be. */
#include "tcp/private.h"
#include "tcp/socket.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

/* Seconds in which the peer's kernel acknowledges nothing until a connection is doubted,
 * twice as many after each time that it was made again, until all is acknowledged. */
#define DOUBT 1.5

/* Times in a row that a connection is made again in vain until it is given up. */
#define MOST_STALLS 10

/* Read what the socket of @a connection has, to the end that it has by now.  False: that
 * breaks the rules. */
static bool drain(mtree_tcp_connection_t *connection)
{
    bool is_sound;

    connection->is_cut = false;
    connection->is_ending = connection->is_readable = true;
    connection->peer->is_draining = true;
    do {
        is_sound = mtree_tcp_connection_read(connection);
    } while (is_sound && connection->is_readable);
    connection->peer->is_draining = false;
    return is_sound || connection->is_cut;
}

bool mtree_tcp_connection_lose(mtree_tcp_connection_t *connection)
{
    mtree_tcp_dialer_end(&connection->attempt.dialer);
    /* From now on the kernel acknowledges nothing that is not read here. */
    (void)shutdown(connection->socket, SHUT_RDWR);
    if (!drain(connection)) {
        mtree_tcp_peer_fail(connection->peer, connection->reason);
        return false;
    }
    mtree_tcp_connection_close(connection);
    connection->is_cut = false;
    connection->is_lost = true;
    connection->peer->tcp->num_lost++;
    connection->attempt = (mtree_tcp_attempt_t){.number = connection->attempt.number,
                                                .at = connection->home,
                                                .dialer.socket = -1};
    return true;
}

/* Is @a connection lost for too long, or too often in vain, and wanted? */
static bool is_gone(mtree_tcp_connection_t *connection, double now)
{
    mtree_tcp_attempt_t *attempt = &connection->attempt;

    if (!attempt->dialer.is_refused) {
        attempt->refused = (mtree_tcp_polled_time_t){.seconds = 0};
    }
    if (attempt->dialer.is_connected) {
        attempt->lost.last = now;
        return false;
    }
    mtree_tcp_polled_time_add(&attempt->lost, now);
    if (attempt->dialer.is_refused && connection->peer->dial->dials) {
        mtree_tcp_polled_time_add(&attempt->refused, now);
    }
    return connection->peer->num_running > 0 &&
           (connection->stalls > MOST_STALLS ||
            attempt->lost.seconds > MTREE_TCP_LOST_SECONDS ||
            attempt->refused.seconds > MTREE_TCP_REFUSED_SECONDS);
}

/* @a connection is lost.  Who listens waits for the first dialing.  One that was never
 * made has lost nothing: the others serve as long as one of them stands. */
static void connection_redial(mtree_tcp_connection_t *connection, double now)
{
    const mtree_tcp_peer_t *peer = connection->peer;
    const int error = connection->attempt.dialer.error;

    if (!peer->dial->dials && connection->made == 0) {
        return;
    }
    if (peer->has_met && is_gone(connection, now) &&
        (connection->made > 0 || mtree_tcp_peer_standing(peer) == NULL)) {
        mtree_tcp_peer_fail(connection->peer, strerror(error == 0 ? ETIMEDOUT : error));
        return;
    }
    mtree_tcp_attempt_poll(connection, now);
}

static bool own_link_is_gone(const mtree_tcp_connection_t *connection)
{
    return connection->has_failed_over &&
           connection->failed_over.seconds > MTREE_TCP_FAILBACK_SECONDS;
}

mtree_link_state_t mtree_tcp_peer_links(const mtree_tcp_peer_t *peer)
{
    unsigned gone = 0;
    bool is_waited_for = false;

    if (peer->dial == NULL) {
        return MTREE_LINK_CARRIES;
    }
    for (int i = 0; i < peer->num_connections; i++) {
        const mtree_tcp_connection_t *connection = &peer->connections[i];

        if (own_link_is_gone(connection)) {
            gone |= 1U << connection->home;
        } else if (connection->has_failed_over) {
            is_waited_for = true;
        }
    }
    return gone == (1U << peer->dial->num_first) - 1 ? MTREE_LINK_GONE
           : is_waited_for                           ? MTREE_LINK_LOST
                                                     : MTREE_LINK_CARRIES;
}

/* @a connection stands.  Where it may be dead, or its link be back before the own kernel
 * sends again, its peer is dialed beside it, over its own link, since another may carry
 * less for ever. */
static void connection_doubt(mtree_tcp_connection_t *connection, double now)
{
    const bool may_return = connection->has_failed_over && !own_link_is_gone(connection);

    if (may_return) {
        mtree_tcp_polled_time_add(&connection->failed_over, now);
    }
    if (may_return || mtree_tcp_connection_is_silent(
                          connection, ldexp(DOUBT, connection->doubts), now)) {
        connection->attempt.dialer.tries = 0;
        mtree_tcp_attempt_poll(connection, now);
    } else {
        mtree_tcp_dialer_end(&connection->attempt.dialer);
    }
}

void mtree_tcp_peer_make_again(mtree_tcp_peer_t *peer, double now)
{
    for (int i = 0; i < peer->num_connections; i++) {
        mtree_tcp_connection_t *connection = &peer->connections[i];

        if (connection->is_lost) {
            connection_redial(connection, now);
        } else if (peer->dial != NULL && (connection->unacknowledged > 0 ||
                                          connection->attempt.dialer.socket >= 0 ||
                                          connection->has_failed_over)) {
            connection_doubt(connection, now);
        }
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* How a peer's connections are used, by what is planned and what the kernel says. */
#include "tcp/private.h"

#include "tcp/socket.h"

#include <math.h>
#include <stddef.h>

/* Seconds between two looks at the connections of a peer. */
#define LOOK 0.05

/* Of the newest look in the mean. */
#define WEIGHT 0.25

const mtree_tcp_connection_t *mtree_tcp_peer_standing(const mtree_tcp_peer_t *peer)
{
    int i = 0;

    while (i < peer->num_connections && peer->connections[i].is_lost) {
        i++;
    }
    return i < peer->num_connections ? &peer->connections[i] : NULL;
}

/* Have the kernel hold each connection to the planned rate. */
static void peer_pace(mtree_tcp_peer_t *peer)
{
    const mtree_tcp_connection_t *first = mtree_tcp_peer_standing(peer);
    mtree_tcp_report_t report;
    bool is_known;
    double each;

    if (first == NULL) {
        return;
    }
    is_known = mtree_tcp_socket_report(first->socket, &report);
    each = mtree_tcp_pace(is_known ? &report : NULL, peer->rate);
    if (each == peer->pace) {
        return;
    }
    peer->pace = each;
    for (int i = 0; i < peer->num_connections; i++) {
        mtree_tcp_socket_pace(peer->connections[i].socket, each);
    }
}

void mtree_tcp_peer_plan(mtree_tcp_peer_t *peer, double rate)
{
    peer->rate = peer->num_running == 0 ? rate : fmax(peer->rate, rate);
    peer_pace(peer);
}

/* The part of the rate that @a connection, one of those in use, has room for; is the
 * link full?  Where messages wait for BBR it begins again. */
static double connection_tune(mtree_tcp_peer_t *peer,
                              const mtree_tcp_connection_t *connection)
{
    mtree_tcp_report_t report;

    if (!mtree_tcp_socket_report(connection->socket, &report)) {
        peer->is_full = true;
        return 1;
    }
    peer->is_full |= mtree_tcp_packets_wait(&report);
    if (!connection->is_writable &&
        mtree_tcp_pace_has_fallen(&report, peer->rate / peer->width)) {
        mtree_tcp_socket_restart_bbr(connection->socket);
    }
    return mtree_tcp_width_part(&report, peer->rate);
}

/* The part of the rate that a connection in use has room for, on average. */
static double mean_part(mtree_tcp_peer_t *peer)
{
    double sum = 0;

    peer->is_full = false;
    for (int i = 0; i < peer->width; i++) {
        sum += connection_tune(peer, &peer->connections[i]);
    }
    return sum / peer->width;
}

/*
 * Losses keep windows small.  Have BBR, which takes no notice of them, fill the link over
 * one connection: of two each would pause, and BBR forgets what the link carries.  Where
 * the kernel does not let it more connections are all that helps.  While the first one is
 * lost nothing is decided.
 */
static void peer_use_bbr(mtree_tcp_peer_t *peer)
{
    if (peer->connections[0].is_lost) {
        return;
    }
    peer->tuning = MTREE_TCP_TUNING_WIDTH;
    if (mtree_tcp_socket_tune(peer->connections[0].socket, MTREE_TCP_BBR)) {
        peer->has_bbr = true;
        peer->part = 1;
        peer->most = 1;
    }
}

void mtree_tcp_peer_tune(mtree_tcp_peer_t *peer, double now)
{
    if (peer->tuning == MTREE_TCP_TUNING_NONE || peer->rate <= 0 || peer->width == 0 ||
        now < peer->next_look) {
        return;
    }
    peer->next_look = now + LOOK;
    peer->part += WEIGHT * (mean_part(peer) - peer->part);
    if (peer->tuning == MTREE_TCP_TUNING_CONTROL &&
        mtree_tcp_width(peer->part, MTREE_TCP_CONNECTIONS) >
            mtree_tcp_width(1, MTREE_TCP_CONNECTIONS)) {
        peer_use_bbr(peer);
    }
    peer->width = mtree_tcp_width(peer->part, peer->most);
}

bool mtree_tcp_peer_is_full(const mtree_tcp_peer_t *peer)
{
    return peer->is_full;
}

void mtree_tcp_peer_use(mtree_tcp_peer_t *peer, mtree_tcp_tuning_t tuning)
{
    peer->tuning = tuning;
    peer->is_full = true;
    peer->part = 1;
    peer->most = peer->num_connections;
    peer->width = tuning == MTREE_TCP_TUNING_NONE
                      ? peer->num_connections
                      : mtree_tcp_width(peer->part, peer->num_connections);
    peer_pace(peer);
}

static bool takes_more(const mtree_tcp_connection_t *connection)
{
    return connection->is_writable && connection->sending == NULL;
}

/* Connections, up to which the first of them is filled first. */
#define IN_ORDER 2

/*
 * Of connections that share a link.  Two messages side by side share it, and both arrive
 * when the second one could have.  Schedules wait for the first, so few connections are
 * filled in order.  More are used where packets are lost and no window fills the link:
 * they take turns.
 */
static mtree_tcp_connection_t *next_in_turn(mtree_tcp_peer_t *peer)
{
    int turn = peer->width > IN_ORDER ? peer->turn : 0;

    for (int i = 0; i < peer->width; i++) {
        int number = (turn + i) % peer->width;

        if (takes_more(&peer->connections[number])) {
            peer->turn = number + 1;
            return &peer->connections[number];
        }
    }
    return NULL;
}

/* Of connections over links of their own: the one over which @a bytes arrive first, by
 * what is under way on each. */
static mtree_tcp_connection_t *next_to_arrive(mtree_tcp_peer_t *peer, size_t bytes)
{
    mtree_tcp_connection_t *best = NULL;
    double least = INFINITY;

    for (int i = 0; i < peer->width; i++) {
        mtree_tcp_connection_t *connection = &peer->connections[i];

        if (takes_more(connection)) {
            size_t ahead = mtree_tcp_socket_unacknowledged(connection->socket);
            double seconds =
                8 * (double)(ahead + MTREE_TCP_HEADER + bytes) / connection->rate;

            if (seconds < least) {
                least = seconds;
                best = connection;
            }
        }
    }
    return best;
}

mtree_tcp_connection_t *mtree_tcp_peer_next(mtree_tcp_peer_t *peer, size_t bytes)
{
    return peer->width > 0 && peer->connections[0].rate > 0 ? next_to_arrive(peer, bytes)
                                                            : next_in_turn(peer);
}

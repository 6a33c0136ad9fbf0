/* SPDX-License-Identifier: BSD-3-Clause */
/* How a peer's connections are used, by what is planned and what the kernel says. */
#include "tcp/private.h"

#include "tcp/socket.h"

#include <math.h>

/* Seconds between two looks at the connections of a peer that messages wait for. */
#define LOOK 0.05

/* Of the newest look in the mean. */
#define WEIGHT 0.25

/*
 * Times the planned rate that the connections together may send at.  A schedule pauses,
 * and what comes after a pause would otherwise be a burst at many times the rate of the
 * link: BBR, whose sockets seldom have enough to send to leave its start phase, lost 8 %
 * of the packets in queues by that.
 */
#define PACE 1.1

/* So many share that; each of more, which replace one another after losses, has all. */
#define SHARING 2

/* Have the kernel hold the connections to the planned rate. */
static void peer_pace(mtree_tcp_peer_t *peer)
{
    double all = peer->rate > 0 ? PACE * peer->rate : INFINITY;
    double each = peer->width > SHARING ? all : all / peer->width;

    if (peer->width == 0 || each == peer->pace) {
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

/* The part of the rate that a connection in use has room for, on average. */
static double mean_part(const mtree_tcp_peer_t *peer)
{
    double sum = 0;

    for (int i = 0; i < peer->width; i++) {
        mtree_tcp_report_t report;

        sum += mtree_tcp_socket_report(peer->connections[i].socket, &report)
                   ? mtree_tcp_width_part(&report, peer->rate)
                   : 1;
    }
    return sum / peer->width;
}

void mtree_tcp_peer_tune(mtree_tcp_peer_t *peer, double now)
{
    if (!peer->adapts || peer->rate <= 0 || peer->width == 0 ||
        mtree_list_is_empty(&peer->queue) || now < peer->next_look) {
        return;
    }
    peer->next_look = now + LOOK;
    peer->part += WEIGHT * (mean_part(peer) - peer->part);
    peer->width = mtree_tcp_width(peer->part, peer->num_connections);
    peer_pace(peer);
}

void mtree_tcp_peer_use(mtree_tcp_peer_t *peer, bool adapts)
{
    peer->adapts = adapts;
    peer->part = 1;
    peer->width = adapts ? mtree_tcp_width(peer->part, peer->num_connections)
                         : peer->num_connections;
    peer_pace(peer);
}

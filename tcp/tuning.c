/* SPDX-License-Identifier: BSD-3-Clause */
/* How a peer's connections are used, by what is planned and what the kernel says. */
#include "tcp/private.h"

#include "tcp/socket.h"

#include <math.h>

/* Seconds between two looks at the connections of a peer. */
#define LOOK 0.05

/* Of the newest look in the mean. */
#define WEIGHT 0.25

/* Have the kernel hold each connection to the planned rate. */
static void peer_pace(mtree_tcp_peer_t *peer)
{
    mtree_tcp_report_t report;
    bool is_known;
    double each;

    if (peer->num_connections == 0) {
        return;
    }
    is_known = mtree_tcp_socket_report(peer->connections[0].socket, &report);
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
    if (!peer->adapts || peer->rate <= 0 || peer->width == 0 || now < peer->next_look) {
        return;
    }
    peer->next_look = now + LOOK;
    peer->part += WEIGHT * (mean_part(peer) - peer->part);
    peer->width = mtree_tcp_width(peer->part, peer->num_connections);
}

void mtree_tcp_peer_use(mtree_tcp_peer_t *peer, bool adapts)
{
    peer->adapts = adapts;
    peer->part = 1;
    peer->width = adapts ? mtree_tcp_width(peer->part, peer->num_connections)
                         : peer->num_connections;
    peer_pace(peer);
}

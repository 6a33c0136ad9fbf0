/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network's insides, in layers: network_wire.c (what a message is on the wire, and its
 * events), network_queue.c and network_flow.c (the two models), network.c (life and
 * routes).  Private to simulate/network*.c.
 */
#ifndef MTREE_SIMULATE_NETWORK_MODEL_H
#define MTREE_SIMULATE_NETWORK_MODEL_H

#include "base/arena.h"
#include "simulate/fair_share.h"
#include "simulate/network.h"

typedef struct mtree_segment mtree_segment_t;

struct mtree_connection {
    mtree_network_t *network;
    int num_arcs;
    const int *arcs;     /* the route, the routes' own */
    double latency;      /* of the route */
    double forwarding;   /* seconds per bit of the first packet until it is complete at
                            all inner vertices */
    double limit;        /* bits/s: of the window, or inside one host */
    double last_arrival; /* of the messages so far; no later message arrives before it */
    mtree_message_t *first; /* messages not yet sent */
    mtree_message_t **last_p;
    /* Queue model. */
    double next_start; /* inside a host: time at which the next message can begin */
    double window;     /* bytes in flight at which nothing more is sent */
    size_t in_flight;  /* bytes sent and not acknowledged */
    size_t cut;        /* bytes of the first message that were sent */
    int num_waiting;   /* segments before the first arc */
    /* Flow model. */
    mtree_fair_share_flow_t flow;
    double rate;    /* at which the first message is being sent */
    double counted; /* time at which its bits were last counted down */
    mtree_timer_t completion;
};

struct mtree_network {
    mtree_arena_t arena; /* of the arrays and connections */
    mtree_event_queue_t *queue;
    const mtree_topology_t *topology;
    mtree_network_options_t options;
    const mtree_routes_t *routes;
    mtree_routes_t *found; /* owned; NULL: the routes were given */
    int num_arcs;
    double *capacity;
    double *busy;
    /* Queue model. */
    double *free_at; /* time at which the arc has sent all it was given */
    mtree_segment_t *free_segments;
    /* Flow model. */
    mtree_timer_t timer; /* due when a flow has joined or left */
    mtree_fair_share_t *flows;
};

/* What a message of @a bytes is on the wire: its packets, its bits with headers, and the
 * bits of its first packet, which an inner vertex receives completely before it forwards
 * any. */
double mtree_network_packets(const mtree_network_t *network, size_t bytes);
double mtree_network_wire_bits(const mtree_network_t *network, size_t bytes);
double mtree_network_packet_bits(const mtree_network_t *network, size_t bytes);

/* Set the time at which the last byte of @a message leaves the sender, and that at which
 * it reaches the receiver. */
void mtree_network_set_departure(mtree_message_t *message, double time);
void mtree_network_set_arrival(mtree_message_t *message, double time);

/* Send in the queue model. */
void mtree_network_queue_send(mtree_message_t *message);

/* Send in the flow model.  Its timers: the first message of a connection has been sent; a
 * flow has joined or left, so the arcs are shared anew. */
void mtree_network_flow_send(mtree_message_t *message);
void mtree_network_flow_complete(mtree_timer_t *timer);
void mtree_network_flow_timer(mtree_timer_t *timer);

#endif

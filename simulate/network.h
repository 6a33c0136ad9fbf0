/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network on a virtual clock: messages travel over connections, a connection takes
 * the route between two hosts, and the arcs of the route are shared with other
 * connections.
 *
 * Two models:
 * - MTREE_NETWORK_QUEUE: each arc sends what arrives in the order of arrival (virtual
 * cut-through: a message's first packet goes on as soon as it is whole, the rest
 * follows).  An arc faster than what feeds it is charged only for its own transmission
 * time, so slow messages interleave on it.
 * - MTREE_NETWORK_FLOW: the first unsent message of every connection is a flow, and the
 * flows share the arcs max-min fairly, as long-lived TCP connections about do.
 *
 * On the wire a message is cut into packets with headers; acknowledgements take part of
 * the way back.
 */
#ifndef MTREE_SIMULATE_NETWORK_H
#define MTREE_SIMULATE_NETWORK_H

#include "simulate/event_queue.h"
#include "topo/routes.h"
#include "topo/topology.h"

typedef enum { MTREE_NETWORK_QUEUE, MTREE_NETWORK_FLOW } mtree_network_model_t;

typedef struct {
    mtree_network_model_t model;
    size_t packet_bytes; /* payload of a full packet; > 0 */
    size_t header_bytes; /* added to each packet */
    double ack_bytes; /* sent back for each packet, and whatever else full links lose by
                         traffic the other way */
    double window_bytes;  /* a connection's bytes in flight; 0: no limit */
    double local_rate;    /* bits/s between two ranks of one host */
    double local_latency; /* seconds between two ranks of one host */
} mtree_network_options_t;

typedef struct mtree_network mtree_network_t;
typedef struct mtree_connection mtree_connection_t;
typedef struct mtree_message mtree_message_t;

/* The sender's; stays in place until `arrived` is called.  The first three are the
 * sender's to set. */
struct mtree_message {
    size_t bytes;
    void (*departed)(
        mtree_message_t *self); /* the last byte left the sender; may be NULL */
    void (*arrived)(mtree_message_t *self); /* the last byte is at the receiver */
    /* The network's. */
    mtree_connection_t *connection;
    mtree_message_t *next;
    mtree_event_queue_event_t head, departure;
    double tail; /* when the last byte reaches the arc at which the head is */
    double bits; /* on the wire, still to be sent (flow model) */
    int hop;
};

/* What the lab shows: flows that share links, TCP with jumbo frames. */
void mtree_network_default_options(mtree_network_options_t *options);

/*
 * A network between @a num_hosts vertices of @a topology; hosts are then their positions
 * in @a hosts. The clock, the topology and @a hosts must outlive it.  Errors as
 * mtree_routes_create(); MTREE_ERR_INVALID (logged) for options that are not of their
 * form.
 */
mtree_status_t mtree_network_create(mtree_event_queue_t *clock,
                                    const mtree_topology_t *topology, const int *hosts,
                                    int num_hosts, const mtree_network_options_t *options,
                                    mtree_network_t **network_p);

/* Free with all connections; NULL is allowed.  Messages on the way are forgotten. */
void mtree_network_destroy(mtree_network_t *network);

/* A connection from host to host, which may be the same; the network's. */
mtree_status_t mtree_network_connect(mtree_network_t *network, int from, int to,
                                     mtree_connection_t **connection_p);

/* Send; messages of one connection arrive in order. */
void mtree_network_send(mtree_connection_t *connection, mtree_message_t *message);

/* Seconds that arc @a arc spent sending at its capacity so far. */
double mtree_network_busy(const mtree_network_t *network, int arc);

#endif

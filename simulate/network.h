/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network in virtual time.  A connection takes the route between two hosts; its
 * messages share the arcs of the route with those of other connections.
 *
 * Each arc sends packets in the order of their arrival.  Few packets of each connection
 * wait before its first arc, so that the connections of a host take turns.  Packets in
 * the window wait for acknowledgements, which wait behind packets in the opposite
 * direction.
 *
 * On the wire a message is cut into packets with headers.  Acknowledgements take part of
 * the capacity of the opposite direction.
 *
 * A link that is a token bucket (`burst` of its conditions) sends so many bytes at once
 * after a pause.
 *
 * Where the topology says that links lose packets, some are lost, the same ones in each
 * run.  A lost packet has passed its link.  The sender hears of it when a
 * packet that it sent later is acknowledged, or else by a timeout, and sends it again
 * before all others.  What is behind it on its connection has to wait for it.
 * Acknowledgements are not lost, since later ones say the same.
 */
#ifndef MTREE_SIMULATE_NETWORK_H
#define MTREE_SIMULATE_NETWORK_H

#include "simulate/event_queue.h"
#include "topo/routes.h"
#include "topo/topology.h"

typedef struct {
    size_t packet_bytes;          /* payload of a full packet, where no link of the route
                                     has an MTU; > 0 */
    size_t header_bytes;          /* added to each packet */
    double ack_bytes;             /* sent back per packet */
    size_t window_bytes;          /* a connection's bytes in flight; 0: no limit */
    bool backs_off;               /* losses keep them few (mtree_loss_window()) */
    double timeout;               /* seconds beyond a round trip after which what nothing
                                     says has arrived is sent again */
    double local_rate;            /* bits/s between two ranks of one host */
    double local_latency;         /* seconds between two ranks of one host */
    const mtree_routes_t *routes; /* between the network's vertices, which outlive it;
                                     NULL: they are found */
} mtree_network_options_t;

typedef struct mtree_network mtree_network_t;
typedef struct mtree_connection mtree_connection_t;
typedef struct mtree_message mtree_message_t;

/* Owned by the sender, who sets the first four fields and keeps it in place until
 * `arrived` is called. */
struct mtree_message {
    size_t bytes;
    void (*departed)(
        mtree_message_t *self); /* the last byte left the sender; may be NULL */
    void (*arrived)(mtree_message_t *self); /* the last byte is at the receiver */
    void (*acknowledged)(
        mtree_message_t *self); /* the sender knows of as many bytes as up to this one's
                                   last that they arrived, some perhaps behind lost ones;
                                   may be NULL; only where
                                   mtree_network_acknowledges(), and then the message
                                   stays in place until it is called */
    /* Set by the network. */
    mtree_connection_t *connection;
    mtree_message_t *next;
    mtree_timer_t arrival, departure;
    size_t end; /* bytes of the connection up to its last one, where packets are lost */
    mtree_message_t *next_unacknowledged;
};

/* What the lab measures: links that send packet after packet, TCP with jumbo frames. */
void mtree_network_default_options(mtree_network_options_t *options);

/*
 * A network between @a num_hosts vertices of @a topology.  Hosts are numbered by their
 * positions in @a hosts.  The queue, the topology and @a hosts must outlive it.  Errors
 * as mtree_routes_create(); MTREE_ERR_INVALID (logged) for options out of range.
 */
mtree_status_t mtree_network_create(mtree_event_queue_t *queue,
                                    const mtree_topology_t *topology, const int *hosts,
                                    int num_hosts, const mtree_network_options_t *options,
                                    mtree_network_t **network_p);

/* Free with all connections; NULL is allowed.  Messages on their way do not arrive. */
void mtree_network_destroy(mtree_network_t *network);

/* A connection from one host to another or to itself.  It lives as long as the network.
 */
mtree_connection_t *mtree_network_connect(mtree_network_t *network, int from, int to);

/* Does @a network lose packets?  Where its topology says so. */
bool mtree_network_loses(const mtree_network_t *network);

/* Does the network say when a message of @a connection is acknowledged?  Between hosts.
 */
bool mtree_network_acknowledges(const mtree_connection_t *connection);

/* Let @a connection send at most @a rate bits/s. */
void mtree_network_pace(mtree_connection_t *connection, double rate);

/* Send.  Messages of one connection arrive in order. */
void mtree_network_send(mtree_connection_t *connection, mtree_message_t *message);

/* Seconds for which arc @a arc has sent at its capacity so far. */
double mtree_network_busy(const mtree_network_t *network, int arc);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A network's insides: network_repair.c (lost packets), network_queue.c (packets on their
 * way), network.c (life and routes).  The queue sends what network_repair.c repeats.
 * Private to simulate/network*.c.
 */
#ifndef MTREE_SIMULATE_NETWORK_MODEL_H
#define MTREE_SIMULATE_NETWORK_MODEL_H

#include "base/arena.h"
#include "base/list.h"
#include "simulate/loss.h"
#include "simulate/network.h"

typedef struct mtree_segment mtree_segment_t;

/*
 * A few packets of one message on their way, one arc at a time; then their
 * acknowledgement.
 */
struct mtree_segment {
    mtree_timer_t timer;
    mtree_timer_t left;       /* due when it has left the sender */
    mtree_message_t *message; /* whose end it is; NULL: of none */
    mtree_connection_t *connection;
    mtree_segment_t *next; /* among those that are free, or that are not delivered */
    bool acknowledges;     /* whose sender waits for that; by then others may be gone */
    double bits;           /* on the wire */
    double first;          /* of these, of its first packet */
    double packets;
    double tail; /* time at which its last byte reaches the arc at which its head is */
    size_t bytes;
    int hop;
    /* Where packets are lost. */
    mtree_segment_t *origin; /* what it repeats packets of; itself: nothing */
    uint64_t number;         /* in the order in which the connection sent */
    int missing;             /* packets of an origin that the receiver does not have */
    int lost, last;          /* packets of which the sender does not know that they are
                                lost, and of these the last ones */
    size_t lost_bytes;       /* of these packets */
    double due;              /* time at which it sends them again in any case */
    mtree_list_t gap;        /* in the connection's list */
    int references;          /* of the sender, the way, the gaps and the receiver */
};

struct mtree_connection {
    mtree_network_t *network;
    int num_arcs;
    int *arcs;           /* the route, the arena's */
    double latency;      /* of the route */
    size_t packet_bytes; /* payload of a full packet */
    double last_arrival; /* of the messages so far; no later message arrives before it */
    mtree_message_t *first; /* messages not yet sent */
    mtree_message_t **last_p;
    double next_start;   /* inside a host: time at which the next message can begin */
    double window;       /* bytes in flight at which nothing more is sent */
    size_t in_flight;    /* bytes sent and not acknowledged */
    size_t cut;          /* bytes of the first message that were sent */
    int num_waiting;     /* segments before the first arc */
    double pace;         /* bits/s at which it sends at most; 0: no limit */
    mtree_timer_t paced; /* due when it may send again */
    /* The same where packets are lost. */
    uint64_t num_sent;            /* segments */
    mtree_segment_t *undelivered; /* in the order of their bytes, the first at the head */
    mtree_segment_t **undelivered_p;
    mtree_list_t gaps; /* segments of which packets were lost, in the order of sending */
    mtree_timer_t timeout;
    size_t given, acknowledged;      /* bytes of all messages, and of what has arrived */
    mtree_message_t *unacknowledged; /* messages whose sender waits for that */
    mtree_message_t **unacknowledged_p;
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
    double *free_at;    /* time at which the arc, without its burst, has sent all it was
                           given */
    double *burst;      /* seconds of its capacity that it sends at once after a pause */
    mtree_loss_t *loss; /* [num_arcs] NULL: no packets are lost */
    mtree_segment_t *free_segments;
};

/* A segment that is free. */
mtree_segment_t *mtree_network_segment_get(mtree_network_t *network);
void mtree_network_segment_put(mtree_segment_t *segment);

/* Are lost packets of @a connection repaired? */
static inline bool mtree_network_repairs(const mtree_connection_t *connection)
{
    return connection->network->loss != NULL && connection->num_arcs > 0;
}

/* Lost packets.  @a connection begins, @a message is given to it, @a segment is about to
 * leave; it is new, or repeats packets of its `origin`. */
void mtree_network_repair_init(mtree_connection_t *connection);
void mtree_network_repair_message(mtree_message_t *message);
void mtree_network_repair_sends(mtree_segment_t *segment);

/* All of @a segment has left the sender. */
void mtree_network_repair_left(mtree_segment_t *segment);

/* @a segment has passed @a arc and lost packets there; false: all of them. */
bool mtree_network_repair_passed(mtree_segment_t *segment, int arc);

/* @a segment is at the receiver: what is complete up to there is delivered. */
void mtree_network_repair_arrived(mtree_segment_t *segment);

/* The sender knows that @a segment has arrived, and so of packets that were lost before:
 * they are sent again.  Gives @a segment back. */
void mtree_network_repair_acknowledged(mtree_segment_t *segment);

/* Send @a segment at once. */
void mtree_network_queue_emit(mtree_segment_t *segment);

#endif

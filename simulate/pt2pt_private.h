/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks (pt2pt.c) and what goes between them (pt2pt_message.c) share.  Private
 * to simulate/world*.c.
 */
#ifndef MTREE_SIMULATE_PT2PT_PRIVATE_H
#define MTREE_SIMULATE_PT2PT_PRIVATE_H

#include "simulate/pt2pt.h"

typedef struct mtree_rank mtree_rank_t;
typedef struct mtree_pair mtree_pair_t;
typedef struct mtree_send mtree_send_t;
typedef struct mtree_recv mtree_recv_t;

/* Sends and receives that are not done, so that they can be freed with the world. */
typedef struct mtree_live {
    struct mtree_live *next, **pointer_to_this;
} mtree_live_t;

/* A receive that was posted; freed when its completion is called. */
struct mtree_recv {
    mtree_live_t live;
    mtree_recv_t *next;
    mtree_pair_t *pair;
    int tag;
    void *buffer;
    size_t count;
    mtree_completion_t *done;
    mtree_event_queue_event_t event;
};

/* A message and its protocol; freed when both ends are done with it. */
struct mtree_send {
    mtree_live_t live;
    mtree_send_t *next; /* among those that wait for a receive */
    mtree_pair_t *pair;
    int tag;
    const void *buffer;
    void *copy; /* data mode: what was in the buffer, when it may be reused before the
                   match */
    size_t count, first_bytes, rest_bytes;
    bool synchronous;
    int references;
    mtree_recv_t *recv;
    mtree_completion_t *done; /* NULL once it was called */
    mtree_event_queue_event_t
        event; /* at the sender: its time for this message is over */
    mtree_event_queue_event_t done_event;
    mtree_message_t message;     /* there: the first part, then the rest */
    mtree_message_t acknowledge; /* and back */
};

/* All that goes from one rank to another. */
struct mtree_pair {
    mtree_rank_t *from, *to;
    mtree_connection_t *connection;
    mtree_send_t *arrived, **arrived_last_p; /* without a receive */
    mtree_recv_t *posted, **posted_last_p;   /* without a message */
};

struct mtree_rank {
    mtree_transport_t transport;
    mtree_pt2pt_t *pt2pt;
    int number;
    double free_at;
    mtree_pair_t **to; /* [num_ranks], made when first used */
};

struct mtree_pt2pt {
    mtree_event_queue_t *clock;
    mtree_network_t *network;
    mtree_pt2pt_options_t options;
    mtree_rank_t *ranks;
    size_t messages, pending;
    mtree_live_t *sends, *recvs;
};

/* The messages of a rank, as its transport. */
extern const mtree_transport_ops_t mtree_pt2pt_ops;

/* All that goes from @a from to rank @a peer; made, and joined to the network, when first
 * asked for. The world's. */
mtree_status_t mtree_pt2pt_pair(mtree_rank_t *from, int peer, mtree_pair_t **pair_p);

/* Take a message or a receive from the world's list and free it. */
void mtree_pt2pt_send_free(mtree_send_t *send);
void mtree_pt2pt_recv_free(mtree_recv_t *recv);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks (pt2pt.c) and the messages between them (pt2pt_message.c) share.
 */
#ifndef MTREE_SIMULATE_PT2PT_PRIVATE_H
#define MTREE_SIMULATE_PT2PT_PRIVATE_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/list.h"
#include "simulate/pt2pt.h"

typedef struct mtree_rank mtree_rank_t;
typedef struct mtree_pair mtree_pair_t;
typedef struct mtree_match_queues mtree_match_queues_t;
typedef struct mtree_send mtree_send_t;
typedef struct mtree_recv mtree_recv_t;

/* A receive that was posted; freed when its completion is called. */
struct mtree_recv {
    mtree_list_t live;   /* in the list of all receives */
    mtree_list_t posted; /* in the queue of its pair and tag */
    mtree_pair_t *pair;
    void *buffer;
    size_t count;
    mtree_completion_t *done;
    mtree_timer_t event;
};

/* A message and its protocol.  Sender and receiver each hold a reference. */
struct mtree_send {
    mtree_list_t live;    /* in the list of all sends */
    mtree_list_t arrived; /* in the queue of its pair and tag */
    mtree_pair_t *pair;
    int tag;
    size_t carried; /* bytes that the receiver gets */
    void *copy;     /* of these */
    size_t count, first_bytes, rest_bytes;
    bool synchronous;
    int references;
    mtree_recv_t *recv;
    mtree_completion_t *done;    /* NULL once it was called */
    mtree_timer_t event;         /* the sender has handled the message */
    mtree_message_t message;     /* to the receiver: the first part, then the rest */
    mtree_message_t acknowledge; /* to the sender */
};

/* The messages from one rank to another. */
struct mtree_pair {
    mtree_rank_t *from, *to;
    mtree_connection_t *connection;
};

/* What waits for a match, of one pair and one tag: messages or receives, never both. */
struct mtree_match_queues {
    mtree_hash_link_t link; /* in the table of all */
    const mtree_pair_t *pair;
    int tag;
    mtree_list_t arrived; /* messages without a receive, the first to arrive first */
    mtree_list_t posted;  /* receives without a message, the first posted first */
};

/* A transport of a rank. */
typedef struct {
    mtree_transport_t transport;
    mtree_rank_t *rank;
    bool is_control; /* it counts bytes, and carries them */
} mtree_endpoint_t;

struct mtree_rank {
    mtree_endpoint_t data, control;
    mtree_pt2pt_t *pt2pt;
    int number;
    double free_at;
    mtree_pair_t **to; /* [num_ranks], made when first used */
};

struct mtree_pt2pt {
    mtree_arena_t arena; /* of the ranks, pairs and queues */
    mtree_event_queue_t *queue;
    mtree_network_t *network;
    mtree_pt2pt_options_t options;
    mtree_rank_t *ranks;
    mtree_hash_table_t queues; /* of every pair and tag that were used; a pair of ranks
                                  may have thousands of tags */
    size_t messages;
    size_t received;
    size_t most, all; /* messages; the queue fails when so many of all have been received;
                         0: never */
    double half_at, cut_at;    /* when half of these, and all, had been received */
    mtree_list_t sends, recvs; /* that are not done */
};

/* The messages of a rank, of both of its transports. */
extern const mtree_transport_ops_t mtree_pt2pt_ops;

/* The pair of @a from and rank @a peer, with its connection.  It is made when it is first
 * asked for, and lives as long as the ranks. */
mtree_pair_t *mtree_pt2pt_pair(mtree_rank_t *from, int peer);

/* The queues of @a pair and @a tag, made when they are first asked for. */
mtree_match_queues_t *mtree_pt2pt_queues(const mtree_pair_t *pair, int tag);

/* Take a message or a receive out of its lists and free it. */
void mtree_pt2pt_send_free(mtree_send_t *send);
void mtree_pt2pt_recv_free(mtree_recv_t *recv);

#endif

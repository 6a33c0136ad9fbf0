/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks of a job on a simulated network: one transport per rank
 * (schedule/transport.h) in virtual time.
 *
 * Messages follow Open MPI's point-to-point protocol over TCP.  A message up to the eager
 * limit is sent at once.  A longer one sends its first part, waits until the receiver has
 * matched it, and sends the rest.  A synchronous send is done when the receiver's
 * acknowledgement of the match is back.  Completions are events of the queue; send and
 * recv never call them.
 *
 * Streams are mtree's own connections between hosts.  They send messages of any length at
 * once, and a synchronous send is done when the sender's kernel knows that the message
 * has arrived, which no data of the connection holds up.
 */
#ifndef MTREE_SIMULATE_PT2PT_H
#define MTREE_SIMULATE_PT2PT_H

#include "schedule/transport.h"
#include "simulate/network.h"

/* A pointer for each pair of ranks: 512 MiB at this number. */
#define MTREE_PT2PT_MAX_RANKS 8192

typedef struct {
    int num_ranks;
    int ranks_per_host; /* rank r runs on host r / ranks_per_host of the network */
    int num_relays;     /* of the ranks, the last ones; each has a host of its own, behind
                           those of the others */
    size_t unit_bytes;  /* bytes of a transport's unit; > 0 */
    bool streams;       /* messages go over mtree's own connections */
    size_t eager_bytes; /* longest message sent without asking; 0: no limit */
    size_t
        control_bytes; /* an envelope: part of each message, all of an acknowledgement */
    mtree_message_cost_t cost; /* of a rank's time, at both ends of a message */
} mtree_pt2pt_options_t;

typedef struct mtree_pt2pt mtree_pt2pt_t;

/* The ranks of a job; the queue and the network must outlive them.  Owned by the caller.
 */
mtree_pt2pt_t *mtree_pt2pt_create(mtree_event_queue_t *queue, mtree_network_t *network,
                                  const mtree_pt2pt_options_t *options);

/* Complete all outstanding sends and receives with MTREE_ERR_TRANSPORT, and free; NULL is
 * allowed.  The queue must not run after that. */
void mtree_pt2pt_destroy(mtree_pt2pt_t *pt2pt);

/* The transport of rank @a rank.  It lives as long as @a pt2pt. */
mtree_transport_t *mtree_pt2pt_transport(mtree_pt2pt_t *pt2pt, int rank);

/* The same for the messages that decide who sends data to whom, whose contents arrive;
 * those of others do not.  Its unit is the byte; a message takes the time of its
 * whole units of the other transport. */
mtree_transport_t *mtree_pt2pt_control(mtree_pt2pt_t *pt2pt, int rank);

/*
 * Rank @a rank computes for @a seconds, after what it computes already.  The sends and
 * completions that it starts later wait for the end.
 */
void mtree_pt2pt_compute(mtree_pt2pt_t *pt2pt, int rank, double seconds);

/* The time at which @a rank has computed everything; not before now. */
double mtree_pt2pt_free_at(const mtree_pt2pt_t *pt2pt, int rank);

/* Have streams from rank @a from to rank @a to send at most @a rate bits/s. */
void mtree_pt2pt_pace(mtree_pt2pt_t *pt2pt, int from, int to, double rate);

/* Messages sent so far, acknowledgements not counted. */
size_t mtree_pt2pt_messages(const mtree_pt2pt_t *pt2pt);

/* Fail the queue with MTREE_ERR_LIMIT when @a most messages, of @a all, have been
 * received; 0: never. */
void mtree_pt2pt_limit(mtree_pt2pt_t *pt2pt, size_t most, size_t all);

/* Has it been?  Then *seconds_p is when all messages would have been received at the pace
 * of the second half of these. */
bool mtree_pt2pt_is_cut(const mtree_pt2pt_t *pt2pt, double *seconds_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An arrival-ordered collective, inside, in layers: member.c (messages of the
 * coordination, and every rank but the coordinator), coordinator.c, and arrival.c (life).
 * Only the thread that holds the operation's inbox touches any of it.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_PRIVATE_H
#define MTREE_SCHEDULE_ARRIVAL_PRIVATE_H

#include "schedule/arrival/arrival.h"
#include "schedule/arrival/chain.h"
#include "schedule/arrival/directory.h"
#include "schedule/dynamic_peers.h"

#include <stdint.h>

/*
 * Commands of the coordinator to a rank, in this order: of a reduction CHILDREN and
 * PARENT, of a broadcast SOURCE, any number of RECEIVERs, perhaps SETTLED, and LEAVE.
 * Nothing follows the last of them.
 */
typedef enum {
    MTREE_COMMAND_CHILDREN, /* add the sums of these ranks to your own part */
    MTREE_COMMAND_PARENT,   /* send the sum to this rank */
    MTREE_COMMAND_SOURCE,   /* receive the result from this rank */
    MTREE_COMMAND_RECEIVER, /* send the result to this rank, too */
    MTREE_COMMAND_SETTLED,  /* no more receivers will follow */
    MTREE_COMMAND_LEAVE /* leave the call; stop sending to this rank, if one is given */
} mtree_arrival_command_kind_t;

typedef struct {
    int32_t kind;
    int32_t num_ranks;
    int32_t ranks[MTREE_CHAIN_CHILDREN];
} mtree_arrival_command_t;

/*
 * Events that a rank sends to the coordinator: ARRIVED, where a broadcast has a directory
 * COMPLETE, unless LEAVE comes before it, and LEFT in answer to LEAVE.
 *
 * A source that is to stop sending to a receiver stops before some chunk.  LEFT holds the
 * number of this chunk, and the root sends the rest.  The receiver learns it from empty
 * messages (schedule/dynamic_peers.h) and receives the rest from the root.  So nobody
 * waits for an answer, and everything that a source has sent is received.
 */
typedef enum {
    MTREE_EVENT_ARRIVED,
    MTREE_EVENT_COMPLETE, /* it has the whole result */
    MTREE_EVENT_LEFT
} mtree_arrival_event_kind_t;

typedef struct {
    int32_t kind, unused; /* all bytes of a message are set */
    int64_t chunk; /* with LEFT: the first that the receiver in LEAVE was not sent */
} mtree_arrival_event_t;

typedef struct mtree_arrival_run mtree_arrival_run_t;

typedef union {
    mtree_arrival_command_t command;
    mtree_arrival_event_t event;
} mtree_arrival_text_t;

/* The coordinator's receive of a rank's next event, or a rank's receive of its next
 * command.
 */
typedef struct {
    mtree_event_t event; /* must be first */
    mtree_arrival_run_t *run;
    int rank;
    int handed_over; /* the receiver that the root takes over from it; -1: none */
    mtree_arrival_text_t text;
} mtree_posted_recv_t;

struct mtree_arrival_run {
    mtree_arrival_t arrival;
    mtree_operation_t *operation;
    mtree_layout_t layout;
    mtree_stream_t stream;
    int coordinator;
    bool has_directory; /* a broadcast, and not straight from the root */
    int children[MTREE_CHAIN_CHILDREN];
    bool reported_complete;
    bool settled; /* no more receivers will follow */
    bool dismissed;
    int num_handovers;    /* of the coordinator: LEFT events with a chunk to come */
    mtree_chain_t *chain; /* of the coordinator of a reduction */
    mtree_directory_t *directory;      /* of the coordinator of a broadcast */
    mtree_posted_recv_t *posted_recvs; /* [num_ranks] of the coordinator; else one */
    size_t copied_bytes;               /* bytes */
    void (*released)(void *arg);
    void *arg;
};

static inline bool mtree_arrival_is_coordinator(const mtree_arrival_run_t *run)
{
    return run->arrival.rank == run->coordinator;
}

/* member.c: send a copy of @a bytes bytes of a command or event to @a rank with @a tag.
 */
void mtree_arrival_send(mtree_arrival_run_t *run, int rank, int tag, const void *text,
                        size_t bytes);

/* Begin; execute a command; send the events that are due. */
void mtree_member_begin(mtree_arrival_run_t *run);
void mtree_member_execute(mtree_arrival_run_t *run,
                          const mtree_arrival_command_t *command);
void mtree_member_progress(mtree_arrival_run_t *run);

/* coordinator.c: begin; make the decisions that can be made now. */
void mtree_coordinator_begin(mtree_arrival_run_t *run);
void mtree_coordinator_progress(mtree_arrival_run_t *run);

#endif

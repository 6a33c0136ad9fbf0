/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An arrival-ordered collective, inside, in layers: peers.c (the open stream), member.c
 * (messages of the coordination, and every rank but the coordinator), coordinator.c, and
 * arrival.c (life).  Only the thread that holds the operation's inbox touches any of it.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_PRIVATE_H
#define MTREE_SCHEDULE_ARRIVAL_PRIVATE_H

#include "schedule/arrival/arrival.h"
#include "schedule/arrival/chain.h"
#include "schedule/arrival/directory.h"
#include "schedule/operation_private.h"

#include <stdint.h>

/*
 * Commands of the coordinator to a rank, in this order: of a reduction CHILDREN and
 * PARENT, of a broadcast SOURCE, any number of RECEIVERs, and LAST.  Nothing follows the
 * last of them.
 *
 * A rank sends the coordinator an empty message when it arrives, and another one, where a
 * broadcast has a directory, when it has the whole result or has received LAST.
 */
typedef enum {
    MTREE_COMMAND_CHILDREN, /* add the sums of these ranks to your own part */
    MTREE_COMMAND_PARENT,   /* send the sum to this rank */
    MTREE_COMMAND_SOURCE,   /* receive the result from this rank */
    MTREE_COMMAND_RECEIVER, /* send the result to this rank, too */
    MTREE_COMMAND_LAST      /* no more receivers will follow */
} mtree_arrival_command_kind_t;

typedef struct {
    int32_t kind;
    int32_t num_ranks;
    int32_t ranks[MTREE_CHAIN_CHILDREN];
} mtree_arrival_command_t;

typedef struct mtree_arrival_run mtree_arrival_run_t;

/* The coordinator's receive of a rank's next message, or a rank's receive of its next
 * command. */
typedef struct {
    mtree_event_t event; /* must be first */
    mtree_arrival_run_t *run;
    int rank;
    bool has_arrived;
    mtree_arrival_command_t command;
} mtree_posted_recv_t;

struct mtree_arrival_run {
    mtree_arrival_t arrival;
    mtree_arena_t arena; /* of what it points to, but for the operation */
    mtree_operation_t *operation;
    mtree_layout_t layout;
    mtree_stream_t stream;
    int coordinator;
    bool has_directory; /* a broadcast, and not straight from the root */
    int children[MTREE_CHAIN_CHILDREN];
    bool has_reported;                 /* the second message is sent */
    mtree_chain_t *chain;              /* of the coordinator of a reduction */
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

/*
 * peers.c: peers are added to the operation's open stream in its progress function or
 * when a message of the control is done, so that everything happens in the order of its
 * inbox.  Set the children, which `children` and the stream's number say; once, before
 * the sum is sent.
 */
void mtree_arrival_add_children(mtree_arrival_run_t *run);

/* Send the sum @a up to @a rank, or the result down; each rank once. */
void mtree_arrival_add_channel(mtree_arrival_run_t *run, int rank, bool up);

/* Receive the result from @a rank; once. */
void mtree_arrival_add_source(mtree_arrival_run_t *run, int rank);

/* No more peers will be added: the operation ends when nothing is outstanding. */
void mtree_arrival_end_peers(mtree_operation_t *operation);

/* Is the result complete; which part of it was sent to each receiver so far, at least (1:
 * there is none); has everything been sent to them? */
bool mtree_arrival_is_complete(const mtree_arrival_run_t *run);
double mtree_arrival_sent_part(const mtree_arrival_run_t *run);
bool mtree_arrival_is_idle(const mtree_arrival_run_t *run);

/* In broadcasts, while nothing is being sent: copy the result and send from the copy, so
 * that the user's buffer is free. */
void mtree_arrival_copy_result(mtree_arrival_run_t *run);

/* Send, or receive if it @a receives, a message of the control.  @a handle is called when
 * it is done and must begin with mtree_operation_ended(); @a event and @a buffer stay
 * until then.  Where it cannot be started, the operation has failed. */
void mtree_arrival_message(mtree_arrival_run_t *run, bool receives, int peer, int tag,
                           void *buffer, size_t bytes, mtree_event_t *event,
                           void (*handle)(mtree_event_t *event));

/* member.c: send a copy of @a command to @a rank; NULL: an empty message. */
void mtree_arrival_send(mtree_arrival_run_t *run, int rank,
                        const mtree_arrival_command_t *command);

/* Begin; execute a command; send what is due. */
void mtree_member_begin(mtree_arrival_run_t *run);
void mtree_member_execute(mtree_arrival_run_t *run,
                          const mtree_arrival_command_t *command);
void mtree_member_progress(mtree_arrival_run_t *run);

/* coordinator.c: begin; make the decisions that can be made now. */
void mtree_coordinator_begin(mtree_arrival_run_t *run);
void mtree_coordinator_progress(mtree_arrival_run_t *run);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An arrival-ordered collective, inside: peers.c has the open stream, coordination.c what
 * ranks and the coordinator tell each other, and arrival.c its life.  Only the thread
 * that holds the operation's inbox touches any of it.
 */
#ifndef MTREE_SCHEDULE_ARRIVAL_PRIVATE_H
#define MTREE_SCHEDULE_ARRIVAL_PRIVATE_H

#include "schedule/arrival/arrival.h"
#include "schedule/arrival/chain.h"
#include "schedule/arrival/directory.h"
#include "schedule/operation_private.h"

#include <stdint.h>

typedef struct mtree_arrival_run mtree_arrival_run_t;

struct mtree_arrival_run {
    mtree_arrival_t arrival;
    mtree_arena_t arena; /* of what it points to, but for the operation */
    mtree_operation_t *operation;
    mtree_layout_t layout;
    mtree_stream_t stream;
    int coordinator;
    bool has_directory; /* a broadcast, and not straight from the root */
    int children[MTREE_CHAIN_CHILDREN];
    bool has_reported;            /* the second message is sent */
    mtree_chain_t *chain;         /* of the coordinator of a reduction */
    mtree_directory_t *directory; /* of the coordinator of a broadcast */
    size_t copied_bytes;          /* bytes */
    void (*released)(void *arg);
    void *arg;
};

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

/* coordination.c: begin, as the coordinator or as another rank; do what is due. */
void mtree_arrival_begin(mtree_arrival_run_t *run);
void mtree_arrival_decide(mtree_arrival_run_t *run);

#endif

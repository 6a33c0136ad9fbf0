/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inbox of an operation.  Completions may come from any thread and from inside other
 * calls.  The thread that finds the inbox free handles them, one at a time, in the order
 * in which they came.
 *
 * So the rest of the schedule needs no locks and never recurses: a transport may complete
 * a message from within send or recv, and the event only joins the queue.
 */
#ifndef MTREE_SCHEDULE_INBOX_H
#define MTREE_SCHEDULE_INBOX_H

#include "schedule/transport.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct mtree_inbox mtree_inbox_t;
typedef struct mtree_event mtree_event_t;

/* A member of what waits for a completion.  The transport is given its `completion`. */
struct mtree_event {
    mtree_completion_t completion; /* must be first */
    mtree_inbox_t *inbox;
    void (*handle)(mtree_event_t *event);
    mtree_status_t status;
    mtree_event_t *next;
};

struct mtree_inbox {
    _Atomic(mtree_event_t *) arrivals; /* newest first */
    atomic_size_t pending;             /* events not handled yet, and `held` */
    size_t held; /* 1 until it is opened; of the thread that handles events */

    /* Called after each batch of events.  True: nothing is outstanding, so no event will
     * come. */
    bool (*idle)(mtree_inbox_t *inbox);

    /* Called after the last batch.  The inbox is not used after it, so its owner may be
     * freed. */
    void (*finish)(mtree_inbox_t *inbox);
};

/* An inbox that is held: completions wait until mtree_inbox_open(). */
void mtree_inbox_init(mtree_inbox_t *inbox, bool (*idle)(mtree_inbox_t *inbox),
                      void (*finish)(mtree_inbox_t *inbox));

/* Make @a event ready to be given to a transport as `&event->completion`. */
void mtree_event_init(mtree_event_t *event, mtree_inbox_t *inbox,
                      void (*handle)(mtree_event_t *event));

/* Open an inbox that is held, and handle the events that have come. */
void mtree_inbox_open(mtree_inbox_t *inbox);

#endif

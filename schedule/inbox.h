/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The inbox of an operation: completions arrive from any thread and from inside other
 * calls, and are handled one at a time, in the order of arrival, by whoever finds the
 * inbox free.
 *
 * This is what makes the rest of the schedule free of locks and of recursion: a transport
 * may call back at once, from within send or recv, and the event only joins the queue.
 */
#ifndef MTREE_SCHEDULE_INBOX_H
#define MTREE_SCHEDULE_INBOX_H

#include "schedule/transport.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct mtree_inbox mtree_inbox_t;
typedef struct mtree_event mtree_event_t;

/* Embedded in whatever waits for a completion; its completion is what the transport is
 * given. */
struct mtree_event {
    mtree_completion_t completion; /* must be first */
    mtree_inbox_t *inbox;
    void (*handle)(mtree_event_t *event);
    mtree_status_t status;
    mtree_event_t *next;
};

struct mtree_inbox {
    _Atomic(mtree_event_t *) arrivals; /* newest first */
    atomic_size_t pending; /* events not handled yet; plus one while held open */

    /* After each batch of events.  True: nothing is under way any more, so nothing will
     * arrive. */
    bool (*idle)(mtree_inbox_t *inbox);

    /* After the last batch, when the inbox is not touched any more: its owner may be
     * freed. */
    void (*finish)(mtree_inbox_t *inbox);
};

/* An inbox that is held: completions wait until mtree_inbox_open(). */
void mtree_inbox_init(mtree_inbox_t *inbox, bool (*idle)(mtree_inbox_t *inbox),
                      void (*finish)(mtree_inbox_t *inbox));

/* Make @a event ready to be given to a transport as `&event->completion`. */
void mtree_event_init(mtree_event_t *event, mtree_inbox_t *inbox,
                      void (*handle)(mtree_event_t *event));

/* Stop holding the inbox that mtree_inbox_init() made, and handle what has arrived. */
void mtree_inbox_open(mtree_inbox_t *inbox);

#endif

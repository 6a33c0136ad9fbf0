/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A virtual clock: events in the order of their times, and of their adding where times
 * are equal, so that two runs of the same simulation are the same bit by bit.
 *
 * Events are embedded in what they are about; the clock keeps pointers to those that wait
 * and allocates nothing else.
 */
#ifndef MTREE_SIMULATE_EVENT_QUEUE_H
#define MTREE_SIMULATE_EVENT_QUEUE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mtree_event_queue mtree_event_queue_t;
typedef struct mtree_event_queue_event mtree_event_queue_event_t;

/* Zeroed before its first use; only @a func is for the owner to set. */
struct mtree_event_queue_event {
    void (*func)(mtree_event_queue_event_t *self);
    double time;       /* when it is due, seconds */
    uint64_t sequence; /* breaks ties */
    size_t place;      /* 1 + index in the heap; 0: does not wait */
};

/* Called between events every few thousand events; @a arg as given. */
typedef void (*mtree_event_queue_progress_t)(double now, void *arg);

/* A clock that stands at 0, owned by the caller. */
mtree_status_t mtree_event_queue_create(mtree_event_queue_t **clock_p);

/* Free; NULL is allowed.  Events that wait are forgotten. */
void mtree_event_queue_destroy(mtree_event_queue_t *clock);

/* Virtual seconds. */
double mtree_event_queue_now(const mtree_event_queue_t *clock);

/*
 * Have @a event->func called at @a time; a time that has passed means now, after those
 * already due. An event that waits is moved.  MTREE_ERR_NO_MEMORY is kept and returned by
 * mtree_event_queue_run(), so that callbacks need not handle it.
 */
void mtree_event_queue_add(mtree_event_queue_t *clock, mtree_event_queue_event_t *event,
                           double time);

/* Do not call @a event; nothing happens when it does not wait. */
void mtree_event_queue_remove(mtree_event_queue_t *clock,
                              mtree_event_queue_event_t *event);

/* Stop mtree_event_queue_run() after the current event with @a status; the first one
 * given is kept. */
void mtree_event_queue_fail(mtree_event_queue_t *clock, mtree_status_t status);

/* Call @a progress (may be NULL) now and then during mtree_event_queue_run(). */
void mtree_event_queue_set_progress(mtree_event_queue_t *clock,
                                    mtree_event_queue_progress_t progress, void *arg);

/* Run until no event waits or the clock failed, whose status it returns. */
mtree_status_t mtree_event_queue_run(mtree_event_queue_t *clock);

#endif

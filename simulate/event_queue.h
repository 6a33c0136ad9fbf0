/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The event queue of a simulation: virtual time, and timers in the order in which they
 * are due.  Timers that are due at the same time fire in the order in which they were
 * added, so that two runs of one simulation give the same bits.
 *
 * A timer is a member of the structure that it concerns.  The queue keeps pointers to the
 * timers that wait and allocates nothing else.
 */
#ifndef MTREE_SIMULATE_EVENT_QUEUE_H
#define MTREE_SIMULATE_EVENT_QUEUE_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mtree_event_queue mtree_event_queue_t;
typedef struct mtree_timer mtree_timer_t;

/* Its owner zeroes it before the first use and sets @a func. */
struct mtree_timer {
    void (*func)(mtree_timer_t *self);
    double time;       /* when it is due, seconds */
    uint64_t sequence; /* breaks ties */
    size_t place;      /* 1 + index in the heap; 0: it does not wait */
};

/* A queue at time 0, owned by the caller. */
mtree_event_queue_t *mtree_event_queue_create(void);

/* Free; NULL is allowed.  Timers that wait do not fire. */
void mtree_event_queue_destroy(mtree_event_queue_t *queue);

/* Virtual seconds. */
double mtree_event_queue_now(const mtree_event_queue_t *queue);

/*
 * Have @a timer->func called at @a time.  A time that has passed means now, after the
 * timers that are due already.  A timer that waits is moved.
 */
void mtree_event_queue_add(mtree_event_queue_t *queue, mtree_timer_t *timer, double time);

/* Stop @a timer; it need not wait. */
void mtree_event_queue_remove(mtree_event_queue_t *queue, mtree_timer_t *timer);

/* End mtree_event_queue_run() with @a status after the current timer.  The first status
 * given counts. */
void mtree_event_queue_fail(mtree_event_queue_t *queue, mtree_status_t status);

/* Run until no timer waits or the queue has failed; returns its status. */
mtree_status_t mtree_event_queue_run(mtree_event_queue_t *queue);

#endif

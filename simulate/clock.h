/*
 * A virtual clock: events in the order of their times, and of their adding where times
 * are equal, so that two runs of the same simulation are the same bit by bit.
 *
 * Events are embedded in what they are about; the clock keeps pointers to those that wait
 * and allocates nothing else.
 */
#ifndef MTREE_SIMULATE_CLOCK_H
#define MTREE_SIMULATE_CLOCK_H

#include "topo/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mtree_clock mtree_clock_t;
typedef struct mtree_clock_event mtree_clock_event_t;

/* Zeroed before its first use; only @a func is for the owner to set. */
struct mtree_clock_event {
    void (*func)(mtree_clock_event_t *self);
    double time;       /* when it is due, seconds */
    uint64_t sequence; /* breaks ties */
    size_t place;      /* 1 + index in the heap; 0: does not wait */
};

/* Called between events every few thousand events; @a arg as given. */
typedef void (*mtree_clock_progress_t)(double now, void *arg);

/* A clock that stands at 0, owned by the caller. */
mtree_status_t mtree_clock_create(mtree_clock_t **clock_p);

/* Free; NULL is allowed.  Events that wait are forgotten. */
void mtree_clock_destroy(mtree_clock_t *clock);

/* Virtual seconds. */
double mtree_clock_now(const mtree_clock_t *clock);

/*
 * Have @a event->func called at @a time; a time that has passed means now, after those
 * already due. An event that waits is moved.  MTREE_ERR_NO_MEMORY is kept and returned by
 * mtree_clock_run(), so that callbacks need not handle it.
 */
void mtree_clock_add(mtree_clock_t *clock, mtree_clock_event_t *event, double time);

/* Do not call @a event; nothing happens when it does not wait. */
void mtree_clock_remove(mtree_clock_t *clock, mtree_clock_event_t *event);

/* Stop mtree_clock_run() after the current event with @a status; the first one given is
 * kept. */
void mtree_clock_fail(mtree_clock_t *clock, mtree_status_t status);

/* Call @a progress (may be NULL) now and then during mtree_clock_run(). */
void mtree_clock_set_progress(mtree_clock_t *clock, mtree_clock_progress_t progress,
                              void *arg);

/* Run until no event waits or the clock failed, whose status it returns. */
mtree_status_t mtree_clock_run(mtree_clock_t *clock);

#endif

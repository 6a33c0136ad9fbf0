/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the time of this rank's calls goes.
 *
 * Calls overlap: nonblocking ones, and those of several threads.  A moment counts once,
 * however many are under way, so no more time is counted than passes.  It counts for
 * connections where some are being opened and a call runs, else for the calls that run,
 * else for those that Open MPI serves, else for those that wait for their plan.
 */
#ifndef COLL_MTREE_BASE_CALL_CLOCK_H
#define COLL_MTREE_BASE_CALL_CLOCK_H

#include <pthread.h>

typedef enum {
    COLL_MTREE_CALL_OUTSIDE, /* it has not begun, or it has ended */
    COLL_MTREE_CALL_PLANNED, /* it waits for its plan, or for what serves it */
    COLL_MTREE_CALL_OPENMPI, /* a blocking call that Open MPI serves */
    COLL_MTREE_CALL_RUNS,    /* mtree serves it */
    COLL_MTREE_CALL_STATES
} coll_mtree_call_state_t;

/* All in seconds. */
typedef struct {
    double planning, openmpi, running, connecting;
} coll_mtree_clock_times_t;

typedef struct {
    pthread_mutex_t lock;
    int calls[COLL_MTREE_CALL_STATES]; /* in each state */
    int connections;                   /* that are being opened */
    double now;                        /* the latest time that it was told */
    coll_mtree_clock_times_t times;
    double share; /* of the time of running calls, that of one that always ran */
} coll_mtree_call_clock_t;

/* This process's; a static one begins the same. */
#define COLL_MTREE_CALL_CLOCK_INIT                                                       \
    {                                                                                    \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                \
    }
extern coll_mtree_call_clock_t coll_mtree_call_clock;

/* What a call has seen of the clock: the difference of two readings is its own time, of
 * which @a share is its share where others ran beside it. */
typedef struct {
    double seconds, share;
} coll_mtree_call_reading_t;

/* At @a now a call goes from one state to another; readings are for calls that run. */
coll_mtree_call_reading_t coll_mtree_call_clock_move(coll_mtree_call_clock_t *clock,
                                                     coll_mtree_call_state_t from,
                                                     coll_mtree_call_state_t to,
                                                     double now);

/* At @a now a connection begins to be opened (1), or is open or given up (-1). */
void coll_mtree_call_clock_connect(coll_mtree_call_clock_t *clock, int change,
                                   double now);

/* The times until @a now. */
coll_mtree_clock_times_t coll_mtree_call_clock_times(coll_mtree_call_clock_t *clock,
                                                     double now);

#endif

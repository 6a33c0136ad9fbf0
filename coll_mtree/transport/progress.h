/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The component's part in Open MPI's progress: pollers, and the ways in which a blocking
 * call may wait.
 *
 * A unit adds its poller when it is opened in a mode in which it has to poll, so a job
 * that needs none pays nothing.
 */
#ifndef COLL_MTREE_TRANSPORT_PROGRESS_H
#define COLL_MTREE_TRANSPORT_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>

/* Look once, without waiting, from any thread, perhaps from several at a time; the number
 * of events that were handled. */
typedef int (*coll_mtree_poll_func_t)(void);

/* Have @a poll called whenever Open MPI's progress is.  Adding it again does nothing. */
void coll_mtree_progress_add(coll_mtree_poll_func_t poll);

/* End that; not while another thread is in MPI.  A function that was not added is no
 * error. */
void coll_mtree_progress_remove(coll_mtree_poll_func_t poll);

/* How soon something may be expected to happen. */
typedef enum {
    COLL_MTREE_WAIT_AT_ONCE, /* a round trip is under way, whose time is measured */
    COLL_MTREE_WAIT_SOON,    /* a stream is under way, whose rate is measured */
    COLL_MTREE_WAIT_LATER
} coll_mtree_wait_t;

/*
 * Let messages go on, and let other processes run.  Where processes share processors, one
 * that polls without a pause keeps the others from running for milliseconds, and streams
 * would seem to arrive in bursts.
 */
void coll_mtree_progress_wait(coll_mtree_wait_t wait);

/* Wait until @a done, which rank 0's planning thread decides: it may share a processor
 * with ranks that wait here, so after a moment they sleep between two looks. */
void coll_mtree_progress_wait_for(const atomic_bool *done);

#endif

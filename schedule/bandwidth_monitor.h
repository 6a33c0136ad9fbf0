/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A bandwidth monitor: what one process sends over its paths in operations that may
 * overlap, and that make progress only while the program is in MPI.
 *
 * The goodput of one operation (schedule/goodput.h) counts its own messages only: of two
 * operations over one link each sees half of the link's bandwidth.  The monitor adds up
 * what all of them send.  A path is backlogged while any operation has more to send over
 * it than its window allows.
 *
 * The owner reports every call of the progress engine.  Time between two calls that are
 * far apart is unattended.  Neither this time nor a short time after it, in which empty
 * buffers fill again, counts as backlogged.
 *
 * Any thread may call.  Times are seconds on one steady clock.
 */
#ifndef MTREE_SCHEDULE_BANDWIDTH_MONITOR_H
#define MTREE_SCHEDULE_BANDWIDTH_MONITOR_H

#include "base/status.h"

#include <stdbool.h>

/* The traffic of one path, over calls. */
typedef struct {
    double bytes;
    double seconds; /* of the calls that used it, where they are counted one by one */
    double backlogged_bytes;   /* those that were sent while it was backlogged */
    double backlogged_seconds; /* for which it was backlogged and attended */
} mtree_path_total_t;

/* Bits/s of a path while it was backlogged; 0: it never was. */
static inline double mtree_path_backlogged_rate(const mtree_path_total_t *path)
{
    return path->backlogged_seconds > 0
               ? 8 * path->backlogged_bytes / path->backlogged_seconds
               : 0;
}

/* The time in which operations were outstanding. */
typedef struct {
    double seconds;
    double unattended; /* seconds of it without a call of the progress engine */
} mtree_bandwidth_monitor_sum_t;

typedef struct mtree_bandwidth_monitor mtree_bandwidth_monitor_t;

/* A monitor of @a num_paths paths, owned by the caller.  MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_bandwidth_monitor_create(int num_paths,
                                              mtree_bandwidth_monitor_t **monitor_p);

/* Free; NULL is allowed. */
void mtree_bandwidth_monitor_destroy(mtree_bandwidth_monitor_t *monitor);

/* An operation begins, or ends.  Each that begins ends once. */
void mtree_bandwidth_monitor_begin(mtree_bandwidth_monitor_t *monitor, double now);
void mtree_bandwidth_monitor_end(mtree_bandwidth_monitor_t *monitor, double now);

/* Is an operation outstanding? */
bool mtree_bandwidth_monitor_is_busy(const mtree_bandwidth_monitor_t *monitor);

/* The progress engine was called.  @a alone: all traffic on the paths is counted by this
 * monitor. */
void mtree_bandwidth_monitor_attend(mtree_bandwidth_monitor_t *monitor, bool alone,
                                    double now);

/* @a bytes were sent on @a path. */
void mtree_bandwidth_monitor_sent(mtree_bandwidth_monitor_t *monitor, int path,
                                  double bytes, double now);

/* One operation is @a backlogged on @a path from now on, or is so no more. */
void mtree_bandwidth_monitor_backlog(mtree_bandwidth_monitor_t *monitor, int path,
                                     bool backlogged, double now);

/* Take what has been counted up to @a now since the last time, into *sum_p and @a paths
 * [num_paths]; or put it back, to be taken with what follows. */
void mtree_bandwidth_monitor_take(mtree_bandwidth_monitor_t *monitor, double now,
                                  mtree_bandwidth_monitor_sum_t *sum_p,
                                  mtree_path_total_t *paths);
void mtree_bandwidth_monitor_put_back(mtree_bandwidth_monitor_t *monitor,
                                      const mtree_bandwidth_monitor_sum_t *sum,
                                      const mtree_path_total_t *paths);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A gauge: what one process sent over its ways in operations that may overlap, and that
 * go on only while the program looks after them.
 *
 * The goodput of one operation (schedule/goodput.h) counts its own messages only: of two
 * operations over the same link each sees half of what the link gives.  A gauge adds up
 * what all of them sent; a way is pressed while any of them presses it.
 *
 * A nonblocking operation goes on while the program is in MPI.  Somebody tells the gauge
 * of every turn of progress; time between two turns that lie far apart is *unattended*:
 * neither it nor what comes shortly after it, when buffers have run empty, counts as
 * pressed.
 *
 * Any thread may call; times come from one steady clock.
 */
#ifndef MTREE_SCHEDULE_BANDWIDTH_MONITOR_H
#define MTREE_SCHEDULE_BANDWIDTH_MONITOR_H

#include "base/status.h"

#include <stdbool.h>

/* What passed over a way. */
typedef struct {
    double bytes;
    double backlogged_bytes;   /* the part of it that was taken while it was pressed */
    double backlogged_seconds; /* for which it was pressed, and attended */
} mtree_bandwidth_monitor_path_t;

/* What passed in all. */
typedef struct {
    double seconds;    /* for which operations were under way */
    double unattended; /* the part of it in which nobody looked */
} mtree_bandwidth_monitor_sum_t;

typedef struct mtree_bandwidth_monitor mtree_bandwidth_monitor_t;

/* A gauge of so many ways; owned by the caller.  MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_bandwidth_monitor_create(int num_paths,
                                              mtree_bandwidth_monitor_t **monitor_p);

/* Free; NULL is allowed. */
void mtree_bandwidth_monitor_destroy(mtree_bandwidth_monitor_t *monitor);

/* An operation begins, or ends; every beginning has one end. */
void mtree_bandwidth_monitor_begin(mtree_bandwidth_monitor_t *monitor, double now);
void mtree_bandwidth_monitor_end(mtree_bandwidth_monitor_t *monitor, double now);

/* Is an operation under way? */
bool mtree_bandwidth_monitor_is_busy(const mtree_bandwidth_monitor_t *monitor);

/* A turn of progress; @a alone: nothing that this gauge does not count shares the ways.
 */
void mtree_bandwidth_monitor_attend(mtree_bandwidth_monitor_t *monitor, bool alone,
                                    double now);

/* @a bytes were taken on @a path. */
void mtree_bandwidth_monitor_sent(mtree_bandwidth_monitor_t *monitor, int path,
                                  double bytes, double now);

/* An operation presses @a path from now on, or does so no more. */
void mtree_bandwidth_monitor_backlog(mtree_bandwidth_monitor_t *monitor, int path,
                                     bool backlogged, double now);

/* All until @a now: *sum_p, and @a paths [num_ways]. */
void mtree_bandwidth_monitor_read(mtree_bandwidth_monitor_t *monitor, double now,
                                  mtree_bandwidth_monitor_sum_t *sum_p,
                                  mtree_bandwidth_monitor_path_t *paths);

#endif

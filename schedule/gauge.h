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
#ifndef MTREE_SCHEDULE_GAUGE_H
#define MTREE_SCHEDULE_GAUGE_H

#include "topo/status.h"

#include <stdbool.h>

/* What passed over a way. */
typedef struct {
    double bytes;
    double pressed_bytes;   /* the part of it that was taken while it was pressed */
    double pressed_seconds; /* for which it was pressed, and attended */
} mtree_gauge_way_t;

/* What passed in all. */
typedef struct {
    double seconds;    /* for which operations were under way */
    double unattended; /* the part of it in which nobody looked */
} mtree_gauge_sum_t;

typedef struct mtree_gauge mtree_gauge_t;

/* A gauge of so many ways; owned by the caller.  MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_gauge_create(int num_ways, mtree_gauge_t **gauge_p);

/* Free; NULL is allowed. */
void mtree_gauge_destroy(mtree_gauge_t *gauge);

/* An operation begins, or ends; every beginning has one end. */
void mtree_gauge_begin(mtree_gauge_t *gauge, double now);
void mtree_gauge_end(mtree_gauge_t *gauge, double now);

/* Is an operation under way? */
bool mtree_gauge_is_busy(const mtree_gauge_t *gauge);

/* A turn of progress; @a alone: nothing that this gauge does not count shares the ways.
 */
void mtree_gauge_attend(mtree_gauge_t *gauge, bool alone, double now);

/* @a bytes were taken on @a way. */
void mtree_gauge_sent(mtree_gauge_t *gauge, int way, double bytes, double now);

/* An operation presses @a way from now on, or does so no more. */
void mtree_gauge_press(mtree_gauge_t *gauge, int way, bool pressed, double now);

/* All until @a now: *sum_p, and @a ways [num_ways]. */
void mtree_gauge_read(mtree_gauge_t *gauge, double now, mtree_gauge_sum_t *sum_p,
                      mtree_gauge_way_t *ways);

#endif

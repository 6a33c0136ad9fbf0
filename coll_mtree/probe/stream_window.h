/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many bytes of a probe's stream may be under way, and in messages of which length:
 * the sender's flow control.  It knows nothing of messages; times are seconds on any
 * steady clock.
 *
 * The receiver credits the bytes that have come, and the sender keeps no more under way
 * than fills the path.  What is queued in the system beyond that would have to be waited
 * for at the end, on a slow link for seconds.
 */
#ifndef COLL_MTREE_PROBE_STREAM_WINDOW_H
#define COLL_MTREE_PROBE_STREAM_WINDOW_H

#include "topo/probe/probe.h"

#include <stdbool.h>
#include <stddef.h>

/* No message of a stream is longer, in bytes. */
#define COLL_MTREE_STREAM_MOST_BYTES (32 << 10)

/* Messages whose round trip is waited for at a time. */
#define COLL_MTREE_STREAM_MARKED 32

/* A rate, measured from time to time. */
typedef struct {
    double began, bytes; /* of the measurement under way: seconds, credited by then */
    double rate;         /* bytes/s */
} coll_mtree_rate_meter_t;

typedef struct {
    int sharing;  /* streams on a link of the path, this one included */
    double trip;  /* round trip on the empty path, seconds; 0: not known */
    double speed; /* of the ends' interfaces, bits/s; 0: not known */

    double bytes;    /* that may be under way */
    double sent;     /* bytes */
    double credited; /* bytes */
    int num_credits;
    coll_mtree_rate_meter_t burst, steady; /* over short times; over round trips */
    bool saw_queue;
    double least_trip, latest_trip; /* seconds */
    int num_marked, num_answered;   /* messages whose round trips were waited for */
    mtree_probe_rate_sample_t
        marked[COLL_MTREE_STREAM_MARKED]; /* when sent, and bytes until then */
} coll_mtree_stream_window_t;

/* The first window of a stream. */
void coll_mtree_stream_window_init(coll_mtree_stream_window_t *window, int sharing,
                                   double trip, double speed);

/* Bytes of the next message; at most @a longest. */
size_t coll_mtree_stream_window_message(const coll_mtree_stream_window_t *window,
                                        size_t longest);

/* May @a bytes more be sent? */
bool coll_mtree_stream_window_fits(const coll_mtree_stream_window_t *window,
                                   size_t bytes);

/* A message of @a bytes was sent at @a now. */
void coll_mtree_stream_window_sent(coll_mtree_stream_window_t *window, size_t bytes,
                                   double now);

/* A credit came in at @a now: the receiver has @a credited bytes. */
void coll_mtree_stream_window_credit(coll_mtree_stream_window_t *window, double credited,
                                     double now);

#endif

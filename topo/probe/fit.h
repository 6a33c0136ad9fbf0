/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Figures from measurements: the rate of a stream from its marks, the latencies of links
 * from round trips.
 */
#ifndef MTREE_TOPO_PROBE_FIT_H
#define MTREE_TOPO_PROBE_FIT_H

#include "topo/probe/graph.h"
#include "topo/probe/probe.h"

typedef struct {
    double rate;   /* bits/s */
    double spread; /* relative difference between the two halves of the time, halved; of
                      the later half's halves where it had settled by then only */
    bool rising;   /* it still grew: the stream was too short */
} mtree_probe_rate_t;

/* A stream as its receiver saw it. */
typedef struct {
    int num_marks; /* at least 2 */
    const mtree_probe_mark_t *marks;
} mtree_probe_curve_t;

/* The bytes of @a curve after @a seconds, on the line between two marks; none before the
 * first, no more after the last. */
double mtree_probe_curve_bytes(const mtree_probe_curve_t *curve, double seconds);

/*
 * The rate at which streams that ran together settled: the least-squares slope of the sum
 * of their bytes in the best half of the time between 40 % and 95 % of that from the
 * first one's first byte to the first one's last.  What comes before is the start (a
 * window that opens, or a shaper's bucket that empties); what comes after, other streams
 * have more room for.  Of what is between, streams that pause leave a part unused.  While
 * one of them waits for a lost packet, the others take its share: together they show what
 * the link carries, and their rates in times of their own do not.
 */
mtree_probe_rate_t mtree_probe_fit_rate(const mtree_probe_curve_t *curves,
                                        int num_curves);

typedef struct {
    int from, to;
    double seconds; /* round trip, > 0 */
} mtree_probe_trip_t;

/*
 * Latencies of all links, seconds one way, at least 0, such that their sums along the
 * paths there and back are the round trips: least squares of the relative errors, in
 * which trips that do not fit the others lose weight (Huber's).  A link's two directions
 * are taken to have the same latency; links that only ever come together share theirs
 * equally.  Trips without a path are left out.  latency[num_links] is the caller's;
 * *error_p, unless NULL, is the mean relative error.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_probe_fit_latencies(const mtree_probe_graph_t *graph,
                                         const mtree_probe_trip_t *trips, int num_trips,
                                         double *latency, double *error_p);

#endif

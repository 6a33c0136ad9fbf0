/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fits to measurements: the rate of streams from their rate samples, the latencies of
 * links from round trips.
 */
#ifndef MTREE_TOPO_PROBE_FIT_H
#define MTREE_TOPO_PROBE_FIT_H

#include "topo/probe/graph.h"
#include "topo/probe/probe.h"

typedef struct {
    double rate;   /* bits/s */
    double spread; /* half of the relative difference between the two halves of the time;
                      between those of the later half where the first was still rising */
    bool rising;   /* it still rose in the later half: the stream was too short */
} mtree_probe_rate_t;

/* The rate samples of one stream. */
typedef struct {
    int num_samples; /* at least 2 */
    const mtree_probe_rate_sample_t *samples;
} mtree_probe_curve_t;

/*
 * The steady rate of streams that ran together: the least-squares slope of the sum of
 * their bytes in the best half of the middle time, which is between 40 % and 95 % of the
 * time from the first byte to the earliest last byte.  Before it windows open or the
 * bucket of a shaper empties; after it streams that have ended leave capacity to the
 * others.  The best half, because streams pause; of a rate that still rose the best
 * quarter, which is nearest to what it would have become.  The sum, because others use
 * the share of a stream that waits for a lost packet: together they show the capacity of
 * the link, singly they do not.
 */
mtree_probe_rate_t mtree_probe_fit_rate(const mtree_probe_curve_t *curves,
                                        int num_curves);

typedef struct {
    int from, to;
    double seconds; /* round trip, > 0 */
} mtree_probe_rtt_t;

/*
 * Fit latency[num_links], seconds one way and at least 0, such that the sums along the
 * paths there and back are the round trips.  Where trips disagree each counts by its
 * relative error, with Huber's weights, so that outliers count less.  A trip counts less
 * the more links it crosses.  Both directions of a link have the same
 * latency; of links that every round trip crosses together only the sum is known.  Trips
 * without a path are ignored.  *error_p, unless NULL, is the mean relative error.
 */
void mtree_probe_fit_latencies(const mtree_probe_graph_t *graph,
                               const mtree_probe_rtt_t *rtts, int num_rtts,
                               double *latency, double *error_p);

#endif

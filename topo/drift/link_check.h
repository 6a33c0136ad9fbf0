/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Link checks: what the links between neighbouring hosts carry, by a stream over each
 * direction of each, all at the same time but for those in opposite directions.  There
 * acknowledgements would wait behind packets, and one of both streams would carry half.
 *
 * The traffic of calls shows only links that limit them, and of other links no more than
 * that they carry what the plan sends.  A map that is wrong in many places would be
 * corrected one link after the other, and links that carry more than the map says would
 * not be found.  So where calls take much longer than their plan predicts, every link
 * that one stream can measure is measured once.
 *
 * Pure: the caller runs the streams.
 */
#ifndef MTREE_TOPO_DRIFT_LINK_CHECK_H
#define MTREE_TOPO_DRIFT_LINK_CHECK_H

#include "topo/drift/drift.h"

/* A stream between two hosts whose route is one link. */
typedef struct {
    int from, to;    /* host numbers */
    int arc;         /* of the topology, in this direction */
    int turn;        /* those of turn 0 run first, then those of turn 1 */
    double rtt;      /* seconds of a round trip according to the topology */
    double capacity; /* bits/s that it was measured to carry; 0: unknown */
} mtree_link_stream_t;

/*
 * Calls took @a slowness times as long as predicted since the last observation.  Should
 * the links be checked?  After a check that found nothing the next one takes twice as
 * many observations.
 */
bool mtree_link_check_is_due(mtree_drift_t *drift, double slowness);

/* The streams of a check, into *streams_p, malloc'ed; the number of them, 0 also where
 * there is no memory or there are too many to run at once. */
int mtree_link_check_streams(const mtree_drift_t *drift, mtree_link_stream_t **streams_p);

/* Correct the capacities that the @a num_streams @a streams measured to be others.
 * mtree_drift_change_summary() has the result in words. */
mtree_drift_change_t mtree_link_check_update(mtree_drift_t *drift,
                                             const mtree_link_stream_t *streams,
                                             int num_streams);

#endif

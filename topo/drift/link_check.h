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
 * that one stream can measure is measured once; and once in any case, as soon as that is
 * a small part of the time that calls have taken.  Streams take the network that all
 * hosts share, so they cannot measure links with ends.
 *
 * Pure: the caller runs the streams.
 */
#ifndef MTREE_TOPO_DRIFT_LINK_CHECK_H
#define MTREE_TOPO_DRIFT_LINK_CHECK_H

#include "topo/drift/drift.h"
#include "topo/probe/probe.h"

/* A stream between two hosts whose route is one link, which names no ends. */
typedef struct {
    mtree_probe_experiment_t stream; /* between host numbers; of no bytes yet */
    int arc;                         /* of the topology, in this direction */
    int turn;                        /* those of turn 0 run first, then those of turn 1 */
    double capacity; /* bits/s that it was measured to carry; 0: unknown */
} mtree_link_stream_t;

/*
 * Since the last observation calls took @a slowness times as long as predicted (0: not
 * known, which is no observation), and @a seconds in all; 0 where the map itself was
 * measured and needs no first check.  Should the links be checked?  After a check that
 * found nothing the next one takes twice as many observations.
 */
bool mtree_link_check_is_due(mtree_drift_t *drift, double slowness, double seconds);

/* The streams of a check, into *streams_p, malloc'ed; the number of them, 0 also where
 * there are too many to run at once. */
int mtree_link_check_streams(const mtree_drift_t *drift, mtree_link_stream_t **streams_p);

/* Streams in opposite directions run in different turns. */
#define MTREE_LINK_CHECK_TURNS 2

/* The round of turn @a turn of @a streams [num_streams], which all together send @a bytes
 * (0: any number); its experiments are the caller's, as many as streams. */
mtree_probe_round_t mtree_link_check_round(const mtree_link_stream_t *streams,
                                           int num_streams, int turn, double bytes,
                                           mtree_probe_experiment_t *experiments);

/* Take the @a results of that round. */
void mtree_link_check_take(mtree_link_stream_t *streams, int num_streams, int turn,
                           const mtree_probe_result_t *results);

/*
 * Correct the capacities that the @a num_streams @a streams measured to be others.  A
 * link carries at least what the @a num_samples @a samples of calls show it to carry:
 * where packets are lost one stream may not fill it.  mtree_drift_change_summary() has
 * the result in words.
 */
mtree_drift_change_t mtree_link_check_update(mtree_drift_t *drift,
                                             mtree_link_stream_t *streams,
                                             int num_streams,
                                             const mtree_path_sample_t *samples,
                                             int num_samples);

#endif

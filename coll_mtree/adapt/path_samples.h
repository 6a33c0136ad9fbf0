/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Path samples: how fast the data of one rank went to other hosts, for the drift of the
 * network (topo/drift/drift.h).  No Open MPI header is used.
 */
#ifndef COLL_MTREE_ADAPT_PATH_SAMPLES_H
#define COLL_MTREE_ADAPT_PATH_SAMPLES_H

#include "coll_mtree/adapt/traffic.h"

#include "schedule/placement.h"
#include "topo/drift/drift.h"

/* Bytes of a message below which windows never fill, so that links show no limit. */
#define COLL_MTREE_MEASURABLE_BYTES 262144

/* Seconds of calls below which rates are too uncertain. */
#define COLL_MTREE_MEASURABLE_SECONDS 0.1

/* Paths that a rank reports: those that were backlogged for longest. */
#define COLL_MTREE_MOST_PATHS 16

/* Write @a traffic of rank @a rank as @a samples [COLL_MTREE_MOST_PATHS]; unused ones
 * have rate 0, as have all where the traffic took no time or there is no memory. */
void coll_mtree_path_samples_pack(const mtree_placement_t *placement, int rank,
                                  const coll_mtree_traffic_t *traffic,
                                  mtree_path_sample_t *samples);

#endif

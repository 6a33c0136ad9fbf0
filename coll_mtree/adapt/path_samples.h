/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ways: what a rank tells rank 0 of how fast things went to other hosts.
 */
#ifndef COLL_MTREE_ADAPT_PATH_SAMPLES_H
#define COLL_MTREE_ADAPT_PATH_SAMPLES_H

#include "coll_mtree/coll_mtree.h"

#include "schedule/bandwidth_monitor.h"
#include "topo/drift/drift.h"

/* Smaller messages (bytes) tell little of links. */
#define COLL_MTREE_MEASURABLE_BYTES 262144

/* Ranks tell when so many bytes have been moved for each: less than a hundredth of it is
 * said. */
#define COLL_MTREE_BYTES_PER_RANK 45056

/* Shorter times (seconds) tell little. */
#define COLL_MTREE_MEASURABLE_SECONDS 0.1

/* Ways that a rank tells of, those that it was pressed on most. */
#define COLL_MTREE_MOST_PATHS 16

/*
 * What rank @a rank says of @a paths, by host, over @a seconds: *paces
 * [COLL_MTREE_MOST_PATHS]; those that are not used have no rate.
 */
void coll_mtree_path_samples_pack(const mtree_placement_t *placement, int rank,
                                  const mtree_bandwidth_monitor_path_t *paths,
                                  double seconds, mtree_path_sample_t *samples);

#endif

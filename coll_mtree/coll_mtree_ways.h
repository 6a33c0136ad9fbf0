/*
 * Ways: what a rank tells rank 0 of how fast things went to other hosts.
 */
#ifndef MCA_COLL_MTREE_WAYS_H
#define MCA_COLL_MTREE_WAYS_H

#include "coll_mtree.h"

#include "schedule/gauge.h"
#include "topo/drift.h"

/* Smaller messages (bytes) tell little of links. */
#define COLL_MTREE_TELLING_BYTES 262144

/* Ranks tell when so many bytes have been moved for each: less than a hundredth of it is
 * said. */
#define COLL_MTREE_BYTES_A_RANK 45056

/* Shorter times (seconds) tell little. */
#define COLL_MTREE_TELLING_SECONDS 0.1

/* Ways that a rank tells of, those that it was pressed on most. */
#define COLL_MTREE_MOST_WAYS 16

/*
 * What rank @a rank says of @a ways, by host, over @a seconds: *paces
 * [COLL_MTREE_MOST_WAYS]; those that are not used have no rate.
 */
void coll_mtree_ways_tell(const mtree_placement_t *placement, int rank,
                          const mtree_gauge_way_t *ways, double seconds,
                          mtree_pace_t *paces);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic: what the calls of one process sent to other hosts in a stretch of time.  No
 * Open MPI header is used.
 */
#ifndef COLL_MTREE_ADAPT_TRAFFIC_H
#define COLL_MTREE_ADAPT_TRAFFIC_H

#include "coll_mtree/adapt/observation.h"

#include "schedule/bandwidth_monitor.h"

typedef struct {
    mtree_bandwidth_monitor_sum_t sum;
    mtree_bandwidth_monitor_path_t paths[]; /* [hosts] to each host */
} coll_mtree_traffic_t;

/* None yet, to @a num_hosts; the caller frees it.  NULL: no memory. */
coll_mtree_traffic_t *coll_mtree_traffic_create(size_t num_hosts);

/* Add @a sign times @a other. */
void coll_mtree_traffic_add(coll_mtree_traffic_t *traffic,
                            const coll_mtree_traffic_t *other, size_t num_hosts,
                            double sign);

/* Add what the call of @a observation sent, if it was measured; @a host [ranks] is the
 * host of each rank. */
void coll_mtree_traffic_add_call(coll_mtree_traffic_t *traffic,
                                 const coll_mtree_observation_t *observation,
                                 const int *host);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic: what the calls of one process sent to other hosts in a stretch of time, and
 * what it shows of the paths to them, for the drift of the network (topo/drift/drift.h).
 * No Open MPI header is used.
 */
#ifndef COLL_MTREE_ADAPT_TRAFFIC_H
#define COLL_MTREE_ADAPT_TRAFFIC_H

#include "coll_mtree/base/call_class.h"

#include "schedule/bandwidth_monitor.h"
#include "schedule/goodput.h"
#include "schedule/placement.h"
#include "schedule/plan_part.h"
#include "topo/drift/drift.h"

/* Bytes of a message below which windows never fill, so that links show no limit. */
#define COLL_MTREE_MEASURABLE_BYTES 262144

/* Round trips of the longest edge below which a call shows no rates: its data waits for
 * acknowledgements longer than for links. */
#define COLL_MTREE_MEASURABLE_ROUND_TRIPS 3

/* Seconds of calls below which rates are too uncertain. */
#define COLL_MTREE_MEASURABLE_SECONDS 0.1

/* Paths that a rank reports: those whose links are gone or lost, then those that were
 * backlogged for longest. */
#define COLL_MTREE_MOST_PATHS 16

typedef struct {
    mtree_bandwidth_monitor_sum_t sum;
    mtree_bandwidth_monitor_path_t paths[]; /* [hosts] to each host */
} coll_mtree_traffic_t;

/* What one rank observed of a blocking call that has ended.  What is pointed to is valid
 * during the call that it is given to; the part stays with the module. */
typedef struct {
    const coll_mtree_call_class_t *call_class;
    const mtree_plan_part_t *part; /* of the plan of the call */
    int rank;
    bool by_arrival; /* the call was arrival-ordered */
    bool warmed_up;  /* false: the first call over its plan, which opens connections and
                        finds their windows small */
    const mtree_goodput_t *goodput; /* NULL: not measured, or arrival-ordered */
    double goodput_scale;           /* bytes of the message per byte of `goodput` */
} coll_mtree_observation_t;

/* None yet, to @a num_hosts; the caller frees it. */
coll_mtree_traffic_t *coll_mtree_traffic_create(size_t num_hosts);

/* Add what the call of @a observation sent, if it was measured; @a host [ranks] is the
 * host of each rank. */
void coll_mtree_traffic_add_call(coll_mtree_traffic_t *traffic,
                                 const coll_mtree_observation_t *observation,
                                 const int *host);

/* Write @a traffic of rank @a rank as @a samples [COLL_MTREE_MOST_PATHS], with the state
 * of the @a links [hosts] to each host (NULL: all carry); unused ones have rate 0, as
 * have all where the traffic took no time. */
void coll_mtree_traffic_pack(const mtree_placement_t *placement, int rank,
                             const coll_mtree_traffic_t *traffic,
                             const mtree_link_state_t *links,
                             mtree_path_sample_t *samples);

#endif

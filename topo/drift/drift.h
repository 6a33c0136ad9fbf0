/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drift: how far a network has moved away from its topology, judged by the rates that
 * collectives achieve.
 *
 * An *observation* is the rates between hosts (schedule/goodput.h) that all ranks report
 * after some calls.  A path is backlogged while more data is ready than it can send; its
 * rate is then that of its narrowest link.  Where no link of a backlogged path carries
 * what the topology says, one of them gives less: the smallest set of links that explains
 * all such paths is taken to be slow.  A link that gives less, or more, in several
 * observations has its capacity changed in a copy of the topology.  docs/replan.md has
 * the rule, its constants and the reasons.
 *
 * A link with ends that is gone is left out: its capacity is 0 from then on.
 *
 * Pure: no messages and no clock.  Time is counted in observations.
 */
#ifndef MTREE_TOPO_DRIFT_DRIFT_H
#define MTREE_TOPO_DRIFT_DRIFT_H

#include "topo/topology.h"

#include <stdbool.h>

/* The traffic from one host to another, as one rank saw it.  Sent between ranks as it
 * is. */
typedef struct {
    int from, to;            /* host numbers */
    float rate;              /* bits/s over all of the time */
    float backlogged_rate;   /* bits/s while it was backlogged */
    float backlogged;        /* part of the time that it was, 0 to 1 */
    mtree_link_state_t link; /* of neighbours whose link has ends */
} mtree_path_sample_t;

typedef struct mtree_drift mtree_drift_t;

/*
 * The drift of the network between the @a num_hosts vertices @a hosts of @a topology,
 * which is copied; @a hosts stay.  Owned by the caller.  Errors as of
 * mtree_routes_create().
 */
mtree_status_t mtree_drift_create(const mtree_topology_t *topology, const int *hosts,
                                  int num_hosts, mtree_drift_t **drift_p);

/* Free; NULL is allowed. */
void mtree_drift_destroy(mtree_drift_t *drift);

/* The topology as observations have changed it so far; owned by @a drift. */
const mtree_topology_t *mtree_drift_topology(const mtree_drift_t *drift);

/* What an observation changed of the topology. */
typedef enum {
    MTREE_DRIFT_NOTHING,
    MTREE_DRIFT_SMALL, /* capacities, by so little that the trees of a plan remain good */
    MTREE_DRIFT_LARGE,
    MTREE_DRIFT_GONE /* links are left out: no plan may use them */
} mtree_drift_change_t;

/*
 * Take in one observation: @a num_samples samples; those of the same two hosts add up.
 * While a link is lost, and may come back, rates show nothing.
 */
mtree_drift_change_t mtree_drift_update(mtree_drift_t *drift,
                                        const mtree_path_sample_t *samples,
                                        int num_samples);

/* What the last observation changed, in words ("US6->EU2 gives 9.9 Mb/s, not 40 Mb/s",
 * "r0--r1 is gone"); owned by @a drift. */
const char *mtree_drift_change_summary(const mtree_drift_t *drift);

#endif

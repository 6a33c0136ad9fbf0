/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Drift: how far a network has moved away from its topology, by what collectives give.
 *
 * Ranks tell how fast things went between hosts (schedule/goodput.h), once for some
 * calls: a *hearing*.  A way on which more was ready than could be sent, for a good part
 * of the time, is pressed: it tells what its narrowest link gives.  Where no link of a
 * pressed way carries what the topology says, some link of it gives less; which one, the
 * fewest links tell that explain all such ways.  A link that is found to give less, or
 * more, again and again has its capacity changed in a copy of the topology.  See
 * docs/replan.md for the rule, its numbers and why.
 *
 * Pure: no messages, no clock; time is counted in hearings.
 */
#ifndef MTREE_TOPO_DRIFT_DRIFT_H
#define MTREE_TOPO_DRIFT_DRIFT_H

#include "topo/topology.h"

#include <stdbool.h>

/* What went from one host to another, as one rank saw it.  Sent as it is. */
typedef struct {
    int from, to;          /* host numbers */
    float rate;            /* bits/s over all of the time */
    float backlogged_rate; /* bits/s while it was pressed */
    float backlogged;      /* part of the time for which it was, 0 to 1 */
} mtree_path_sample_t;

typedef struct mtree_drift mtree_drift_t;

/*
 * The drift of the network between the @a num_hosts vertices @a hosts of @a topology,
 * which is copied.  Owned by the caller.  Errors as of mtree_routes_create().
 */
mtree_status_t mtree_drift_create(const mtree_topology_t *topology, const int *hosts,
                                  int num_hosts, mtree_drift_t **drift_p);

/* Free; NULL is allowed. */
void mtree_drift_destroy(mtree_drift_t *drift);

/* The topology as it is believed to be now; the drift's, changed by hearings. */
const mtree_topology_t *mtree_drift_topology(const mtree_drift_t *drift);

/* What a hearing changed of the topology. */
typedef enum {
    MTREE_DRIFT_NOTHING,
    MTREE_DRIFT_LITTLE, /* capacities, by so little that the trees there are will do */
    MTREE_DRIFT_MUCH
} mtree_drift_change_t;

/*
 * A hearing: @a samples of @a num_samples ways; ranks of the same hosts add up.
 * MTREE_ERR_NO_MEMORY aside nothing can fail: then nothing changes.
 */
mtree_drift_change_t mtree_drift_update(mtree_drift_t *drift,
                                        const mtree_path_sample_t *samples,
                                        int num_samples);

/* What the last hearing changed, in words ("US6->EU2 gives 9.9 Mb/s, not 40 Mb/s"); the
 * drift's. */
const char *mtree_drift_news(const mtree_drift_t *drift);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public.  The choice of a plan.  Where a request leaves the algorithm open, all that can
 * do the call compete, with several numbers of trees and sizes of chunks.  The simulator
 * says which plan is the fastest.
 */
#ifndef MTREE_SIMULATE_FORECAST_CHOICE_H
#define MTREE_SIMULATE_FORECAST_CHOICE_H

#include "planner/planner.h"

/* An algorithm that was considered for a call. */
typedef struct {
    const char *algorithm; /* static */
    int max_trees;         /* that it was asked for */
    int num_trees;         /* that it has */
    size_t chunk_bytes;    /* of its first tree; 0: none */
    double seconds;        /* that it takes; 0: it has no plan */
    bool is_simulated;     /* else the seconds are an estimate */
    bool sends_whole;      /* it was compared by MTREE_PREDICTION_WHOLE times its seconds
                              (simulate/forecast/prediction.h) */
    const char *reason;    /* static: what excluded it, or why it was not simulated; NULL:
                              it was compared */
} mtree_candidate_t;

/* At most so many are considered. */
#define MTREE_CHOICE_MOST 32

/* The candidates of a choice, in the order in which they were considered. */
typedef struct {
    mtree_candidate_t list[MTREE_CHOICE_MOST];
    int count;
} mtree_candidate_list_t;

/*
 * Plan as mtree_planner_run() does, with relays as well.  Where the request names no
 * algorithm all compete: those that need no search first, then trees that are searched
 * for, where these may be faster.  The work is limited, so between many hosts, or of long
 * calls, fewer are simulated, or a part of the call.  The plan's seconds are those that
 * the simulator predicts; where it cannot, an estimate.
 *
 * Without a size the plan is that of the greatest throughput.  @a candidates (may be
 * NULL) becomes what was considered.  Errors as of mtree_planner_run().
 */
mtree_status_t mtree_choice_plan(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p,
                                 mtree_candidate_list_t *candidates);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator's front door: how long would this collective take on this network, and
 * what would its links do?  Plans run in the production engine (schedule/operation.h),
 * Open MPI's algorithms as rank programs; both on the same virtual clock, network and
 * ranks.  Deterministic.
 */
#ifndef MTREE_SIMULATE_SIMULATE_H
#define MTREE_SIMULATE_SIMULATE_H

#include "planner/plan/plan.h"
#include "simulate/baseline/baseline.h"
#include "simulate/network.h"

typedef struct {
    size_t
        bytes; /* message (allgather, reduce_scatter: of all blocks together), > 0; whole
                  elements of 4 bytes are simulated, the last one may be longer */
    int root;  /* host number, for bcast and reduce: its first rank */
    int ranks_per_host;     /* > 0; rank r runs on host r / ranks_per_host */
    size_t chunk_bytes;     /* plans; 0: the plan's, or the engine's choice */
    size_t segment_bytes;   /* baselines that cut messages; 0: whole messages */
    size_t eager_bytes;     /* longest message that is sent without asking; 0: no limit */
    size_t control_bytes;   /* the envelope of a message */
    double overhead;        /* seconds a rank spends on a message, at both ends */
    double fold_rate;       /* bytes/s that a rank folds; 0: folding takes no time */
    const double *arrivals; /* [ranks] when each rank comes to the call, seconds; NULL:
                               all at 0 */
    bool check; /* carry real data and check the result: MTREE_ERR_TRANSPORT */
    mtree_network_options_t network;
    mtree_event_queue_progress_t progress; /* may be NULL */
    void *progress_arg;
} mtree_simulate_options_t;

typedef struct {
    double seconds;        /* until the last rank is done */
    double share_of_bound; /* time at the plan's bound / seconds; 0: the bound is not
                              known */
    size_t messages;
    int num_arcs;
    double *busy;  /* [num_arcs] part of the time that each arc of the topology sends */
    int num_trees; /* 0 for baselines */
    double *tree_seconds; /* [num_trees] when the last chunk of each of the plan's trees
                             arrived */
    double *left; /* [ranks] of plans: when each rank left the call; NULL for baselines */
} mtree_simulate_result_t;

/* What the lab's Open MPI over TCP shows; `bytes` is 0. */
void mtree_simulate_default_options(mtree_simulate_options_t *options);

/*
 * Run @a plan, by arrival if that is what it is for, whose hosts are the @a num_hosts
 * vertices @a hosts of @a topology in their order.  The plan is for
 * @a collective, or for allreduce and then serves any.  Errors are logged.
 */
mtree_status_t mtree_simulate_plan(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_t *plan,
                                   mtree_collective_t collective,
                                   const mtree_simulate_options_t *options,
                                   mtree_simulate_result_t *result_p);

/* Run one of Open MPI's algorithms; share_of_bound stays 0, since a bound comes with a
 * plan. */
mtree_status_t mtree_simulate_baseline(const mtree_topology_t *topology, const int *hosts,
                                       int num_hosts, const mtree_baseline_t *baseline,
                                       const mtree_simulate_options_t *options,
                                       mtree_simulate_result_t *result_p);

/* Free what @a result holds; all zero is allowed. */
void mtree_simulate_result_clear(mtree_simulate_result_t *result);

#endif

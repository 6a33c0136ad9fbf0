/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The entry point of the simulator: the time that a collective takes on a network, and
 * how busy each link is.  Plans run in the production engine (schedule/operation.h), Open
 * MPI's algorithms as rank programs, both on the same event queue, network and ranks.
 * They carry no data.  Deterministic.
 */
#ifndef MTREE_SIMULATE_SIMULATE_H
#define MTREE_SIMULATE_SIMULATE_H

#include "planner/bound/least_time.h"
#include "planner/plan/plan.h"
#include "simulate/baseline/baseline.h"
#include "simulate/network.h"

typedef struct {
    size_t
        bytes; /* message (of all blocks together; alltoall: that a rank sends), > 0;
                  whole elements of 4 bytes are simulated, the last one may be longer */
    int root;  /* host number, where the collective has a root: its first rank */
    int ranks_per_host;      /* > 0; rank r runs on host r / ranks_per_host */
    size_t chunk_bytes;      /* of plans; 0: that of the plan, or of the engine */
    size_t segment_bytes;    /* of baselines that cut messages; 0: whole messages */
    size_t eager_bytes;      /* longest message sent before it is matched; 0: no limit */
    size_t control_bytes;    /* the envelope of a message */
    double overhead;         /* seconds per message of a rank's time, at both ends;
                                negative: as the topology says (topo/topology.h) */
    double fold_rate;        /* bytes/s that a rank adds up; 0: adding takes no time */
    const double *arrivals;  /* [ranks] seconds after which each rank enters the call;
                                NULL: all at 0 */
    mtree_openmpi_t openmpi; /* whose baselines they are */
    size_t most_messages; /* of baselines: after so many the rest is taken to go on at the
                             same pace; 0: no limit */
    mtree_network_options_t network;
} mtree_simulate_options_t;

typedef struct {
    double seconds; /* until the last rank is done */
    size_t messages;
    int num_arcs;
    double *busy;         /* [num_arcs] part of the time for which each arc is sending */
    int num_trees;        /* 0 for baselines */
    double *tree_seconds; /* [num_trees] arrival of the last chunk of each tree */
    double *left;         /* [ranks] time at which each rank left the call; 0: of a
                             baseline that was cut before */
} mtree_simulate_result_t;

/* The bytes of a call as plans and bounds count them: of an all-to-all what a host sends,
 * and where ranks have blocks the shortest of these times their number. */
double mtree_simulate_planned_bytes(mtree_collective_t collective,
                                    const mtree_simulate_options_t *options,
                                    int num_hosts);

/* What the simulated processors need on @a topology (planner/bound/least_time.h). */
mtree_processor_costs_t mtree_simulate_costs(const mtree_topology_t *topology,
                                             const mtree_simulate_options_t *options);

/* What Open MPI over TCP shows in the lab; `bytes` is 0. */
void mtree_simulate_default_options(mtree_simulate_options_t *options);

/*
 * Run @a plan, arrival-ordered if it is such a plan.  Its hosts are the @a num_hosts
 * vertices @a hosts of @a topology, in this order, and behind them its relays, which are
 * found by their names.  The plan is for @a collective, or for
 * allreduce, whose trees serve every collective that is not personalized.  Errors are
 * logged; MTREE_ERR_INVALID for an unknown collective.
 */
mtree_status_t mtree_simulate_plan(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_t *plan,
                                   mtree_collective_t collective,
                                   const mtree_simulate_options_t *options,
                                   mtree_simulate_result_t *result_p);

/* Run one of Open MPI's algorithms. */
mtree_status_t mtree_simulate_baseline(const mtree_topology_t *topology, const int *hosts,
                                       int num_hosts, const mtree_baseline_t *baseline,
                                       const mtree_simulate_options_t *options,
                                       mtree_simulate_result_t *result_p);

/* Free what @a result owns; all zero is allowed. */
void mtree_simulate_result_clear(mtree_simulate_result_t *result);

#endif

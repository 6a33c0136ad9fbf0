/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public.  The least time of a collective on a network: the greatest of what latencies,
 * flows, cuts and processors need.
 *
 * - Latency: the longest of the shortest paths between hosts that depend on one another,
 *   and flow: the slowest of the quickest flows between them
 *   (planner/bound/slowest_flow.h).
 * - Cut: the time at the throughput that no plan can exceed (`bound` of mtree_plan_t),
 *   which the caller knows.
 * - Processor: the additions, and the messages that tell all hosts.  All that moves
 *   between hosts is in messages, each of which costs its sender's processor something
 *   before its way and its receiver's after it, so that is added to the other three.
 *
 * A link that is a token bucket (`burst` of its conditions) carries that many bytes more
 * than its capacity in any time, once.  So a cut carries what it does in the time at the
 * capacities and what the longest burst lasts, and a flow as many bytes more as the
 * bursts of all links are, one way each.
 *
 * Latencies, flows and processors bind all algorithms, also those that code across
 * elements.  The cut of a reduction binds those that pass on partial sums.
 */
#ifndef MTREE_PLANNER_BOUND_LEAST_TIME_H
#define MTREE_PLANNER_BOUND_LEAST_TIME_H

#include "planner/plan/collective.h"
#include "topo/topology.h"

/* What may bind. */
typedef enum {
    MTREE_BOUND_LATENCY,
    MTREE_BOUND_FLOW,
    MTREE_BOUND_CUT,
    MTREE_BOUND_PROCESSOR
} mtree_bound_t;

/* What the ranks' processors are known to need at least. */
typedef struct {
    double overhead;  /* seconds per message of a rank's time, at both ends; 0: unknown */
    double fold_rate; /* bytes/s that a rank adds up; 0: unknown */
    int ranks_per_host; /* 0: one */
} mtree_processor_costs_t;

/* The call. */
typedef struct {
    mtree_collective_t collective;
    int root;          /* host number, where it has a root */
    double bytes;      /* as a plan counts them (planner/plan/plan.h) */
    double cut;        /* bits/s that no plan exceeds; 0: not known */
    const char *limit; /* what limits that, in words; may be NULL */
    int num_relays;    /* hosts outside the job that may forward and add */
    mtree_processor_costs_t costs;
} mtree_least_time_call_t;

typedef struct {
    double seconds;   /* no call ends sooner; 0 for one host or no bytes */
    mtree_bound_t by; /* what needs them */
    char *limit;      /* that in words ("the flow from a to b"); NULL for 0 seconds */
} mtree_least_time_t;

/*
 * The least time of @a call between the @a num_hosts vertices @a hosts of @a topology.
 * *time_p is freed by mtree_least_time_clear().  MTREE_ERR_INVALID (logged) for an
 * unknown collective.
 */
mtree_status_t mtree_least_time(const mtree_topology_t *topology, const int *hosts,
                                int num_hosts, const mtree_least_time_call_t *call,
                                mtree_least_time_t *time_p);

/* Free what @a time owns; all zero is allowed. */
void mtree_least_time_clear(mtree_least_time_t *time);

/*
 * The seconds in which messages from one host to another, of a least @a latency of
 * seconds, can tell all @a num_hosts hosts what one of them knew, or one what all knew.
 * Each rank of a host that knows sends one message after the other, and who has received
 * one sends, too (Karp, Sahay, Santos and Schauser, "Optimal broadcast and summation in
 * the LogP model", SPAA 1993).  Each collective has that to do, as each host's part
 * reaches all others, or the root's does, or all reach the root.  0: unknown, or no
 * memory.
 */
double mtree_processors_telling(const mtree_processor_costs_t *costs, int num_hosts,
                                double latency);

/*
 * The seconds in which @a num_ranks ranks and @a num_relays relays can add up the vectors
 * of @a bytes of the ranks: for each element one addition less than there are ranks, even
 * if all processors have equal parts of them.  0 where nothing is added, or unknown.
 */
double mtree_processors_adding(const mtree_processor_costs_t *costs,
                               mtree_collective_t collective, double bytes, int num_ranks,
                               int num_relays);

/* "latency", "flow", "cut" or "processor". */
const char *mtree_bound_name(mtree_bound_t by);

#endif

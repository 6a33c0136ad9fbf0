/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least time that the ranks' processors need for a collective, whatever the network
 * and the algorithm.
 */
#ifndef MTREE_PLANNER_BOUND_PROCESSORS_H
#define MTREE_PLANNER_BOUND_PROCESSORS_H

#include "planner/plan/collective.h"

/* What the ranks' processors are known to need at least. */
typedef struct {
    double overhead;  /* seconds per message of a rank's time, at both ends; 0: unknown */
    double fold_rate; /* bytes/s that a rank adds up; 0: unknown */
    int ranks_per_host; /* 0: one */
} mtree_processor_costs_t;

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

#endif

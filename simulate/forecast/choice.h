/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public.  The choice of a plan.  Where a request leaves the algorithm open, kinds of
 * plans compete: trees of a packing, one of its trees, direct exchange, a ring, one low
 * tree.  The simulator says which of them is the fastest.
 */
#ifndef MTREE_SIMULATE_FORECAST_CHOICE_H
#define MTREE_SIMULATE_FORECAST_CHOICE_H

#include "planner/planner.h"

/* What is compared of a plan. */
typedef struct {
    double seconds; /* that it takes */
    double load;    /* sum of the squares of the seconds for which each arc is busy, so
                       that arcs filled without need count */
    int height;     /* hops, of its highest tree */
} mtree_contender_t;

/*
 * The best of @a count contenders (at least one).  Those that take at most @a close (a
 * part) longer than the fastest are equal; of these it is the one with the least load, of
 * those with hardly more the lowest, and of those the last.
 */
int mtree_choice_best(const mtree_contender_t *contenders, int count, double close);

/*
 * Plan as mtree_planner_run() does, with relays as well, for all kinds of plans where the
 * request names no algorithm, and take the best one.  Its predicted seconds are those
 * that it takes in the simulator, where that is quick; of a few seconds' messages only a
 * part is simulated. Short messages, arrival-ordered plans and large networks keep the
 * planner's prediction.
 */
mtree_status_t mtree_choice_plan(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p);

/* Where a plan of the request's trees leaves much of the relays' links idle, it may have
 * so many times as many. */
#define MTREE_CHOICE_MORE_TREES 4

/* The plan for @a request that passes through its relays, where that is clearly faster
 * (mtree_relays_gain()) than @a plan for the same without; else *relayed_p is NULL.  Its
 * seconds are predicted as those of mtree_choice_plan() are.  The caller's. */
mtree_status_t mtree_choice_relays(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_request_t *request,
                                   const mtree_plan_t *plan, mtree_plan_t **relayed_p);

#endif

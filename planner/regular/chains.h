/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Chains: reduce schedules built in the order in which participants arrive, after Zhuang
 * et al., "Hoplite: Efficient and Fault-Tolerant Collective Communication for Task-Based
 * Distributed Systems", Section 4.3 and Appendix A ("the paper").
 *
 * n objects of S bytes are reduced over links of B bits/s with latency L.  One chain
 * costs S/B + (n-1) L; sqrt(n) chains and a chain of their results cost 2 S/B + 2
 * (sqrt(n)-1) L.
 */
#ifndef MTREE_PLANNER_REGULAR_CHAINS_H
#define MTREE_PLANNER_REGULAR_CHAINS_H

#include "planner/plan/algorithm.h"

#include <stdbool.h>

typedef struct {
    double bytes;     /* S: size of one object */
    double bandwidth; /* B: bits/s between two nodes */
    double latency;   /* L: seconds between two nodes, one way */
} mtree_chains_link_t;

/* The paper's condition for two dimensions: n B L > S. */
bool mtree_chains_use_2d(int num_objects, const mtree_chains_link_t *link);

/*
 * The chains that reduce to @a receiver the objects of the @a num_objects participants in
 * @a arrivals (distinct, the receiver not among them), which lists them in order of
 * arrival.  parent_p[p] becomes the participant that p sends to; the receiver's becomes
 * -1; other entries are left alone.  While n B L > S, a chain is cut into sqrt(n) chains
 * of neighbours in the order of arrival and a chain of their results, each of which is
 * cut in turn; the last to arrive in a chain holds its result.  (The paper draws the
 * parts at random.)
 */
void mtree_chains_build(const int *arrivals, int num_objects, int receiver,
                        const mtree_chains_link_t *link, int *parent_p);

/*
 * The algorithm "arrival" of the planner, for reduce, for allreduce as the paper has it
 * (reduce, then broadcast) and for bcast: the problem's hosts are taken to arrive in
 * their order, B is the least capacity and L the largest latency of their routes.
 * Without a size, one chain; a broadcast always is one, since its sources serve one
 * receiver at a time.  Up to MTREE_CHAINS_ROUTED hosts the plan holds their routes, by
 * which schedule/arrival/arrival.h chooses between those that have arrived.
 */
#define MTREE_CHAINS_ROUTED 128

mtree_status_t mtree_chains_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif

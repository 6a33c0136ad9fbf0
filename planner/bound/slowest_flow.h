/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a collective needs of the paths between hosts: the longest of the shortest paths,
 * and the slowest of the quickest flows (planner/bound/quickest_flow.h).
 *
 * Let the operation be that of a group, as addition modulo 2^n is, and all inputs but one
 * be zero.  Then the result of host t shows all bits of what it gets of host s, which is
 * the vector in a reduction, a broadcast and a scan (where s is before t), and a block in
 * the others.  So as many bits go from s to t, whatever the algorithm sends and codes.
 * Blocks add up: what the hosts of a set have for t, or t for them, goes from or to the
 * set.  The slowest set is sought from single hosts and from all hosts that are so far
 * away or farther, and by single hosts that make it slower by joining or leaving.
 *
 * Flows may use all arcs and vertices of the topology, so neither routes nor relays beat
 * them.
 *
 * Between many hosts not all are looked at: of more than MTREE_SLOWEST_MOST_PAIRS pairs
 * those of hosts with narrow links and of hosts that are far from these, of more flows
 * than MTREE_TUNED_STEP_WORK arcs (planner/tuning.h) allow those that the latency and the
 * links at both ends make the slowest.  What is found is then less than it might be,
 * never more.
 */
#ifndef MTREE_PLANNER_BOUND_SLOWEST_FLOW_H
#define MTREE_PLANNER_BOUND_SLOWEST_FLOW_H

#include "planner/plan/collective.h"
#include "topo/topology.h"

#define MTREE_SLOWEST_MOST_PAIRS (1 << 16)

/* A path, or a flow, from host number `from` to `to`; either may be -1: from or to
 * `count` hosts that are farther than others. */
typedef struct {
    double seconds;
    int from, to;
    int count;
} mtree_slowest_t;

/*
 * The longest path of @a collective from or to @a root, where it has one, between the @a
 * num_hosts (at least two) vertices @a hosts of @a topology, and the slowest flow of
 * @a bytes, as a plan counts them.
 */
void mtree_slowest_flow(const mtree_topology_t *topology, const int *hosts, int num_hosts,
                        mtree_collective_t collective, int root, double bytes,
                        mtree_slowest_t *path_p, mtree_slowest_t *flow_p);

#endif

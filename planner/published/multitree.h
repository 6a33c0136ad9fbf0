/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MultiTree (papers/multitree.txt, Algorithm 1): one tree per host, all built at once
 * from the roots down in time steps, so that within a step no link carries more than it
 * holds.
 */
#ifndef MTREE_PLANNER_PUBLISHED_MULTITREE_H
#define MTREE_PLANNER_PUBLISHED_MULTITREE_H

#include "base/arena.h"
#include "planner/plan/algorithm.h"

/*
 * The trees: parent[r * num_hosts + h] is h's parent in the tree rooted at host r,
 * step[...] the all-gather time step from 1 in which h is joined to it (0 for the root),
 * path[...] the arcs from the parent to h as first[...] and num[...] in arcs.
 */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    int num_hosts, num_steps;
    int *parent, *step;
    int *first, *num; /* of each tree edge's path in arcs */
    int *arcs;
    int num_arcs, capacity;
} mtree_multitree_t;

/*
 * Build the trees over the @a num_hosts vertices @a hosts of @a topology.  A link carries
 * floor(capacity / least capacity) messages per step in each direction, its narrower
 * direction counting (the paper's connections).  A child is the first free host in
 * breadth-first order from its parent through switches (section III-C3) and hosts that
 * take no part. At each vertex links are tried vertical first where the topology has
 * positions (the paper's "Y dimension then X"), else in their order.  Errors are logged:
 * MTREE_ERR_NO_MEMORY, MTREE_ERR_UNREACHABLE.
 */
mtree_status_t mtree_multitree_create(const mtree_topology_t *topology, const int *hosts,
                                      int num_hosts, mtree_multitree_t **multitree_p);

/* Free; NULL is allowed. */
void mtree_multitree_destroy(mtree_multitree_t *multitree);

/*
 * The trees as a plan for allreduce, allgather and reduce_scatter: every tree at the same
 * rate, the largest that the routes between its hosts hold.
 */
mtree_status_t mtree_multitree_plan(const mtree_problem_t *problem,
                                    mtree_plan_t **plan_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MultiTree (papers/multitree.txt, Algorithm 1): one tree per host, all built at once
 * from the roots down in time steps, so that within a step no link carries more than it
 * holds.
 */
#ifndef MTREE_PLANNER_PUBLISHED_MULTITREE_H
#define MTREE_PLANNER_PUBLISHED_MULTITREE_H

#include "planner/plan/algorithm.h"

/* A host that joins a tree. */
typedef struct {
    int root, parent, child; /* host numbers */
    int step;                /* the all-gather time step, from 1 */
    const int *arcs;         /* [num_arcs] of its path, from the last one to the first */
    int num_arcs;
} mtree_multitree_edge_t;

typedef void (*mtree_multitree_visit_t)(void *arg, const mtree_multitree_edge_t *edge);

/*
 * Build the trees over the @a num_hosts vertices @a hosts of @a topology, and call @a
 * visit for each of their edges, in the order of the steps.  A link carries
 * floor(capacity / least capacity) messages per step in each direction, its narrower
 * direction counting (the paper's connections).  A child is the first free host in
 * breadth-first order from its parent through switches (section III-C3) and hosts that
 * take no part. At each vertex links are tried vertical first where the topology has
 * positions (the paper's "Y dimension then X"), else in their order.  Errors are logged:
 * MTREE_ERR_UNREACHABLE.
 */
mtree_status_t mtree_multitree_build(const mtree_topology_t *topology, const int *hosts,
                                     int num_hosts, mtree_multitree_visit_t visit,
                                     void *arg);

/* Its trees are used in both directions: do all links carry both ways? */
bool mtree_multitree_fits(const mtree_problem_t *problem);

/*
 * The trees as a plan for allreduce, allgather and reduce_scatter: every tree at the same
 * rate, the largest that the routes between its hosts hold.
 */
mtree_status_t mtree_multitree_plan(const mtree_problem_t *problem,
                                    mtree_plan_t **plan_p);

#endif

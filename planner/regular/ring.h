/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every block goes around the hosts in their order.
 */
#ifndef MTREE_PLANNER_REGULAR_RING_H
#define MTREE_PLANNER_REGULAR_RING_H

#include "planner/plan/algorithm.h"

/*
 * A plan for allreduce, allgather or reduce_scatter that needs no topology and leaves
 * rates open: every host's block, or the n-th part that is summed at it, goes around the
 * hosts in their order, one lockstep step per host.  An allreduce comes back over the
 * same hosts.  Owned by the caller.  MTREE_ERR_NO_MEMORY.
 */
mtree_status_t mtree_ring_create(mtree_collective_t collective, int num_hosts,
                                 const char *const *hosts, mtree_plan_t **plan_p);

/* The algorithm "ring" of the planner: that plan, with rates. */
mtree_status_t mtree_ring_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

/*
 * The algorithm "segmented_ring": the same ways without a lockstep, for allgather alone
 * (notes/tried.md).  A host forwards the chunks of a block as they come, so no step lasts
 * as long as a block's way over all links to the next host.
 */
mtree_status_t mtree_segmented_ring_plan(const mtree_problem_t *problem,
                                         mtree_plan_t **plan_p);

#endif

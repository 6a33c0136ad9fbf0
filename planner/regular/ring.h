/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every block goes around the hosts in their order.
 */
#ifndef MTREE_PLANNER_REGULAR_RING_H
#define MTREE_PLANNER_REGULAR_RING_H

#include "planner/plan/algorithm.h"

/*
 * The algorithms "ring" and "segmented_ring" of the planner, for allreduce, allgather and
 * reduce_scatter: every host's block, or the n-th part that is summed at it, goes around
 * the hosts in their order.  An allreduce comes back over the same hosts.
 *
 * In a ring a lockstep step s brings a block to the host that is s away.  In a segmented
 * one a host forwards the chunks of a block as they come, so no step lasts as long as a
 * block's way over all links to the next host.
 */
mtree_status_t mtree_ring_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif

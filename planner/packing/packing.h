/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "packing": several trees at once, as much as the network can carry, with a proof of how
 * much that is.  "robust": the same of alltoall for blocks that may differ in size.
 */
#ifndef MTREE_PLANNER_PACKING_PACKING_H
#define MTREE_PLANNER_PACKING_PACKING_H

#include "planner/plan/algorithm.h"

/*
 * The trees that carry most (request->bytes 0), or that deliver the request's bytes in
 * the least time, latency included (docs/design.md, "Bounds and plans"), then thinned to
 * the request's limits.  Sets the plan's bound and what limits it.  All collectives.
 *
 * The bound assumes that hosts may forward whatever they like, and that what they send to
 * each other takes the network's routes.  For scatter and gather it is what the cuts
 * around the root allow, for alltoall the maximum concurrent flow.  All-to-all is
 * within half a percent of it on nearly all networks; the plan has both numbers.
 */
mtree_status_t mtree_packing_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

/* As mtree_packing_plan(), of alltoall and for throughput alone: trees that also suit a
 * host that sends far more than others. */
mtree_status_t mtree_robust_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif

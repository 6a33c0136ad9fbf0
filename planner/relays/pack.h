/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Packing of Steiner trees: trees that span the active hosts and may pass through others,
 * the relays, which forward, copy and combine.
 *
 * Linear program (5) of Zhang, Wu and Li, "Near-Optimal Topology-adaptive Parameter
 * Synchronization in Distributed DNN Training", by multiplicative weights
 * (planner/packing/mwu.h) with the oracle for Steiner trees of
 * planner/published/steiner_tree.h.  Trees of an allreduce use each edge both ways; of a
 * collective with blocks every active host has trees of its own.
 */
#ifndef MTREE_PLANNER_RELAYS_PACK_H
#define MTREE_PLANNER_RELAYS_PACK_H

#include "planner/plan/algorithm.h"

/*
 * Pack trees for @a problem, whose hosts are the @a num_active active ones (at least two)
 * and those that may relay: *packed_p has their roots, parents and rates, and as its
 * bound what no trees carry more than, or 0 where the oracle was not exact.  At most the
 * request's max_trees are left for each root, and no relay that is worth less than
 * MTREE_TUNED_HARDLY of the rate (planner/tuning.h).  Owned by the caller.
 * MTREE_ERR_UNREACHABLE, MTREE_ERR_CANCELLED.
 */
mtree_status_t mtree_relays_pack(const mtree_problem_t *problem, int num_active,
                                 mtree_plan_t **packed_p);

#endif

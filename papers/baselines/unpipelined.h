/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The time of a reduce without chunks: how papers/mtree.txt, section IV-D, compares
 * completion times (Fig. 8).
 */
#ifndef MTREE_PAPERS_BASELINES_UNPIPELINED_H
#define MTREE_PAPERS_BASELINES_UNPIPELINED_H

#include "planner/plan/plan.h"

/*
 * Seconds until the roots of all trees of @a plan hold the sum of @a bytes per host, each
 * tree taking its share.  A host sends its part of a tree as one message when all its
 * children's messages have arrived.  A message takes the latency of its route and its
 * size over its rate (the alpha-beta model); messages that share an arc at a time get
 * max-min fair rates.  The broadcast takes as long again.
 */
double mtree_unpipelined_seconds(const mtree_plan_t *plan,
                                 const mtree_topology_t *topology,
                                 const mtree_routes_t *routes, double bytes);

#endif

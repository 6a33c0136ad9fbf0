/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which cables (topo/topology.h) the edges of a plan take.
 */
#ifndef MTREE_PLANNER_PLAN_CABLES_H
#define MTREE_PLANNER_PLAN_CABLES_H

#include "planner/plan/plan.h"

/*
 * List in @a plan the cables between hosts that exchange messages in it: of a plan that
 * names a program all may.  They are those of the link between the two, or the interfaces
 * at both ends of a route without other hosts.  @a routes, of @a topology, number the
 * hosts as the plan does.
 */
void mtree_plan_add_cables(mtree_plan_t *plan, const mtree_topology_t *topology,
                           const mtree_routes_t *routes);

#endif

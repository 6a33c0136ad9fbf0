/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small multiples: the trees of a plan, each on a map of its own.
 */
#ifndef MTREE_TOOLS_MAP_MULTIPLES_H
#define MTREE_TOOLS_MAP_MULTIPLES_H

#include "planner/plan/plan.h"

#include <stdio.h>

/*
 * Write the trees of @a plan side by side as a DOT graph whose vertices have their
 * places: on each map the links that the tree crosses in its colour, as wide as their
 * capacity, the others pale, its root marked; below it its rate, its share and its
 * height.  @a routes number the hosts as the plan does.  MTREE_ERR_NO_MEMORY,
 * MTREE_ERR_IO (logged).
 */
mtree_status_t map_multiples_write(const mtree_topology_t *topology,
                                   const mtree_plan_t *plan, const mtree_routes_t *routes,
                                   FILE *out);

#endif

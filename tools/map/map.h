/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A picture of a network, and of a plan on it, as a DOT graph with colours, widths and
 * labels.
 */
#ifndef MTREE_TOOLS_MAP_MAP_H
#define MTREE_TOOLS_MAP_MAP_H

#include "planner/plan/plan.h"

#include <jansson.h>
#include <stdio.h>

/*
 * Write the map of @a topology: capacity as width, capacity and latency as labels,
 * switches as small squares.  With @a plan and its @a routes (NULL: none): each link
 * drawn once for each tree that crosses it, in the tree's colour, labelled with its use;
 * roots marked; a legend.
 */
mtree_status_t map_write(const mtree_topology_t *topology, const mtree_plan_t *plan,
                         const mtree_routes_t *routes, FILE *out);

/* The colour of tree number @a tree, from 0. */
const char *map_colour(int tree);

/* Are the positions of all vertices known? */
bool map_has_positions(const mtree_topology_t *topology);

/* {topology, links: [{from, to, capacity_bps: [], use: [there, back], trees: [numbers
 * from 1]}]}. */
json_t *map_json(const mtree_topology_t *topology, const mtree_plan_t *plan,
                 const mtree_routes_t *routes);

#endif

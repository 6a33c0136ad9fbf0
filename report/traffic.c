/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/traffic.h"

#include <math.h>
#include <stdlib.h>

/* The part of the time below which a backlog is not evidence: what arrived in that time
 * was under way before, so a short one seems to have carried more than the link can. */
#define LEAST_BACKLOGGED 0.2

void mtree_traffic_add(const mtree_plan_t *plan, const mtree_routes_t *routes,
                       double message, double *bytes)
{
    double part = mtree_collective_root_bytes(plan->collective, message,
                                              mtree_plan_num_active(plan));

    if (plan->order != NULL) {
        mtree_plan_program_load(plan, routes, message, bytes);
    }
    for (int t = 0; t < plan->num_trees; t++) {
        mtree_plan_tree_load(plan, t, routes, plan->trees[t].share * part, bytes);
    }
}

void mtree_traffic_mark(const mtree_plan_t *plan, const mtree_routes_t *routes,
                        int num_links, json_t *json)
{
    json_t *trees = json_object_get(json, "trees");
    size_t num_arcs = 2 * (size_t)num_links;
    double *crossed = malloc((num_arcs + 1) * sizeof(*crossed));

    for (int t = 0; crossed != NULL && t < plan->num_trees; t++) {
        json_t *arcs = json_array();

        for (size_t arc = 0; arc < num_arcs; arc++) {
            crossed[arc] = 0;
        }
        mtree_plan_tree_load(plan, t, routes, 1, crossed);
        for (size_t arc = 0; arc < num_arcs; arc++) {
            if (crossed[arc] > 0) {
                json_array_append_new(arcs, json_integer((json_int_t)arc));
            }
        }
        json_object_set_new(json_array_get(trees, (size_t)t), "arcs", arcs);
    }
    free(crossed);
}

/* The part of its capacity that an arc gave. */
static double fullness(const mtree_topology_t *topology, int arc,
                       const mtree_traffic_gave_t *gave)
{
    double capacity = mtree_arc_capacity(topology, arc);

    return capacity > 0 ? gave[arc].rate / capacity : 0;
}

void mtree_traffic_measure(const mtree_topology_t *topology, const mtree_routes_t *routes,
                           const mtree_traffic_path_t *paths, size_t num_paths,
                           mtree_traffic_gave_t *gave)
{
    for (size_t p = 0; p < num_paths; p++) {
        const mtree_traffic_path_t *path = &paths[p];
        bool backlogged = path->backlogged >= LEAST_BACKLOGGED;

        MTREE_ROUTE_ARCS (a, routes, path->from, path->to) {
            mtree_traffic_gave_t *arc = &gave[a];

            arc->rate += backlogged ? path->backlogged_rate : path->rate;
            arc->backlogged = fmax(arc->backlogged, backlogged ? path->backlogged : 0);
        }
    }
    for (size_t p = 0; p < num_paths; p++) {
        int narrowest = -1;

        MTREE_ROUTE_ARCS (arc, routes, paths[p].from, paths[p].to) {
            if (narrowest < 0 ||
                fullness(topology, arc, gave) > fullness(topology, narrowest, gave)) {
                narrowest = arc;
            }
        }
        if (narrowest >= 0 && paths[p].backlogged >= LEAST_BACKLOGGED) {
            gave[narrowest].narrowest = true;
        }
    }
}

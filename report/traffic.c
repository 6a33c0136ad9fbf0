/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/traffic.h"

#include <math.h>
#include <stdlib.h>

/* The part of the time below which a backlog is not evidence. */
#define LEAST_BACKLOGGED 0.03

void mtree_traffic_add(const mtree_plan_t *plan, const mtree_routes_t *routes,
                       double message, double *bytes)
{
    double part = mtree_collective_root_bytes(plan->collective, message,
                                              mtree_plan_num_active(plan));

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
        int num_arcs;
        const int *route = mtree_routes_get(routes, path->from, path->to, &num_arcs);

        for (int i = 0; i < num_arcs; i++) {
            mtree_traffic_gave_t *arc = &gave[route[i]];

            arc->rate += backlogged ? path->backlogged_rate : path->rate;
            arc->backlogged = fmax(arc->backlogged, backlogged ? path->backlogged : 0);
        }
    }
    for (size_t p = 0; p < num_paths; p++) {
        int num_arcs, narrowest = -1;
        const int *route =
            mtree_routes_get(routes, paths[p].from, paths[p].to, &num_arcs);

        for (int i = 0; i < num_arcs && paths[p].backlogged >= LEAST_BACKLOGGED; i++) {
            if (narrowest < 0 || fullness(topology, route[i], gave) >
                                     fullness(topology, narrowest, gave)) {
                narrowest = route[i];
            }
        }
        if (narrowest >= 0) {
            gave[narrowest].narrowest = true;
        }
    }
}

static json_t *vertex_json(const mtree_vertex_t *vertex, bool is_relay)
{
    json_t *json =
        json_pack("{s:s, s:s, s:s}", "name", vertex->name, "host", vertex->host, "kind",
                  vertex->kind == MTREE_VERTEX_HOST ? "host" : "switch");

    if (vertex->has_position) {
        json_object_set_new(json, "x", json_real(vertex->x));
        json_object_set_new(json, "y", json_real(vertex->y));
    }
    if (is_relay) {
        json_object_set_new(json, "relay", json_true());
    }
    return json;
}

/* The part of its capacity that an arc carried. */
static double use_of(double bytes, double capacity, double seconds)
{
    return capacity > 0 && seconds > 0 ? 8 * bytes / (capacity * seconds) : 0;
}

static json_t *link_json(const mtree_topology_t *topology, int number,
                         const double *bytes, double seconds,
                         const mtree_traffic_gave_t *gave)
{
    const mtree_link_t *link = &topology->links[number];

    return json_pack(
        "{s:s, s:s, s:[f, f], s:f, s:[f, f], s:[f, f], s:[f, f], s:[f, f], "
        "s:[b, b]}",
        "from", topology->vertices[link->u].name, "to", topology->vertices[link->v].name,
        "capacity_bps", link->capacity[0], link->capacity[1], "latency_s", link->latency,
        "bytes", bytes[0], bytes[1], "use", use_of(bytes[0], link->capacity[0], seconds),
        use_of(bytes[1], link->capacity[1], seconds), "gave_bps",
        gave[0].backlogged > 0 ? gave[0].rate : 0,
        gave[1].backlogged > 0 ? gave[1].rate : 0, "pressed", gave[0].backlogged,
        gave[1].backlogged, "narrowest", (int)gave[0].narrowest, (int)gave[1].narrowest);
}

json_t *mtree_traffic_json(const mtree_topology_t *topology, const char *origin,
                           const double *bytes, double seconds,
                           const mtree_traffic_gave_t *gave, const bool *is_relay)
{
    json_t *vertices = json_array(), *links = json_array();

    for (int v = 0; v < topology->num_vertices; v++) {
        json_array_append_new(vertices, vertex_json(&topology->vertices[v], is_relay[v]));
    }
    for (int l = 0; l < topology->num_links; l++) {
        json_array_append_new(
            links, link_json(topology, l, bytes + 2 * l, seconds, gave + 2 * l));
    }
    return json_pack("{s:s, s:s, s:f, s:o, s:o}", "name", topology->name, "origin",
                     origin, "seconds", seconds, "vertices", vertices, "links", links);
}

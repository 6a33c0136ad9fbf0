/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/network.h"

#include "base/memory.h"

#include <stdlib.h>

static json_t *vertex_json(const mtree_vertex_t *vertex)
{
    json_t *json =
        json_pack("{s:s, s:s, s:s}", "name", vertex->name, "host", vertex->host, "kind",
                  vertex->kind == MTREE_VERTEX_HOST ? "host" : "switch");

    if (vertex->has_position) {
        json_object_set_new(json, "x", json_real(vertex->x));
        json_object_set_new(json, "y", json_real(vertex->y));
    }
    return json;
}

json_t *mtree_report_network(const mtree_topology_t *topology)
{
    const mtree_message_cost_t cost = mtree_message_cost(&topology->cost);
    json_t *vertices = json_array(), *links = json_array();

    for (int v = 0; v < topology->num_vertices; v++) {
        json_array_append_new(vertices, vertex_json(&topology->vertices[v]));
    }
    for (int l = 0; l < topology->num_links; l++) {
        const mtree_link_t *link = &topology->links[l];

        json_array_append_new(links,
                              json_pack("{s:s, s:s, s:[f, f], s:f}", "from",
                                        topology->vertices[link->u].name, "to",
                                        topology->vertices[link->v].name, "capacity_bps",
                                        link->capacity[0], link->capacity[1], "latency_s",
                                        link->latency));
    }
    return json_pack("{s:s, s:f, s:f, s:o, s:o}", "name", topology->name,
                     "message_cost_s", cost.message, "byte_cost_s", cost.byte, "vertices",
                     vertices, "links", links);
}

void mtree_report_mark(const mtree_plan_t *plan, const int *hosts,
                       const mtree_routes_t *routes, const json_t *network, json_t *json)
{
    const json_t *vertices = json_object_get(network, "vertices");
    const json_t *trees = json_object_get(json, "trees");
    size_t num_arcs = 2 * json_array_size(json_object_get(network, "links"));
    double *crossed = mtree_malloc(num_arcs * sizeof(*crossed));

    for (int h = mtree_plan_num_active(plan); h < plan->num_hosts; h++) {
        json_object_set_new(json_array_get(vertices, (size_t)hosts[h]), "relay",
                            json_true());
    }
    for (int t = 0; t < plan->num_trees; t++) {
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

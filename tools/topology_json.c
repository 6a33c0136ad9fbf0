/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/topology_json.h"

#include "base/address.h"
#include "base/memory.h"

#include <stdlib.h>

static json_t *json_vertices(const mtree_topology_t *topology, mtree_vertex_kind_t kind)
{
    json_t *list = json_array();
    const mtree_vertex_t *vertex;

    for (int i = 0; i < topology->num_vertices; ++i) {
        vertex = &topology->vertices[i];
        if (vertex->kind != kind) {
            continue;
        }
        json_array_append_new(list, (kind == MTREE_VERTEX_HOST)
                                        ? json_pack("{s:s, s:s}", "name", vertex->name,
                                                    "host", vertex->host)
                                        : json_pack("{s:s}", "name", vertex->name));
    }
    return list;
}

/* Add @a value to @a json unless it is not given. */
static void add_condition(json_t *json, const char *name, double value)
{
    if (value >= 0) {
        json_object_set_new(json, name, json_real(value));
    }
}

/* Add @a address to @a json unless it is not given. */
static void add_address(json_t *json, const char *name, const mtree_address_t *address)
{
    char text[MTREE_ADDRESS_LENGTH];

    if (address->family != AF_UNSPEC) {
        json_object_set_new(json, name, json_string(mtree_address_format(address, text)));
    }
}

static json_t *json_cables(const mtree_link_t *link)
{
    json_t *list = json_array();

    for (int i = 0; i < link->num_cables; ++i) {
        const mtree_cable_t *cable = &link->cables[i];
        json_t *json = json_pack("{s:[f, f]}", "capacity_bps", cable->capacity[0],
                                 cable->capacity[1]);

        add_address(json, "from_address", &cable->ends[0]);
        add_address(json, "to_address", &cable->ends[1]);
        json_array_append_new(list, json);
    }
    return list;
}

/* Ends, capacities and latency of @a link. */
static json_t *json_link(const mtree_topology_t *topology, const mtree_link_t *link)
{
    return json_pack("{s:s, s:s, s:[f, f], s:f}", "from",
                     topology->vertices[link->u].name, "to",
                     topology->vertices[link->v].name, "capacity_bps", link->capacity[0],
                     link->capacity[1], "latency_s", link->latency);
}

/* The same with all else that the file says. */
static json_t *json_whole_link(const mtree_topology_t *topology, const mtree_link_t *link)
{
    const mtree_link_conditions_t *conditions = &link->conditions;
    json_t *json = json_link(topology, link);

    add_condition(json, "mtu", conditions->mtu);
    add_condition(json, "loss", conditions->loss);
    add_condition(json, "jitter_s", conditions->jitter);
    add_condition(json, "cross_bps", conditions->cross);
    add_condition(json, "burst_bytes", conditions->burst);
    if (link->num_cables > 0) {
        json_object_set_new(json, "cables", json_cables(link));
    }
    return json;
}

static json_t *json_links(const mtree_topology_t *topology,
                          json_t *(*write)(const mtree_topology_t *topology,
                                           const mtree_link_t *link))
{
    json_t *list = json_array();

    for (int i = 0; i < topology->num_links; ++i) {
        json_array_append_new(list, write(topology, &topology->links[i]));
    }
    return list;
}

static json_t *json_route(const mtree_topology_t *topology, const mtree_routes_t *routes,
                          int from, int to)
{
    json_t *via = json_array();
    int first = mtree_routes_first(routes, from, to);

    json_array_append_new(
        via, json_string(topology->vertices[mtree_arc_from(topology, first)].name));
    MTREE_ROUTE_ARCS (arc, routes, from, to) {
        json_array_append_new(
            via, json_string(topology->vertices[mtree_arc_to(topology, arc)].name));
    }
    return json_pack("{s:O, s:O, s:o, s:f}", "from", json_array_get(via, 0), "to",
                     json_array_get(via, json_array_size(via) - 1), "via", via,
                     "latency_s", mtree_routes_latency(routes, from, to));
}

static json_t *json_routes(const mtree_topology_t *topology, const mtree_routes_t *routes)
{
    int num_hosts = mtree_topology_num_hosts(topology);
    json_t *list = json_array();

    for (int from = 0; from < num_hosts; ++from) {
        for (int to = 0; to < num_hosts; ++to) {
            if (from != to) {
                json_array_append_new(list, json_route(topology, routes, from, to));
            }
        }
    }
    return list;
}

json_t *topology_json(const mtree_topology_t *topology, const mtree_routes_t *routes)
{
    json_t *json =
        json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", topology->name, "source",
                  topology->source, "hosts", json_vertices(topology, MTREE_VERTEX_HOST),
                  "switches", json_vertices(topology, MTREE_VERTEX_SWITCH), "links",
                  json_links(topology, json_whole_link));

    if (json != NULL && topology->cost.message > 0.0) {
        json_object_set_new(json, "message_cost_s", json_real(topology->cost.message));
    }
    if (json != NULL && topology->cost.byte > 0.0) {
        json_object_set_new(json, "copy_bps", json_real(8.0 / topology->cost.byte));
    }
    if (json != NULL && routes != NULL &&
        json_object_set_new(json, "routes", json_routes(topology, routes)) != 0) {
        json_decref(json);
        json = NULL;
    }
    return json;
}

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

json_t *network_json(const mtree_topology_t *topology)
{
    const mtree_message_cost_t cost = mtree_message_cost(&topology->cost);
    json_t *vertices = json_array();

    for (int v = 0; v < topology->num_vertices; v++) {
        json_array_append_new(vertices, vertex_json(&topology->vertices[v]));
    }
    return json_pack("{s:s, s:f, s:f, s:o, s:o}", "name", topology->name,
                     "message_cost_s", cost.message, "byte_cost_s", cost.byte, "vertices",
                     vertices, "links", json_links(topology, json_link));
}

void network_json_mark(const mtree_plan_t *plan, const int *hosts,
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

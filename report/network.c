/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/network.h"

#include "base/log.h"
#include "report/members.h"

#include <string.h>

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

static json_t *link_json(const mtree_topology_t *topology, const mtree_link_t *link,
                         const mtree_link_t *on_map)
{
    json_t *json =
        json_pack("{s:s, s:s, s:[f, f], s:f}", "from", topology->vertices[link->u].name,
                  "to", topology->vertices[link->v].name, "capacity_bps",
                  link->capacity[0], link->capacity[1], "latency_s", link->latency);

    if (link->capacity[0] != on_map->capacity[0] ||
        link->capacity[1] != on_map->capacity[1]) {
        json_object_set_new(
            json, "map_bps",
            json_pack("[f, f]", on_map->capacity[0], on_map->capacity[1]));
    }
    return json;
}

json_t *mtree_report_network(const mtree_topology_t *topology,
                             const mtree_topology_t *map, const char *origin)
{
    const mtree_message_cost_t cost = mtree_message_cost(&topology->cost);
    json_t *vertices = json_array(), *links = json_array();

    for (int v = 0; v < topology->num_vertices; v++) {
        json_array_append_new(vertices, vertex_json(&topology->vertices[v]));
    }
    for (int l = 0; l < topology->num_links; l++) {
        json_array_append_new(links,
                              link_json(topology, &topology->links[l], &map->links[l]));
    }
    return json_pack("{s:s, s:s, s:f, s:f, s:o, s:o}", "name", topology->name, "origin",
                     origin, "message_cost_s", cost.message, "byte_cost_s", cost.byte,
                     "vertices", vertices, "links", links);
}

static mtree_status_t add_vertices(const json_t *vertices, mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;

    for (size_t i = 0; i < json_array_size(vertices) && status == MTREE_OK; i++) {
        const json_t *vertex = json_array_get(vertices, i);
        bool is_host = strcmp(mtree_report_text(vertex, "kind"), "host") == 0;
        int number;

        status = mtree_topology_add_vertex(
            topology, mtree_report_text(vertex, "name"),
            mtree_report_text(vertex, "host"),
            is_host ? MTREE_VERTEX_HOST : MTREE_VERTEX_SWITCH, &number);
        if (status == MTREE_OK && json_object_get(vertex, "x") != NULL) {
            topology->vertices[number].has_position = true;
            topology->vertices[number].x = mtree_report_number(vertex, "x");
            topology->vertices[number].y = mtree_report_number(vertex, "y");
        }
    }
    return status;
}

/* One that is gone has no capacity, but on the map. */
static mtree_status_t add_link(const json_t *json, int u, int v,
                               mtree_topology_t *topology)
{
    const bool is_gone = mtree_report_direction(json, "capacity_bps", 0) == 0 &&
                         mtree_report_direction(json, "capacity_bps", 1) == 0;
    const char *key = is_gone ? "map_bps" : "capacity_bps";
    int number;
    mtree_status_t status =
        mtree_topology_add_link(topology, u, v, mtree_report_direction(json, key, 0),
                                mtree_report_direction(json, key, 1),
                                mtree_report_number(json, "latency_s"), &number);

    if (status == MTREE_OK && is_gone) {
        topology->links[number].capacity[0] = topology->links[number].capacity[1] = 0;
    }
    return status;
}

static mtree_status_t add_links(const json_t *links, mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;

    for (size_t i = 0; i < json_array_size(links) && status == MTREE_OK; i++) {
        const json_t *link = json_array_get(links, i);
        int u = mtree_topology_find_vertex(topology, mtree_report_text(link, "from"));
        int v = mtree_topology_find_vertex(topology, mtree_report_text(link, "to"));

        if (u < 0 || v < 0) {
            return MTREE_ERR_INVALID;
        }
        status = add_link(link, u, v, topology);
    }
    return status;
}

mtree_status_t mtree_report_network_read(const json_t *json,
                                         mtree_topology_t **topology_p)
{
    mtree_status_t status =
        mtree_topology_create(mtree_report_text(json, "name"), "report", topology_p);

    if (status != MTREE_OK) {
        return status;
    }
    (*topology_p)->cost =
        (mtree_message_cost_t){.message = mtree_report_number(json, "message_cost_s"),
                               .byte = mtree_report_number(json, "byte_cost_s")};
    status = add_vertices(json_object_get(json, "vertices"), *topology_p);
    if (status == MTREE_OK) {
        status = add_links(json_object_get(json, "links"), *topology_p);
    }
    if (status != MTREE_OK) {
        mtree_error("the report's topology %s is none: names are missing, or a link's "
                    "ends are; was it edited?",
                    mtree_report_text(json, "name"));
        mtree_topology_destroy(*topology_p);
    }
    return status;
}

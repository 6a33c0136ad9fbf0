/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/scene.h"

#include "base/log.h"
#include "report/page.h"

#include <string.h>

static mtree_status_t add_vertices(const json_t *vertices, mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;

    for (size_t i = 0; i < json_array_size(vertices) && status == MTREE_OK; i++) {
        const json_t *vertex = json_array_get(vertices, i);
        bool is_host = strcmp(mtree_page_text(vertex, "kind"), "host") == 0;
        int number;

        status = mtree_topology_add_vertex(
            topology, mtree_page_text(vertex, "name"), mtree_page_text(vertex, "host"),
            is_host ? MTREE_VERTEX_HOST : MTREE_VERTEX_SWITCH, &number);
        if (status == MTREE_OK && json_object_get(vertex, "x") != NULL) {
            topology->vertices[number].has_position = true;
            topology->vertices[number].x = mtree_page_number(vertex, "x");
            topology->vertices[number].y = mtree_page_number(vertex, "y");
        }
    }
    return status;
}

static mtree_status_t add_links(const json_t *links, mtree_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;

    for (size_t i = 0; i < json_array_size(links) && status == MTREE_OK; i++) {
        const json_t *link = json_array_get(links, i);
        int u = mtree_topology_find_vertex(topology, mtree_page_text(link, "from"));
        int v = mtree_topology_find_vertex(topology, mtree_page_text(link, "to"));

        if (u < 0 || v < 0) {
            return MTREE_ERR_INVALID;
        }
        status = mtree_topology_add_link(topology, u, v,
                                         mtree_page_direction(link, "capacity_bps", 0),
                                         mtree_page_direction(link, "capacity_bps", 1),
                                         mtree_page_number(link, "latency_s"), NULL);
    }
    return status;
}

/* The vertices of the scene are those of the report, in its order. */
static void mark_relays(map_scene_t *scene, const json_t *vertices)
{
    for (int v = 0; v < scene->topology->num_vertices; v++) {
        scene->is_relay[v] =
            json_is_true(json_object_get(json_array_get(vertices, (size_t)v), "relay"));
    }
}

/* The topology as the report has it. */
static mtree_status_t rebuild(const json_t *json, mtree_topology_t **topology_p)
{
    mtree_status_t status =
        mtree_topology_create(mtree_page_text(json, "name"), "report", topology_p);

    if (status != MTREE_OK) {
        return status;
    }
    status = add_vertices(json_object_get(json, "vertices"), *topology_p);
    if (status == MTREE_OK) {
        status = add_links(json_object_get(json, "links"), *topology_p);
    }
    if (status != MTREE_OK) {
        mtree_error("the report's topology %s is none: names are missing, or a link's "
                    "ends are; was it edited?",
                    mtree_page_text(json, "name"));
        mtree_topology_destroy(*topology_p);
    }
    return status;
}

/* A tree's root and arcs, as the report has them. */
static mtree_status_t add_tree(map_scene_t *scene, const json_t *json, size_t plan,
                               size_t number, size_t siblings)
{
    const json_t *arcs = json_object_get(json, "arcs");
    mtree_status_t status;
    map_tree_t *tree;

    status = map_scene_add_tree(scene, (int)number, &tree);
    if (status != MTREE_OK) {
        return status;
    }
    tree->plan = (int)plan;
    tree->siblings = (int)siblings;
    tree->root_name = mtree_page_text(json, "root");
    tree->root = mtree_topology_find_host(scene->topology, tree->root_name);
    for (size_t a = 0; a < json_array_size(arcs); a++) {
        json_int_t arc = json_integer_value(json_array_get(arcs, a));

        if (arc >= 0 && arc < 2 * scene->topology->num_links) {
            tree->crossed[arc] = 1;
        }
    }
    return MTREE_OK;
}

static mtree_status_t add_trees(map_scene_t *scene, const json_t *report, size_t number)
{
    mtree_status_t status = MTREE_OK;
    size_t p, t;
    json_t *plan, *tree;

    json_array_foreach (json_object_get(report, "plans"), p, plan) {
        const json_t *trees = json_object_get(plan, "trees");

        if (!mtree_page_plan_is_on(plan, number)) {
            continue;
        }
        json_array_foreach (trees, t, tree) {
            if (status == MTREE_OK) {
                status = add_tree(scene, tree, p, t, json_array_size(trees));
            }
        }
    }
    return status;
}

mtree_status_t report_scene_create(const json_t *report, size_t number,
                                   mtree_topology_t **topology_p, map_scene_t *scene)
{
    const json_t *json = json_array_get(json_object_get(report, "topologies"), number);
    const json_t *links = json_object_get(json, "links");
    mtree_status_t status = rebuild(json, topology_p);

    if (status != MTREE_OK) {
        return status;
    }
    status = map_scene_init(scene, *topology_p);
    for (size_t arc = 0; status == MTREE_OK && arc < 2 * json_array_size(links); arc++) {
        const json_t *link = json_array_get(links, arc / 2);

        scene->use[arc] = mtree_page_direction(link, "use", arc % 2);
        scene->bytes[arc] = mtree_page_direction(link, "bytes", arc % 2);
    }
    if (status == MTREE_OK) {
        mark_relays(scene, json_object_get(json, "vertices"));
        status = add_trees(scene, report, number);
    }
    if (status != MTREE_OK) {
        map_scene_cleanup(scene);
        mtree_topology_destroy(*topology_p);
    }
    return status;
}

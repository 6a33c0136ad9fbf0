/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/scene.h"

#include "report/network.h"
#include "report/page.h"

/* The vertices of the scene are those of the report, in its order. */
static void mark_relays(map_scene_t *scene, const json_t *vertices)
{
    for (int v = 0; v < scene->topology->num_vertices; v++) {
        scene->is_relay[v] =
            json_is_true(json_object_get(json_array_get(vertices, (size_t)v), "relay"));
    }
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
    mtree_status_t status = mtree_report_network_read(json, topology_p);

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

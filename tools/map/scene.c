/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/scene.h"

#include "base/array.h"
#include "base/log.h"

#include <math.h>
#include <stdlib.h>

const char *map_colour(size_t number)
{
    /* After Okabe and Ito, whose colours most people can distinguish, and bright enough
     * for a white and for a dark page. */
    static const char *const colours[MAP_NUM_COLOURS] = {
        "#D55E00", "#0097D6", "#009E73", "#CC79A7", "#E69F00", "#8A63D2",
        "#B5179E", "#6AA121", "#C0392B", "#3F8F8B", "#A6761D", "#7F7F7F"};

    return colours[number % MAP_NUM_COLOURS];
}

static mtree_status_t no_memory(const map_scene_t *scene)
{
    return mtree_no_memory("the map of %s", scene->topology->name);
}

mtree_status_t map_scene_init(map_scene_t *scene, const mtree_topology_t *topology)
{
    const int num_arcs = 2 * topology->num_links;

    *scene = (map_scene_t){.topology = topology, .is_uniform = true};
    MTREE_ARENA_ARRAY(&scene->arena, scene->places, (size_t)topology->num_vertices);
    MTREE_ARENA_ARRAY(&scene->arena, scene->use, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(&scene->arena, scene->bytes, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(&scene->arena, scene->is_relay, (size_t)topology->num_vertices);
    if (scene->arena.status != MTREE_OK) {
        return no_memory(scene);
    }
    for (int arc = 0; arc < num_arcs; arc++) {
        scene->largest = fmax(scene->largest, mtree_arc_capacity(topology, arc));
        scene->is_uniform = scene->is_uniform && mtree_arc_capacity(topology, arc) ==
                                                     mtree_arc_capacity(topology, 0);
    }
    return MTREE_OK;
}

mtree_status_t map_scene_add_tree(map_scene_t *scene, int number, map_tree_t **tree_p)
{
    double *crossed;

    MTREE_ARENA_ARRAY(&scene->arena, crossed, 2 * (size_t)scene->topology->num_links);
    if (crossed == NULL ||
        mtree_array_reserve(&scene->trees, &scene->tree_room, scene->num_trees + 1,
                            sizeof(*scene->trees)) != MTREE_OK) {
        return no_memory(scene);
    }
    *tree_p = &scene->trees[scene->num_trees++];
    **tree_p = (map_tree_t){
        .number = number, .colour = map_colour((size_t)number), .crossed = crossed};
    return MTREE_OK;
}

static mtree_status_t add_plan_tree(map_scene_t *scene, const planned_network_t *planned,
                                    int number)
{
    const mtree_plan_t *plan = planned->plan;
    const mtree_tree_t *of = &plan->trees[number];
    map_tree_t *tree;

    if (map_scene_add_tree(scene, number, &tree) != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    tree->siblings = plan->num_trees;
    tree->root = planned->hosts[of->root];
    tree->root_name = plan->hosts[of->root];
    mtree_units_format_rate(of->rate, tree->rate, sizeof(tree->rate));
    snprintf(tree->share, sizeof(tree->share), "%.1f %%", 100 * of->share);
    planned_network_height(plan, of, ", ", tree->height);
    mtree_plan_tree_load(plan, number, planned->routes, 1, tree->crossed);
    return MTREE_OK;
}

/* What the plan achieves, in a line. */
static void summarise(map_scene_t *scene, const mtree_plan_t *plan)
{
    char rate[MTREE_UNITS_LENGTH];
    int used = snprintf(scene->summary, sizeof(scene->summary), "%s, %s",
                        mtree_collective_name(plan->collective),
                        mtree_units_format_rate(plan->throughput, rate, sizeof(rate)));

    if (plan->bound > 0) {
        snprintf(scene->summary + used, sizeof(scene->summary) - (size_t)used,
                 ", %.1f %% of the bound", 100 * plan->throughput / plan->bound);
    }
}

mtree_status_t map_scene_of_plan(map_scene_t *scene, const planned_network_t *planned)
{
    const mtree_topology_t *topology = planned->topology;
    mtree_status_t status = map_scene_init(scene, topology);

    if (status != MTREE_OK || planned->plan == NULL) {
        return status;
    }
    scene->has_plan = true;
    summarise(scene, planned->plan);
    for (int i = 0; i < planned->plan->num_relays; i++) {
        scene->is_relay[planned->hosts[planned->num_hosts + i]] = true;
    }
    mtree_plan_load(planned->plan, planned->routes, scene->use);
    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        double capacity = mtree_arc_capacity(topology, arc);

        scene->use[arc] = capacity > 0 ? scene->use[arc] / capacity : 0;
    }
    for (int t = 0; t < planned->plan->num_trees && status == MTREE_OK; t++) {
        status = add_plan_tree(scene, planned, t);
    }
    return status;
}

void map_scene_cleanup(map_scene_t *scene)
{
    free(scene->trees);
    mtree_arena_cleanup(&scene->arena);
}

bool map_tree_crosses(const map_tree_t *tree, int link)
{
    return tree->crossed[2 * link] > 0 || tree->crossed[2 * link + 1] > 0;
}

double map_scene_use(const map_scene_t *scene, int link)
{
    return fmin(fmax(scene->use[2 * link], scene->use[2 * link + 1]), 1);
}

double map_width(double part, double least, double most)
{
    return least + (most - least) * part;
}

map_box_t map_bounds(const map_point_t *points, int count)
{
    map_box_t box = {INFINITY, -INFINITY, INFINITY, -INFINITY};

    for (int i = 0; i < count; i++) {
        box.left = fmin(box.left, points[i].x);
        box.right = fmax(box.right, points[i].x);
        box.low = fmin(box.low, points[i].y);
        box.high = fmax(box.high, points[i].y);
    }
    return box;
}

static json_t *link_json(const map_scene_t *scene, int number)
{
    const mtree_topology_t *topology = scene->topology;
    const mtree_link_t *link = &topology->links[number];
    json_t *trees = json_array();

    for (int t = 0; t < scene->num_trees; t++) {
        if (map_tree_crosses(&scene->trees[t], number)) {
            json_array_append_new(trees, json_integer(t + 1));
        }
    }
    return json_pack("{s:s, s:s, s:[f, f], s:[f, f], s:o}", "from",
                     topology->vertices[link->u].name, "to",
                     topology->vertices[link->v].name, "capacity_bps", link->capacity[0],
                     link->capacity[1], "use", scene->use[2 * number],
                     scene->use[2 * number + 1], "trees", trees);
}

json_t *map_scene_json(const map_scene_t *scene)
{
    json_t *links = json_array(), *relays = json_array(), *object;

    for (int v = 0; v < scene->topology->num_vertices; v++) {
        if (scene->is_relay[v]) {
            json_array_append_new(relays, json_string(scene->topology->vertices[v].name));
        }
    }
    for (int l = 0; l < scene->topology->num_links; l++) {
        json_array_append_new(links, link_json(scene, l));
    }
    object = json_pack("{s:s, s:o}", "topology", scene->topology->name, "links", links);
    if (json_array_size(relays) > 0) {
        json_object_set(object, "relays", relays);
    }
    json_decref(relays);
    return object;
}

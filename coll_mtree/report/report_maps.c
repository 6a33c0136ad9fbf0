/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_maps.h"

#include "base/array.h"
#include "planner/regular/ring.h"
#include "planner/relays/relays.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_same(const coll_mtree_report_map_t *map, const mtree_topology_t *topology,
                    const char *origin)
{
    return map->topology == topology ||
           (strcmp(map->origin, origin) == 0 &&
            map->topology->num_vertices == topology->num_vertices &&
            map->topology->num_links == topology->num_links);
}

static void map_free(const coll_mtree_report_map_t *map)
{
    free(map->bytes);
    free(map->gave);
    free(map->is_relay);
}

/* Allocate what @a map has per arc and per vertex; false: no memory. */
static bool map_alloc(coll_mtree_report_map_t *map)
{
    size_t arcs = 2 * (size_t)map->topology->num_links;

    map->bytes = calloc(arcs + 1, sizeof(*map->bytes));
    map->gave = calloc(arcs + 1, sizeof(*map->gave));
    map->is_relay =
        calloc((size_t)map->topology->num_vertices + 1, sizeof(*map->is_relay));
    if (map->bytes == NULL || map->gave == NULL || map->is_relay == NULL) {
        map_free(map);
        return false;
    }
    return true;
}

int coll_mtree_report_maps_get(coll_mtree_report_maps_t *maps,
                               const mtree_topology_t *topology, const char *origin)
{
    coll_mtree_report_map_t map = {.topology = topology, .origin = origin};

    for (int i = 0; i < maps->count; i++) {
        if (is_same(&maps->maps[i], topology, origin)) {
            return i;
        }
    }
    if (mtree_array_reserve(&maps->maps, &maps->capacity, maps->count + 1,
                            sizeof(*maps->maps)) != MTREE_OK ||
        !map_alloc(&map)) {
        return -1;
    }
    maps->maps[maps->count] = map;
    return maps->count++;
}

mtree_routes_t *coll_mtree_report_map_pass_relays(coll_mtree_report_map_t *map,
                                                  const int *hosts, int num_hosts,
                                                  const mtree_plan_t *plan)
{
    int *vertices = malloc((size_t)plan->num_hosts * sizeof(*vertices));
    mtree_routes_t *routes = NULL;

    if (vertices == NULL ||
        mtree_relays_find(plan, map->topology, vertices + num_hosts) != MTREE_OK) {
        free(vertices);
        return NULL;
    }
    memcpy(vertices, hosts, (size_t)num_hosts * sizeof(*vertices));
    for (int h = num_hosts; h < plan->num_hosts; h++) {
        map->is_relay[vertices[h]] = true;
    }
    if (mtree_routes_create(map->topology, vertices, plan->num_hosts, &routes) !=
        MTREE_OK) {
        routes = NULL;
    }
    free(vertices);
    return routes;
}

void coll_mtree_report_map_add_trees(coll_mtree_report_map_t *map,
                                     const mtree_routes_t *routes,
                                     const mtree_plan_t *plan, double bytes)
{
    mtree_traffic_add(plan, routes, bytes, map->bytes);
}

void coll_mtree_report_map_add_ring(coll_mtree_report_map_t *map,
                                    const mtree_routes_t *routes,
                                    const mtree_plan_t *plan, double bytes)
{
    mtree_plan_t *ring;

    if (bytes > 0 &&
        mtree_ring_create(plan->collective, plan->num_hosts,
                          (const char *const *)plan->hosts, &ring) == MTREE_OK) {
        mtree_traffic_add(ring, routes, bytes, map->bytes);
        mtree_plan_destroy(ring);
    }
}

json_t *coll_mtree_report_maps_json(const coll_mtree_report_maps_t *maps)
{
    json_t *list = json_array();

    for (int i = 0; i < maps->count; i++) {
        const coll_mtree_report_map_t *map = &maps->maps[i];

        json_array_append_new(list,
                              mtree_traffic_json(map->topology, map->origin, map->bytes,
                                                 map->seconds, map->gave, map->is_relay));
    }
    return list;
}

void coll_mtree_report_maps_cleanup(coll_mtree_report_maps_t *maps)
{
    for (int i = 0; i < maps->count; i++) {
        map_free(&maps->maps[i]);
    }
    free(maps->maps);
    *maps = (coll_mtree_report_maps_t){0};
}

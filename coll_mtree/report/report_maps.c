/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_maps.h"

#include "base/array.h"
#include "planner/regular/ring.h"

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

/* Allocate what @a map has per arc; false: no memory. */
static bool map_alloc(coll_mtree_report_map_t *map)
{
    size_t arcs = 2 * (size_t)map->topology->num_links;

    map->bytes = calloc(arcs + 1, sizeof(*map->bytes));
    map->gave = calloc(arcs + 1, sizeof(*map->gave));
    if (map->bytes == NULL || map->gave == NULL) {
        free(map->bytes);
        free(map->gave);
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
                                                 map->seconds, map->gave));
    }
    return list;
}

void coll_mtree_report_maps_cleanup(coll_mtree_report_maps_t *maps)
{
    for (int i = 0; i < maps->count; i++) {
        free(maps->maps[i].bytes);
        free(maps->maps[i].gave);
    }
    free(maps->maps);
    *maps = (coll_mtree_report_maps_t){0};
}

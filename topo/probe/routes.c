/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/routes_private.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static bool has_text(const mtree_hash_link_t *link, const void *text)
{
    return strcmp(MTREE_CONTAINER_OF(link, mtree_probe_address_t, link)->text, text) == 0;
}

mtree_probe_address_t *mtree_probe_find_address(mtree_probe_routes_t *routes,
                                                const char *text)
{
    mtree_probe_addresses_t *addresses = &routes->addresses;
    const uint64_t hash = mtree_hash_string(MTREE_HASH_INIT, text);
    mtree_hash_link_t *link =
        mtree_hash_table_find(&addresses->by_text, hash, has_text, text);
    const size_t size = strlen(text) + 1;
    mtree_probe_address_t *address, **item;

    if (link != NULL) {
        return MTREE_CONTAINER_OF(link, mtree_probe_address_t, link);
    }
    address = mtree_arena_alloc(&routes->arena, 1, sizeof(*address) + size);
    mtree_hash_table_add(&addresses->by_text, &address->link, hash);
    item = MTREE_ARENA_APPEND(&routes->arena, addresses->items, addresses->num_addresses,
                              addresses->capacity);
    address->number = addresses->num_addresses - 1;
    address->owner = address->vertex = -1;
    memcpy(address->text, text, size);
    return *item = address;
}

mtree_probe_routes_t *mtree_probe_routes_create(const char *const *addresses,
                                                int num_hosts)
{
    mtree_probe_routes_t *routes = mtree_calloc(1, sizeof(*routes));

    routes->num_hosts = num_hosts;
    for (int host = 0; host < num_hosts; ++host) {
        mtree_probe_routes_add_address(routes, host, addresses[host]);
    }
    return routes;
}

void mtree_probe_routes_destroy(mtree_probe_routes_t *routes)
{
    if (routes != NULL) {
        mtree_hash_table_cleanup(&routes->addresses.by_text);
        mtree_arena_cleanup(&routes->arena);
        free(routes);
    }
}

void mtree_probe_routes_add_address(mtree_probe_routes_t *routes, int host,
                                    const char *text)
{
    mtree_probe_address_t *address = mtree_probe_find_address(routes, text);

    address->owner = address->owner < 0 ? host : address->owner;
}

void mtree_probe_routes_add(mtree_probe_routes_t *routes, int from, int to,
                            const char *const *hops, int num_hops)
{
    mtree_probe_traceroute_t route = {.from = from, .to = to, .num_hops = num_hops};
    mtree_probe_traceroute_t *added;

    MTREE_ARENA_ARRAY(&routes->arena, route.hops, (size_t)num_hops);
    for (int i = 0; i < num_hops; ++i) {
        route.hops[i] = hops[i][0] == '\0'
                            ? MTREE_PROBE_SILENT
                            : mtree_probe_find_address(routes, hops[i])->number;
    }
    added = MTREE_ARENA_APPEND(&routes->arena, routes->traceroutes,
                               routes->num_traceroutes, routes->traceroute_capacity);
    *added = route;
}

int mtree_probe_routes_count(const mtree_probe_routes_t *routes)
{
    return routes->num_traceroutes;
}

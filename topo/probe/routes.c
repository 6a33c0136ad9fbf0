/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/routes_private.h"

#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "topo/probe/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANDOM_PAIRS 2 /* of each host, and one more with every doubling of the hosts */

static bool has_text(const mtree_hash_link_t *link, const void *text)
{
    return strcmp(MTREE_CONTAINER_OF(link, mtree_probe_address_t, link)->text, text) == 0;
}

/* The address @a text, which is added when it is new, then without an owner. */
static mtree_probe_address_t *find_address(mtree_probe_routes_t *routes, const char *text)
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
    address->owner = -1;
    memcpy(address->text, text, size);
    return *item = address;
}

mtree_status_t mtree_probe_routes_create(const char *const *addresses, int num_hosts,
                                         mtree_probe_routes_t **routes_p)
{
    mtree_probe_routes_t *routes = mtree_calloc(1, sizeof(*routes));
    mtree_status_t status = MTREE_OK;

    routes->num_hosts = num_hosts;
    for (int host = 0; host < num_hosts && status == MTREE_OK; ++host) {
        status = mtree_probe_routes_add_address(routes, host, addresses[host]);
    }
    if (status != MTREE_OK) {
        mtree_probe_routes_destroy(routes);
        return status;
    }
    *routes_p = routes;
    return MTREE_OK;
}

void mtree_probe_routes_destroy(mtree_probe_routes_t *routes)
{
    if (routes != NULL) {
        mtree_hash_table_cleanup(&routes->addresses.by_text);
        mtree_arena_cleanup(&routes->arena);
        free(routes);
    }
}

mtree_status_t mtree_probe_routes_add_address(mtree_probe_routes_t *routes, int host,
                                              const char *text)
{
    mtree_probe_address_t *address = find_address(routes, text);

    if (address->owner >= 0 && address->owner != host) {
        mtree_error("hosts number %d and %d both have the address %s; give each host "
                    "addresses of its own",
                    address->owner, host, text);
        return MTREE_ERR_INVALID;
    }
    address->owner = host;
    return MTREE_OK;
}

/* Turn hops into numbers of addresses. */
static mtree_status_t read_hops(mtree_probe_routes_t *routes, const char *const *hops,
                                mtree_probe_traceroute_t *route)
{
    for (int i = 0; i < route->num_hops; ++i) {
        const mtree_probe_address_t *address;
        int j;

        route->hops[i] = MTREE_PROBE_SILENT;
        if (hops[i][0] == '\0') {
            continue;
        }
        address = find_address(routes, hops[i]);
        route->hops[i] = address->number;
        for (j = 0; route->hops[j] != address->number; ++j) {}
        if (j < i || address->owner == route->from || address->owner == route->to) {
            mtree_error("the route from host number %d to %d passes %s twice; leave "
                        "routes out that changed while they were traced",
                        route->from, route->to, hops[i]);
            return MTREE_ERR_INVALID;
        }
    }
    return MTREE_OK;
}

mtree_status_t mtree_probe_routes_add(mtree_probe_routes_t *routes, int from, int to,
                                      const char *const *hops, int num_hops)
{
    mtree_probe_traceroute_t route = {
        .from = from, .to = to, .number = routes->num_traceroutes, .num_hops = num_hops};
    mtree_probe_traceroute_t *added;
    mtree_status_t status;

    if (from < 0 || to < 0 || from >= routes->num_hosts || to >= routes->num_hosts ||
        from == to || num_hops < 0 || num_hops > MTREE_PROBE_MAX_HOPS) {
        mtree_error("a route of %d hops from host number %d to %d cannot be; there are "
                    "%d hosts, and at most %d hops",
                    num_hops, from, to, routes->num_hosts, MTREE_PROBE_MAX_HOPS);
        return MTREE_ERR_INVALID;
    }
    MTREE_ARENA_ARRAY(&routes->arena, route.hops, (size_t)num_hops);
    status = read_hops(routes, hops, &route);
    if (status != MTREE_OK) {
        return status;
    }
    added = MTREE_ARENA_APPEND(&routes->arena, routes->traceroutes,
                               routes->num_traceroutes, routes->traceroute_capacity);
    *added = route;
    return MTREE_OK;
}

int mtree_probe_routes_count(const mtree_probe_routes_t *routes)
{
    return routes->num_traceroutes;
}

static void all_pairs(int num_hosts, mtree_probe_pair_func_t func, void *data)
{
    for (int from = 0; from < num_hosts; ++from) {
        for (int to = 0; to < num_hosts; ++to) {
            if (from != to) {
                func(data, from, to);
            }
        }
    }
}

void mtree_probe_pair_sample(int num_hosts, uint64_t seed, mtree_probe_pair_func_t func,
                             void *data)
{
    const int count = RANDOM_PAIRS + (int)ceil(log2(num_hosts));
    mtree_random_t random;

    if (num_hosts <= MTREE_PROBE_SAMPLE_ALL) {
        all_pairs(num_hosts, func, data);
        return;
    }
    mtree_random_init(&random, seed);
    for (int from = 0; from < num_hosts; ++from) {
        for (int i = 0; i <= count; ++i) {
            const int to = (i == 0)
                               ? (from + 1) % num_hosts
                               : (int)mtree_random_below(&random, (uint64_t)num_hosts);

            if (to != from) {
                func(data, from, to);
                func(data, to, from);
            }
        }
    }
}

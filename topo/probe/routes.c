/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/routes_private.h"

#include "base/array.h"
#include "base/log.h"
#include "topo/probe/probe.h"

#include <stdlib.h>
#include <string.h>

static bool get_bit(const unsigned char *bits, size_t place)
{
    return (bits[place / 8] >> (place % 8) & 1) != 0;
}

mtree_status_t mtree_probe_routes_create(const char *const *addresses, int num_hosts,
                                         mtree_probe_routes_t **routes_p)
{
    mtree_probe_routes_t *routes = calloc(1, sizeof(*routes));
    mtree_status_t status;
    int host;

    if (routes == NULL) {
        goto err_memory;
    }
    routes->num_hosts = num_hosts;
    routes->known = calloc((size_t)num_hosts * (size_t)num_hosts / 8 + 1, 1);
    if (routes->known == NULL) {
        goto err_memory;
    }
    for (host = 0; host < num_hosts; ++host) {
        status = mtree_probe_routes_add_address(routes, host, addresses[host]);
        if (status != MTREE_OK) {
            mtree_probe_routes_destroy(routes);
            return status;
        }
    }
    *routes_p = routes;
    return MTREE_OK;

err_memory:
    mtree_probe_routes_destroy(routes);
    return mtree_no_memory("the routes between %d hosts", num_hosts);
}

void mtree_probe_routes_destroy(mtree_probe_routes_t *routes)
{
    int i;

    if (routes == NULL) {
        return;
    }
    for (i = 0; i < routes->num_seen; ++i) {
        free(routes->seen[i].hops);
    }
    free(routes->seen);
    free(routes->known);
    mtree_probe_addresses_clear(&routes->addresses);
    free(routes);
}

mtree_status_t mtree_probe_routes_add_address(mtree_probe_routes_t *routes, int host,
                                              const char *address)
{
    mtree_status_t status;
    int number;

    status = mtree_probe_addresses_find(&routes->addresses, address, &number);
    if (status != MTREE_OK) {
        return status;
    }
    if (routes->addresses.items[number]->owner >= 0 &&
        routes->addresses.items[number]->owner != host) {
        mtree_error("hosts number %d and %d both have the address %s; give each host "
                    "addresses of its own",
                    routes->addresses.items[number]->owner, host, address);
        return MTREE_ERR_INVALID;
    }
    routes->addresses.items[number]->owner = host;
    return MTREE_OK;
}

/* Hops as numbers of addresses. */
static mtree_status_t read_hops(mtree_probe_routes_t *routes, const char *const *hops,
                                mtree_probe_traceroutes_t *seen)
{
    mtree_status_t status;
    int i, j, owner;

    for (i = 0; i < seen->num_hops; ++i) {
        seen->hops[i] = MTREE_PROBE_SILENT;
        if (hops[i][0] == '\0') {
            continue;
        }
        status = mtree_probe_addresses_find(&routes->addresses, hops[i], &seen->hops[i]);
        if (status != MTREE_OK) {
            return status;
        }
        owner = routes->addresses.items[seen->hops[i]]->owner;
        for (j = 0; j < i && seen->hops[j] != seen->hops[i]; ++j) {}
        if (j < i || owner == seen->from || owner == seen->to) {
            mtree_error("the route from host number %d to %d passes %s twice; leave "
                        "routes out that changed while they were traced",
                        seen->from, seen->to, hops[i]);
            return MTREE_ERR_INVALID;
        }
    }
    return MTREE_OK;
}

/* Put @a seen in, in place of an earlier route between the same hosts. */
static mtree_status_t keep(mtree_probe_routes_t *routes, mtree_probe_traceroutes_t seen)
{
    size_t place = (size_t)seen.from * (size_t)routes->num_hosts + (size_t)seen.to;
    int i;

    if (get_bit(routes->known, place)) {
        for (i = 0; routes->seen[i].from != seen.from || routes->seen[i].to != seen.to;
             ++i) {}
        free(routes->seen[i].hops);
        routes->seen[i] = seen;
        return MTREE_OK;
    }
    if (mtree_array_reserve(&routes->seen, &routes->seen_capacity, routes->num_seen + 1,
                            sizeof(*routes->seen)) != MTREE_OK) {
        return mtree_no_memory("%d routes", routes->num_seen + 1);
    }
    routes->seen[routes->num_seen++] = seen;
    routes->known[place / 8] |= (unsigned char)(1u << (place % 8));
    return MTREE_OK;
}

mtree_status_t mtree_probe_routes_add(mtree_probe_routes_t *routes, int from, int to,
                                      const char *const *hops, int num_hops)
{
    mtree_probe_traceroutes_t seen = {.from = from, .to = to, .num_hops = num_hops};
    mtree_status_t status;

    if (from < 0 || to < 0 || from >= routes->num_hosts || to >= routes->num_hosts ||
        from == to || num_hops < 0 || num_hops > MTREE_PROBE_MAX_HOPS) {
        mtree_error("a route of %d hops from host number %d to %d cannot be; there are "
                    "%d hosts, and at most %d hops",
                    num_hops, from, to, routes->num_hosts, MTREE_PROBE_MAX_HOPS);
        return MTREE_ERR_INVALID;
    }
    seen.hops = malloc(((size_t)num_hops + 1) * sizeof(*seen.hops));
    if (seen.hops == NULL) {
        return mtree_no_memory("a route of %d hops", num_hops);
    }
    status = read_hops(routes, hops, &seen);
    if (status == MTREE_OK) {
        status = keep(routes, seen);
    }
    if (status != MTREE_OK) {
        free(seen.hops);
    }
    return status;
}

int mtree_probe_routes_count(const mtree_probe_routes_t *routes)
{
    return routes->num_seen;
}

bool mtree_probe_routes_known(const mtree_probe_routes_t *routes, int from, int to)
{
    return get_bit(routes->known, (size_t)from * (size_t)routes->num_hosts + (size_t)to);
}

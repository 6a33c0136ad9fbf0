/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/cables.h"

#include "base/address.h"
#include "base/array.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    mtree_plan_t *plan;
    const mtree_topology_t *topology;
    const mtree_routes_t *routes;
    int capacity;
} lister_t;

/* Cable number @a number of the link of @a arc, as seen along the arc. */
static mtree_cable_t cable_along(const mtree_topology_t *topology, int arc, int number)
{
    const mtree_cable_t *cable = &topology->links[arc >> 1].cables[number];
    const int from = arc & 1;

    return (mtree_cable_t){.ends = {cable->ends[from], cable->ends[!from]},
                           .capacity = {cable->capacity[from], cable->capacity[!from]}};
}

static int num_cables(const mtree_topology_t *topology, int arc)
{
    return topology->links[arc >> 1].num_cables;
}

/* Bits from the first on in which @a a and @a b are the same; -1: of unlike families. */
static int common_bits(const mtree_address_t *a, const mtree_address_t *b)
{
    const int most = 8 * (int)mtree_address_bytes(a->family);
    int bits = a->family == b->family ? 0 : -1;

    while (bits >= 0 && bits < most &&
           ((a->bytes[bits / 8] ^ b->bytes[bits / 8]) & (0x80 >> (bits % 8))) == 0) {
        bits++;
    }
    return bits;
}

/* The cable of the link of @a arc, as seen along the arc, whose end @a end is the nearest
 * to @a address: where there are several networks, that in the same one. */
static mtree_cable_t cable_near(const mtree_topology_t *topology, int arc, int end,
                                const mtree_address_t *address)
{
    mtree_cable_t nearest = cable_along(topology, arc, 0);

    for (int number = 1; number < num_cables(topology, arc); number++) {
        mtree_cable_t cable = cable_along(topology, arc, number);

        if (common_bits(&cable.ends[end], address) >
            common_bits(&nearest.ends[end], address)) {
            nearest = cable;
        }
    }
    return nearest;
}

/* Hosts through which the route from @a a to @a b leads, with @a b; and its last arc. */
static int count_hosts(const lister_t *lister, int a, int b, int *last_p)
{
    const mtree_topology_t *topology = lister->topology;
    int count = 0;

    MTREE_ROUTE_ARCS (arc, lister->routes, a, b) {
        count +=
            topology->vertices[mtree_arc_to(topology, arc)].kind == MTREE_VERTEX_HOST;
        *last_p = arc;
    }
    return count;
}

static void add(lister_t *lister, int a, int b, const mtree_cable_t *cable)
{
    mtree_plan_t *plan = lister->plan;

    if (cable->ends[0].family == AF_UNSPEC ||
        cable->ends[0].family != cable->ends[1].family) {
        return;
    }
    mtree_array_reserve(&plan->cables, &lister->capacity, plan->num_cables + 1,
                        sizeof(*plan->cables));
    plan->cables[plan->num_cables++] = (mtree_plan_cable_t){a, b, *cable};
}

/* Those between hosts @a a and @a b. */
static void add_pair(lister_t *lister, int a, int b)
{
    const mtree_topology_t *topology = lister->topology;
    int first_arc = mtree_routes_first(lister->routes, a, b);
    int last_arc, first, last, count;

    if (count_hosts(lister, a, b, &last_arc) != 1) {
        return;
    }
    first = num_cables(topology, first_arc);
    last = num_cables(topology, last_arc);
    count = first == 0 || last == 0 ? 0 : first > last ? first : last;
    for (int number = 0; number < count; number++) {
        const int far = count > first; /* the end with more interfaces */
        mtree_cable_t cable = cable_along(topology, far ? last_arc : first_arc, number);

        if (first_arc != last_arc) {
            mtree_cable_t other =
                cable_near(topology, far ? first_arc : last_arc, !far, &cable.ends[far]);

            cable.ends[!far] = other.ends[!far];
            cable.capacity[0] = fmin(cable.capacity[0], other.capacity[0]);
            cable.capacity[1] = fmin(cable.capacity[1], other.capacity[1]);
        }
        add(lister, a, b, &cable);
    }
}

/* Mark the pairs of hosts that are neighbours in trees; of a program all are. */
static void mark_pairs(const mtree_plan_t *plan, bool *marked)
{
    const int hosts = plan->num_hosts;

    for (int a = 0; a < hosts && plan->order != NULL; a++) {
        for (int b = a + 1; b < hosts; b++) {
            marked[(size_t)a * (size_t)hosts + (size_t)b] = true;
        }
    }
    for (int t = 0; t < plan->num_trees; t++) {
        for (int host = 0; host < hosts; host++) {
            const int parent = plan->trees[t].parent[host];
            const int a = host < parent ? host : parent,
                      b = host < parent ? parent : host;

            if (parent >= 0) {
                marked[(size_t)a * (size_t)hosts + (size_t)b] = true;
            }
        }
    }
}

static bool has_cables(const mtree_topology_t *topology)
{
    for (int l = 0; l < topology->num_links; l++) {
        if (topology->links[l].num_cables > 0) {
            return true;
        }
    }
    return false;
}

void mtree_plan_add_cables(mtree_plan_t *plan, const mtree_topology_t *topology,
                           const mtree_routes_t *routes)
{
    const size_t hosts = (size_t)plan->num_hosts;
    lister_t lister = {.plan = plan, .topology = topology, .routes = routes};
    bool *marked;

    if (!has_cables(topology)) {
        return;
    }
    marked = mtree_calloc(hosts * hosts, sizeof(*marked));
    mark_pairs(plan, marked);
    for (size_t pair = 0; pair < hosts * hosts; pair++) {
        if (marked[pair]) {
            add_pair(&lister, (int)(pair / hosts), (int)(pair % hosts));
        }
    }
    free(marked);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/cables.h"

#include "base/address.h"
#include "base/array.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    mtree_plan_t *plan;
    const mtree_topology_t *topology;
    const mtree_routes_t *routes;
    int capacity;
    mtree_status_t status;
} lister_t;

/* Cable number @a number of the link of @a arc, as seen along the arc. */
static mtree_cable_t cable_along(const mtree_topology_t *topology, int arc, int number)
{
    const mtree_link_t *link = &topology->links[arc >> 1];
    const mtree_cable_t *cable = &link->cables[number % link->num_cables];
    const int from = arc & 1;

    return (mtree_cable_t){.ends = {cable->ends[from], cable->ends[!from]},
                           .capacity = {cable->capacity[from], cable->capacity[!from]}};
}

static int num_cables(const mtree_topology_t *topology, int arc)
{
    return topology->links[arc >> 1].num_cables;
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
    lister->status = mtree_array_reserve(&plan->cables, &lister->capacity,
                                         plan->num_cables + 1, sizeof(*plan->cables));
    if (lister->status == MTREE_OK) {
        plan->cables[plan->num_cables++] = (mtree_plan_cable_t){a, b, *cable};
    }
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
    for (int number = 0; number < count && lister->status == MTREE_OK; number++) {
        mtree_cable_t cable = cable_along(topology, first_arc, number);
        mtree_cable_t end = cable_along(topology, last_arc, number);

        cable.ends[1] = end.ends[1];
        cable.capacity[0] = fmin(cable.capacity[0], end.capacity[0]);
        cable.capacity[1] = fmin(cable.capacity[1], end.capacity[1]);
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

mtree_status_t mtree_plan_add_cables(mtree_plan_t *plan, const mtree_topology_t *topology,
                                     const mtree_routes_t *routes)
{
    const size_t hosts = (size_t)plan->num_hosts;
    lister_t lister = {.plan = plan, .topology = topology, .routes = routes};
    bool *marked;

    if (!has_cables(topology)) {
        return MTREE_OK;
    }
    marked = calloc(hosts * hosts, sizeof(*marked));
    if (marked == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    mark_pairs(plan, marked);
    for (size_t pair = 0; pair < hosts * hosts && lister.status == MTREE_OK; pair++) {
        if (marked[pair]) {
            add_pair(&lister, (int)(pair / hosts), (int)(pair % hosts));
        }
    }
    free(marked);
    return lister.status;
}

#include "coll_mtree_estimate.h"

#include "topo/routes.h"

#include <math.h>
#include <stdlib.h>

/* What starting, matching and ending one message costs a host (docs/performance.md). */
#define MESSAGE_SECONDS 30e-6

/* Messages that @a host sends and receives for @a tree, of which @a bytes go through it.
 */
static double tree_messages(const mtree_plan_t *plan, const mtree_tree_t *tree, int host,
                            double bytes)
{
    double chunk = tree->chunk_bytes > 0 ? (double)tree->chunk_bytes : bytes;
    int neighbours = tree->parent[host] >= 0;

    for (int below = 0; below < plan->num_hosts; below++) {
        neighbours += tree->parent[below] == host;
    }
    return neighbours * ceil(bytes / chunk) *
           (plan->collective == MTREE_ALLREDUCE ? 2 : 1);
}

double coll_mtree_estimate_plan(const mtree_plan_t *plan)
{
    double bytes = mtree_collective_is_gathering(plan->collective)
                       ? plan->bytes / plan->num_hosts
                       : plan->bytes;
    double most = 0;

    for (int host = 0; host < plan->num_hosts; host++) {
        double messages = 0;

        for (int t = 0; t < plan->num_trees; t++) {
            if (plan->trees[t].share * bytes > 0.5) {
                messages += tree_messages(plan, &plan->trees[t], host,
                                          plan->trees[t].share * bytes);
            }
        }
        most = fmax(most, messages);
    }
    return plan->seconds + most * MESSAGE_SECONDS;
}

/* Seconds from host @a from to host @a to; a route's narrowest link decides the rate. */
static double route_seconds(const mtree_topology_t *topology,
                            const mtree_routes_t *routes, int from, int to, double bytes)
{
    int num_arcs;
    const int *arcs = mtree_routes_get(routes, from, to, &num_arcs);
    double rate = INFINITY;

    for (int i = 0; i < num_arcs; i++) {
        rate = fmin(rate, mtree_arc_capacity(topology, arcs[i]));
    }
    return mtree_routes_latency(routes, from, to) + 8 * bytes / rate +
           2 * MESSAGE_SECONDS;
}

/*
 * Seconds of the rounds in which every host waits for the one 1, 2, 4 ... further; when
 * it is @a halving, the bytes that are sent double from round to round up to half of
 * them.
 */
static double rounds_seconds(const mtree_topology_t *topology,
                             const mtree_routes_t *routes, int num_hosts, bool halving,
                             double bytes)
{
    double seconds = 0;

    for (int step = 1; step < num_hosts; step *= 2) {
        double sent = halving ? bytes * step / num_hosts : bytes, slowest = 0;

        for (int host = 0; host < num_hosts; host++) {
            slowest = fmax(slowest, route_seconds(topology, routes, host,
                                                  (host + step) % num_hosts, sent));
        }
        seconds += slowest;
    }
    return seconds;
}

double coll_mtree_estimate_fallback(const mtree_topology_t *topology, const int *vertices,
                                    int num_hosts, mtree_collective_t collective,
                                    double bytes)
{
    mtree_routes_t *routes;
    double whole, halves;

    if (mtree_routes_create(topology, vertices, num_hosts, &routes) != MTREE_OK) {
        return INFINITY;
    }
    whole = rounds_seconds(topology, routes, num_hosts, false, bytes);
    halves = rounds_seconds(topology, routes, num_hosts, true, bytes);
    mtree_routes_destroy(routes);
    return mtree_collective_is_gathering(collective) ? halves : fmin(whole, 2 * halves);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/chains.h"

#include "base/memory.h"
#include "planner/regular/shallow_tree.h"

#include <math.h>
#include <stdlib.h>

/* Cutting two or three objects gives a chain of as many again. */
#define LEAST_TO_CUT 4

static double transfer_time(const mtree_chains_link_t *link)
{
    return 8 * link->bytes / link->bandwidth;
}

bool mtree_chains_use_2d(int num_objects, const mtree_chains_link_t *link)
{
    return num_objects * link->latency > transfer_time(link);
}

/*
 * Chain the @a count participants in @a order towards the last, which is returned: it is
 * the only one that is left without a parent.  @a results is scratch for @a count
 * participants more.
 */
static int chain(const int *order, int count, const mtree_chains_link_t *link,
                 int *parent, int *results)
{
    int parts = (int)ceil(sqrt(count));
    int i;

    if (count < LEAST_TO_CUT || !mtree_chains_use_2d(count, link)) {
        for (i = 0; i + 1 < count; i++) {
            parent[order[i]] = order[i + 1];
        }
        return order[count - 1];
    }
    for (i = 0; i < parts; i++) {
        int first = (int)((long)i * count / parts);
        int end = (int)((long)(i + 1) * count / parts);

        results[i] = chain(&order[first], end - first, link, parent, results + parts);
    }
    return chain(results, parts, link, parent, results + parts);
}

void mtree_chains_build(const int *arrivals, int num_objects, int receiver,
                        const mtree_chains_link_t *link, int *parent_p)
{
    /* A cut of n takes sqrt(n) places, and what it cuts further takes less than as many
     * again. */
    int *results =
        mtree_malloc((2 * (size_t)num_objects + LEAST_TO_CUT) * sizeof(*results));

    parent_p[receiver] = -1;
    if (num_objects > 0) {
        parent_p[chain(arrivals, num_objects, link, parent_p, results)] = receiver;
    }
    free(results);
}

/* What the route from one host to another gives. */
static mtree_plan_route_t route_between(const mtree_problem_t *problem, int from, int to)
{
    return (mtree_plan_route_t){.rate = mtree_routes_capacity(problem->routes, from, to),
                                .latency =
                                    mtree_routes_latency(problem->routes, from, to),
                                .links = mtree_routes_links(problem->routes, from, to)};
}

/* The slowest and the farthest of the routes between the hosts stand for all of them. */
static mtree_chains_link_t worst_link(const mtree_problem_t *problem)
{
    mtree_chains_link_t link = {.bytes = problem->request->bytes, .bandwidth = INFINITY};

    for (int from = 0; from < problem->num_hosts; from++) {
        for (int to = 0; to < problem->num_hosts; to++) {
            mtree_plan_route_t route = route_between(problem, from, to);

            link.bandwidth = fmin(link.bandwidth, route.rate);
            link.latency = fmax(link.latency, route.latency);
        }
    }
    if (link.bytes == 0.0) {
        link.latency = 0.0; /* throughput alone: latency counts for nothing */
    }
    return link;
}

/* A host's route to itself is left 0. */
static void add_routes(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    size_t hosts = (size_t)problem->num_hosts;

    if (problem->num_hosts > MTREE_CHAINS_ROUTED) {
        return;
    }
    plan->routes = mtree_calloc(hosts * hosts, sizeof(*plan->routes));
    for (int from = 0; from < problem->num_hosts; from++) {
        for (int to = 0; to < problem->num_hosts; to++) {
            if (from != to) {
                plan->routes[(size_t)from * hosts + (size_t)to] =
                    route_between(problem, from, to);
            }
        }
    }
}

/* Each receives from the one before it, the first from the root. */
static void chain_down(const int *arrivals, int num_objects, int root, int *parent)
{
    for (int i = 0; i < num_objects; i++) {
        parent[arrivals[i]] = i == 0 ? root : arrivals[i - 1];
    }
}

mtree_status_t mtree_chains_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_collective_t collective = problem->request->collective;
    mtree_chains_link_t link = worst_link(problem);
    int root = mtree_collective_has_root(collective) ? problem->request->root
                                                     : mtree_shallow_tree_center(problem);
    mtree_tree_t *tree;
    int *arrivals, num_objects = 0;

    MTREE_ARENA_ARRAY(problem->arena, arrivals, (size_t)problem->num_hosts);
    for (int host = 0; host < problem->num_hosts; host++) {
        if (host != root) {
            arrivals[num_objects++] = host;
        }
    }
    *plan_p = mtree_problem_plan(problem, MTREE_PLAN_ARRIVAL, 1);
    add_routes(problem, *plan_p);
    tree = (*plan_p)->trees;
    tree->root = root;
    if (mtree_collective_reduces(collective)) {
        mtree_chains_build(arrivals, num_objects, root, &link, tree->parent);
    } else {
        chain_down(arrivals, num_objects, root, tree->parent);
    }
    return MTREE_OK;
}

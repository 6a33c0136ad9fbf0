/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/chains.h"

#include "base/log.h"
#include "planner/regular/shallow_tree.h"

#include <math.h>
#include <stdlib.h>

/* What the route from one host to another gives. */
static mtree_plan_route_t route_between(const mtree_problem_t *problem, int from, int to)
{
    mtree_plan_route_t route = {.rate = INFINITY};
    int num_arcs;
    const int *arcs = mtree_routes_get(problem->routes, from, to, &num_arcs);

    for (int i = 0; i < num_arcs; i++) {
        route.rate = fmin(route.rate, mtree_arc_capacity(problem->topology, arcs[i]));
    }
    route.links = num_arcs;
    route.latency = mtree_routes_latency(problem->routes, from, to);
    return route;
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
static mtree_status_t add_routes(const mtree_problem_t *problem, mtree_plan_t *plan)
{
    size_t hosts = (size_t)problem->num_hosts;

    if (problem->num_hosts > MTREE_CHAINS_ROUTED) {
        return MTREE_OK;
    }
    plan->routes = calloc(hosts * hosts, sizeof(*plan->routes));
    if (plan->routes == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int from = 0; from < problem->num_hosts; from++) {
        for (int to = 0; to < problem->num_hosts; to++) {
            if (from != to) {
                plan->routes[(size_t)from * hosts + (size_t)to] =
                    route_between(problem, from, to);
            }
        }
    }
    return MTREE_OK;
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
    const mtree_plan_request_t *request = problem->request;
    mtree_chains_link_t link = worst_link(problem);
    int root = mtree_collective_has_root(request->collective)
                   ? request->root
                   : mtree_shallow_tree_center(problem);
    int *arrivals = malloc((size_t)problem->num_hosts * sizeof(*arrivals));
    int num_objects = 0;
    mtree_plan_t *plan = NULL;
    mtree_status_t status;

    if (arrivals == NULL) {
        mtree_error("arrival: no memory for %d hosts; use fewer", problem->num_hosts);
        return MTREE_ERR_NO_MEMORY;
    }
    for (int host = 0; host < problem->num_hosts; host++) {
        if (host != root) {
            arrivals[num_objects++] = host;
        }
    }
    status = mtree_plan_create(request->collective, MTREE_PLAN_ARRIVAL,
                               problem->num_hosts, problem->names, 1, &plan);
    if (status == MTREE_OK) {
        plan->trees[0].root = root;
        status = add_routes(problem, plan);
    }
    if (status == MTREE_OK && !mtree_collective_reduces(request->collective)) {
        chain_down(arrivals, num_objects, root, plan->trees[0].parent);
    } else if (status == MTREE_OK) {
        status =
            mtree_chains_build(arrivals, num_objects, root, &link, plan->trees[0].parent);
    }
    free(arrivals);
    if (status != MTREE_OK) {
        mtree_plan_destroy(plan);
        return status;
    }
    *plan_p = plan;
    return MTREE_OK;
}

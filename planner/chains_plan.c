#include "planner/chains.h"

#include "planner/latency.h"
#include "topo/log.h"

#include <math.h>
#include <stdlib.h>

/* The slowest and the farthest of the routes between the hosts stand for all of them. */
static mtree_chains_link_t worst_link(const mtree_problem_t *problem)
{
    mtree_chains_link_t link = {.bytes = problem->request->bytes, .bandwidth = INFINITY};

    for (int from = 0; from < problem->num_hosts; from++) {
        for (int to = 0; to < problem->num_hosts; to++) {
            int num_arcs;
            const int *arcs = mtree_routes_get(problem->routes, from, to, &num_arcs);

            for (int i = 0; i < num_arcs; i++) {
                link.bandwidth =
                    fmin(link.bandwidth, mtree_arc_capacity(problem->topology, arcs[i]));
            }
            link.latency =
                fmax(link.latency, mtree_routes_latency(problem->routes, from, to));
        }
    }
    if (link.bytes == 0.0) {
        link.latency = 0.0; /* throughput alone: latency counts for nothing */
    }
    return link;
}

mtree_status_t mtree_chains_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    const mtree_plan_request_t *request = problem->request;
    mtree_chains_link_t link = worst_link(problem);
    int receiver = mtree_collective_has_root(request->collective)
                       ? request->root
                       : mtree_latency_center(problem);
    int *arrivals = malloc((size_t)problem->num_hosts * sizeof(*arrivals));
    int num_objects = 0;
    mtree_plan_t *plan;
    mtree_status_t status;

    if (arrivals == NULL) {
        mtree_error("arrival: no memory for %d hosts; use fewer", problem->num_hosts);
        return MTREE_ERR_NO_MEMORY;
    }
    for (int host = 0; host < problem->num_hosts; host++) {
        if (host != receiver) {
            arrivals[num_objects++] = host;
        }
    }
    status = mtree_plan_create(request->collective, "arrival", problem->num_hosts,
                               problem->names, 1, &plan);
    if (status == MTREE_OK) {
        plan->trees[0].root = receiver;
        status = mtree_chains_build(arrivals, num_objects, receiver, &link,
                                    plan->trees[0].parent);
        if (status == MTREE_OK) {
            *plan_p = plan;
        } else {
            mtree_plan_destroy(plan);
        }
    }
    free(arrivals);
    return status;
}

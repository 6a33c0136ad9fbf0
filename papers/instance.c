/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/instance.h"

#include "base/memory.h"
#include "topo/dot/read.h"

#include <stdlib.h>

#define MEAN_RATE     200e6
#define LEAST_LATENCY 0.05
#define MOST_LATENCY  0.4

mtree_status_t mtree_instance_create(mtree_topology_t *topology, int num_hosts,
                                     mtree_instance_t *instance_p)
{
    mtree_instance_t instance = {.topology = topology, .num_hosts = num_hosts};
    int num = 0;
    mtree_status_t status;

    if (num_hosts == 0) {
        instance.num_hosts = mtree_topology_num_hosts(topology);
    }
    instance.hosts = mtree_malloc((size_t)instance.num_hosts * sizeof(*instance.hosts));
    for (int v = 0; v < topology->num_vertices && num < instance.num_hosts; v++) {
        if (topology->vertices[v].kind == MTREE_VERTEX_HOST) {
            instance.hosts[num++] = v;
        }
    }
    status = mtree_routes_create(topology, instance.hosts, instance.num_hosts,
                                 &instance.routes);
    if (status != MTREE_OK) {
        free(instance.hosts);
        mtree_topology_destroy(topology);
        return status;
    }
    *instance_p = instance;
    return MTREE_OK;
}

mtree_status_t mtree_instance_generate(const char *shape,
                                       const mtree_generate_request_t *request,
                                       mtree_instance_t *instance_p)
{
    mtree_topology_t *topology;
    mtree_status_t status = mtree_generate(shape, request, &topology);

    return status == MTREE_OK ? mtree_instance_create(topology, 0, instance_p) : status;
}

mtree_status_t mtree_instance_draw(const char *shape, unsigned graph_seed, double skew,
                                   unsigned seed, mtree_instance_t *instance_p)
{
    const mtree_generate_request_t request = {
        .capacity = MEAN_RATE, .latency = LEAST_LATENCY, .seed = graph_seed};
    double low = MEAN_RATE * (1 - skew / 2), high = MEAN_RATE * (1 + skew / 2);
    mtree_topology_t *topology;
    mtree_status_t status = shape == NULL
                                ? mtree_topology_read(TOPOLOGIES "/b4.dot", &topology)
                                : mtree_generate(shape, &request, &topology);

    if (status != MTREE_OK) {
        return status;
    }
    mtree_generate_capacities(topology, MEAN_RATE, skew, seed);
    mtree_generate_latencies(topology, low, high, LEAST_LATENCY, MOST_LATENCY);
    return mtree_instance_create(topology, 0, instance_p);
}

mtree_status_t mtree_instance_plan(const mtree_instance_t *instance,
                                   const mtree_plan_request_t *request,
                                   mtree_plan_t **plan_p)
{
    return mtree_planner_run(instance->topology, instance->hosts, instance->num_hosts,
                             request, plan_p);
}

void mtree_instance_destroy(mtree_instance_t *instance)
{
    mtree_routes_destroy(instance->routes);
    mtree_topology_destroy(instance->topology);
    free(instance->hosts);
}

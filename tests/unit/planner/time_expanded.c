/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/planner/time_expanded.h"

#include "tests/unit/planner/max_flow.h"
#include "tests/unit/planner/networks.h"
#include "tests/unit/runner.h"

#include "base/random.h"

#define MBPS 1e6
#define MS   1e-3

mtree_topology_t *time_expanded_draw(int num_hosts, unsigned seed)
{
    mtree_topology_t *topology = network_hosts(num_hosts);
    mtree_random_t random;

    mtree_random_init(&random, seed);
    for (int u = 0; u < num_hosts; u++) {
        for (int v = 0; v < u; v++) {
            const unsigned least = v == u - 1;
            double forward =
                MBPS * (double)(least + mtree_random_below(&random, 6 - least));
            double backward =
                MBPS * (double)(least + mtree_random_below(&random, 6 - least));
            double latency = MS * (double)mtree_random_below(&random, 4);

            if (least || (forward + backward > 0 && mtree_random_below(&random, 3) > 0)) {
                unit_ok(mtree_topology_add_link(topology, u, v, forward, backward,
                                                latency, NULL));
            }
        }
    }
    return topology;
}

/* What is in flow at a time, too much to be a limit. */
static double limit(double bits)
{
    return fmin(bits, 1e12);
}

double time_expanded_bits(const mtree_topology_t *topology,
                          const time_expanded_end_t *from, int num_from,
                          const time_expanded_end_t *to, int num_to, int steps)
{
    const int vertices = topology->num_vertices, begin = vertices * steps;
    flow_t *flow = flow_create(begin + 2, (2 * topology->num_links + vertices) * steps +
                                              num_from + num_to);
    double bits;

    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        const int latency = (int)lround(topology->links[arc >> 1].latency / MS);

        for (int at = 0; at + latency < steps; at++) {
            (void)flow_add(flow, at * vertices + mtree_arc_from(topology, arc),
                           (at + latency) * vertices + mtree_arc_to(topology, arc),
                           mtree_arc_capacity(topology, arc) * MS);
        }
    }
    for (int at = 0; at + 1 < steps; at++) {
        for (int v = 0; v < vertices; v++) {
            (void)flow_add(flow, at * vertices + v, (at + 1) * vertices + v,
                           limit(INFINITY));
        }
    }
    for (int i = 0; i < num_from; i++) {
        (void)flow_add(flow, begin, from[i].host, limit(from[i].bits));
    }
    for (int i = 0; i < num_to; i++) {
        (void)flow_add(flow, (steps - 1) * vertices + to[i].host, begin + 1,
                       limit(to[i].bits));
    }
    bits = flow_run(flow, begin, begin + 1, INFINITY);
    flow_destroy(flow);
    return bits;
}

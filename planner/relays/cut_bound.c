/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/bound/quickest_flow.h"
#include "planner/plan/plan.h"
#include "planner/relays/relays.h"

#include <math.h>
#include <stdlib.h>

/* The least cut between @a root and another host: the whole message crosses it. */
static double bound_whole(mtree_quickest_flow_t *flow, const int *hosts, int num_hosts,
                          int root)
{
    double least = INFINITY;

    for (int host = 0; host < num_hosts; host++) {
        if (host != root) {
            least = fmin(
                least, mtree_quickest_flow_capacity(flow, hosts[root], &hosts[host], 1));
        }
    }
    return least;
}

/* One block of n is between every two hosts, n - 1 are between a host and all @a others,
 * an array for them. */
static double bound_blocks(mtree_quickest_flow_t *flow, const int *hosts, int n,
                           int *others)
{
    double least = INFINITY;

    for (int host = 0; host < n; host++) {
        int num = 0;

        for (int other = 0; other < n; other++) {
            if (other != host) {
                others[num++] = hosts[other];
            }
        }
        least = fmin(least, mtree_quickest_flow_capacity(flow, hosts[host], others, num) *
                                n / (n - 1));
        least = fmin(least, bound_whole(flow, hosts, n, host) * n);
    }
    return least;
}

/* Lower *bound_p to what flows allow that are reversed or not. */
static mtree_status_t bound_flows(const mtree_topology_t *topology, const int *hosts,
                                  int num_hosts, bool has_blocks, int root, bool reversed,
                                  double *bound_p)
{
    mtree_quickest_flow_t *flow = NULL;
    int *others = calloc((size_t)num_hosts, sizeof(*others));
    mtree_status_t status = MTREE_ERR_NO_MEMORY;

    if (others != NULL) {
        status = mtree_quickest_flow_create(topology, reversed, &flow);
    }
    if (status == MTREE_OK) {
        *bound_p =
            fmin(*bound_p, has_blocks ? bound_blocks(flow, hosts, num_hosts, others)
                                      : bound_whole(flow, hosts, num_hosts, root));
    }
    mtree_quickest_flow_destroy(flow);
    free(others);
    return status;
}

/* Vectors go up to the root and down from it.  Blocks go down from all others to a host,
 * or from it up to all others. */
mtree_status_t mtree_relays_cut_bound(const mtree_topology_t *topology, const int *hosts,
                                      int num_hosts, mtree_collective_t collective,
                                      int root, double *bound_p)
{
    const bool has_blocks = mtree_collective_has_blocks(collective);
    double bound = INFINITY;
    mtree_status_t status = MTREE_OK;

    *bound_p = 0.0;
    if (num_hosts < 2 || mtree_collective_is_personalized(collective)) {
        return MTREE_OK;
    }
    root = root < 0 ? 0 : root;
    if (mtree_collective_goes_up(collective)) {
        status = bound_flows(topology, hosts, num_hosts, has_blocks, root, !has_blocks,
                             &bound);
    }
    if (status == MTREE_OK && mtree_collective_goes_down(collective)) {
        status =
            bound_flows(topology, hosts, num_hosts, has_blocks, root, has_blocks, &bound);
    }
    if (status == MTREE_OK) {
        *bound_p = bound;
    }
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/nearest_order.h"

/* Is @a host nearer to @a from than @a other?  Ties go to the one with the lower number,
 * which is @a other. */
static bool is_nearer(const mtree_routes_t *routes, int from, int host, int other)
{
    double distance = mtree_routes_latency(routes, from, host);
    double least = mtree_routes_latency(routes, from, other);

    return distance < least ||
           (distance <= least && mtree_routes_links(routes, from, host) <
                                     mtree_routes_links(routes, from, other));
}

void mtree_nearest_order(const mtree_problem_t *problem, int first, int *order)
{
    int num_hosts = problem->num_hosts;

    for (int i = 0; i < num_hosts; i++) {
        order[i] = (first + i) % num_hosts;
    }
    for (int i = 1; i < num_hosts; i++) {
        int nearest = i, host;

        for (int j = i + 1; j < num_hosts; j++) {
            if (is_nearer(problem->routes, order[i - 1], order[j], order[nearest])) {
                nearest = j;
            }
        }
        /* Those before it move up, so that what is left stays in its order. */
        host = order[nearest];
        for (int j = nearest; j > i; j--) {
            order[j] = order[j - 1];
        }
        order[i] = host;
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What links gave, by what was measured between hosts.
 */
#include "report/traffic.h"
#include "tests/unit/runner.h"
#include "topo/topology.h"

/* a - b - c, 100 bits/s and 40 bits/s; arcs 0 and 1 are a > b and back, 2 and 3 b > c and
 * back. */
static mtree_topology_t *line(mtree_routes_t **routes_p)
{
    static const char *const names[] = {"a", "b", "c"};
    mtree_topology_t *topology;
    int hosts[3];

    ck_assert_int_eq(mtree_topology_create("line", "test", &topology), MTREE_OK);
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(mtree_topology_add_vertex(topology, names[i], names[i],
                                                   MTREE_VERTEX_HOST, &hosts[i]),
                         MTREE_OK);
    }
    ck_assert_int_eq(
        mtree_topology_add_link(topology, hosts[0], hosts[1], 100, 100, 1e-3, NULL),
        MTREE_OK);
    ck_assert_int_eq(
        mtree_topology_add_link(topology, hosts[1], hosts[2], 40, 40, 1e-3, NULL),
        MTREE_OK);
    ck_assert_int_eq(mtree_routes_create(topology, hosts, 3, routes_p), MTREE_OK);
    return topology;
}

UNIT_TEST(the_link_that_is_nearest_to_full_is_the_narrowest)
{
    mtree_traffic_path_t paths[] = {
        {.from = 0, .to = 2, .rate = 30, .backlogged = 0.9, .backlogged_rate = 36},
        {.from = 0, .to = 1, .rate = 20, .backlogged = 0, .backlogged_rate = 0}};
    mtree_traffic_gave_t gave[4] = {{0}};
    mtree_routes_t *routes;
    mtree_topology_t *topology = line(&routes);

    mtree_traffic_measure(topology, routes, paths, 2, gave);
    /* a > b carried both paths: one at its rate while backlogged, the other at its mean.
     */
    ck_assert_double_eq(gave[0].rate, 56);
    ck_assert_double_eq(gave[0].backlogged, 0.9);
    ck_assert(!gave[0].narrowest);
    ck_assert_double_eq(gave[2].rate, 36);
    ck_assert(gave[2].narrowest);
    ck_assert_double_eq(gave[1].rate, 0);
    ck_assert_double_eq(gave[3].rate, 0);
    mtree_routes_destroy(routes);
    mtree_topology_destroy(topology);
}

UNIT_TEST(ways_that_kept_up_tell_nothing)
{
    mtree_traffic_path_t paths[] = {
        {.from = 2, .to = 0, .rate = 30, .backlogged = 0.19, .backlogged_rate = 1000}};
    mtree_traffic_gave_t gave[4] = {{0}};
    mtree_routes_t *routes;
    mtree_topology_t *topology = line(&routes);

    mtree_traffic_measure(topology, routes, paths, 1, gave);
    ck_assert_double_eq(gave[1].backlogged, 0);
    ck_assert(!gave[1].narrowest && !gave[3].narrowest);
    mtree_routes_destroy(routes);
    mtree_topology_destroy(topology);
}

UNIT_TEST(groups_add_up)
{
    mtree_traffic_path_t path = {
        .from = 1, .to = 2, .rate = 10, .backlogged = 0.5, .backlogged_rate = 20};
    mtree_traffic_gave_t gave[4] = {{0}};
    mtree_routes_t *routes;
    mtree_topology_t *topology = line(&routes);

    mtree_traffic_measure(topology, routes, &path, 1, gave);
    mtree_traffic_measure(topology, routes, &path, 1, gave);
    ck_assert_double_eq(gave[2].rate, 40);
    ck_assert_double_eq(gave[2].backlogged, 0.5);
    mtree_routes_destroy(routes);
    mtree_topology_destroy(topology);
}

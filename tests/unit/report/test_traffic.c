/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What links gave, by what was measured between hosts.
 */
#include "report/source.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"

/* a - b - c, 100 bits/s and 40 bits/s; arcs 0 and 1 are a > b and back, 2 and 3 b > c and
 * back. */
static mtree_topology_t *line(mtree_routes_t **routes_p)
{
    static const double rates[] = {100, 40};
    static const int hosts[] = {0, 1, 2};
    mtree_topology_t *topology = map_chain("hhh", rates, 1e-3);

    unit_ok(mtree_routes_create(topology, hosts, 3, routes_p));
    return topology;
}

UNIT_TEST(the_link_that_is_nearest_to_full_is_the_narrowest)
{
    mtree_traffic_path_t paths[] = {
        {.from = 0, .to = 2, .rate = 30, .backlogged = 0.9, .backlogged_rate = 36},
        {.from = 0, .to = 1, .rate = 20, .backlogged = 0, .backlogged_rate = 0}};
    mtree_traffic_gave_t gave[4] = {{0}};
    OWNED(routes) *routes = NULL;
    OWNED(topology) *topology = line(&routes);

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
}

UNIT_TEST(ways_that_kept_up_tell_nothing)
{
    mtree_traffic_path_t paths[] = {
        {.from = 2, .to = 0, .rate = 30, .backlogged = 0.19, .backlogged_rate = 1000}};
    mtree_traffic_gave_t gave[4] = {{0}};
    OWNED(routes) *routes = NULL;
    OWNED(topology) *topology = line(&routes);

    mtree_traffic_measure(topology, routes, paths, 1, gave);
    ck_assert_double_eq(gave[1].backlogged, 0);
    ck_assert(!gave[1].narrowest && !gave[3].narrowest);
}

UNIT_TEST(groups_add_up)
{
    mtree_traffic_path_t path = {
        .from = 1, .to = 2, .rate = 10, .backlogged = 0.5, .backlogged_rate = 20};
    mtree_traffic_gave_t gave[4] = {{0}};
    OWNED(routes) *routes = NULL;
    OWNED(topology) *topology = line(&routes);

    mtree_traffic_measure(topology, routes, &path, 1, gave);
    mtree_traffic_measure(topology, routes, &path, 1, gave);
    ck_assert_double_eq(gave[2].rate, 40);
    ck_assert_double_eq(gave[2].backlogged, 0.5);
}

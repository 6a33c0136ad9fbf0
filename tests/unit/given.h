/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The network that a test is given, for files whose tests have one at a time:
 *
 *     given(map_shape("ring:8", 1e9, 0));
 *
 *     UNIT_FIXTURE(NULL, forget)
 */
#ifndef MTREE_TESTS_UNIT_GIVEN_H
#define MTREE_TESTS_UNIT_GIVEN_H

#include "tests/unit/maps.h"
#include "tests/unit/owned.h"

static mtree_topology_t *topology;
static mtree_routes_t *routes; /* between all hosts; NULL before given_all_links() */
static int *hosts, num_hosts;  /* vertices */

static inline void forget(void)
{
    mtree_routes_destroy(routes);
    mtree_topology_destroy(topology);
    free(hosts);
    routes = NULL;
    topology = NULL;
    hosts = NULL;
}

/* All hosts of @a network, which is the test's from now on; the one before is forgotten.
 */
static inline void given(mtree_topology_t *network)
{
    forget();
    topology = network;
    hosts = calloc((size_t)network->num_vertices, sizeof(*hosts));
    ck_assert_ptr_nonnull(hosts);
    num_hosts = map_hosts(network, hosts);
}

/* Routes between them, once all links are there. */
static inline void given_all_links(void)
{
    unit_ok(mtree_routes_create(topology, hosts, num_hosts, &routes));
}

/* A planner's problem between them, with other members. */
#define GIVEN_PROBLEM(...)                                                               \
    ((mtree_problem_t){.topology = topology,                                             \
                       .routes = routes,                                                 \
                       .hosts = hosts,                                                   \
                       .num_hosts = num_hosts,                                           \
                       __VA_ARGS__})

static inline void given_routes(mtree_topology_t *network)
{
    given(network);
    given_all_links();
}

#endif

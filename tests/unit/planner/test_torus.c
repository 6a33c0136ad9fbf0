/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tori are found whatever the numbers of their hosts, and nothing else is taken for one;
 * partners of a butterfly are as near as in Swing's paper.
 */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

#include "planner/regular/torus.h"

#include <stdlib.h>

#define LATENCY 1e-3

typedef struct {
    mtree_topology_t *topology;
    mtree_routes_t *routes;
    mtree_arena_t arena;
    int *hosts; /* vertices, in any order */
    mtree_problem_t problem;
} network_t;

static void network_init(network_t *network, const char *shape)
{
    int num;

    *network = (network_t){0};
    network->topology = map_shape(shape, 1e10, LATENCY);
    num = mtree_topology_num_hosts(network->topology);
    network->hosts = calloc((size_t)num, sizeof(int));
    srand(7);
    for (int i = 0; i < num; i++) {
        const int other = rand() % (i + 1);

        network->hosts[i] = network->hosts[other];
        network->hosts[other] = i;
    }
    unit_ok(
        mtree_routes_create(network->topology, network->hosts, num, &network->routes));
    network->problem = (mtree_problem_t){.topology = network->topology,
                                         .routes = network->routes,
                                         .hosts = network->hosts,
                                         .num_hosts = num,
                                         .arena = &network->arena};
}

static void network_clear(network_t *network)
{
    mtree_arena_cleanup(&network->arena);
    mtree_routes_destroy(network->routes);
    mtree_topology_destroy(network->topology);
    free(network->hosts);
}

static const struct {
    const char *shape;
    int size[3];
} tori[] = {
    {"torus:8x8", {8, 8}}, {"torus:4x4", {4, 4}},      {"torus:3x3", {3, 3}},
    {"torus:5x3", {5, 3}}, {"torus:4x4x4", {4, 4, 4}}, {"torus:2x4x8", {8, 4, 2}},
    {"ring:8", {8}},       {"torus:16x16", {16, 16}},  {"torus:6x6", {6, 6}},
    {"torus:4x8", {8, 4}}, {"torus:3x4x5", {5, 4, 3}},
};

UNIT_EACH(a_torus_is_found, tori)
{
    network_t network;
    mtree_torus_t torus;
    int stride = 1;

    network_init(&network, tori[_i].shape);
    torus = mtree_torus_find(&network.problem);
    ck_assert_int_gt(torus.num_dimensions, 0);
    for (int d = torus.num_dimensions - 1; d >= 0; d--) {
        const int size = torus.size[d];

        ck_assert_int_eq(size, tori[_i].size[d]);
        for (int point = 0; point < network.problem.num_hosts; point++) {
            const int c = point / stride % size;
            const int next = point + ((c + 1) % size - c) * stride;

            ck_assert(mtree_routes_adjacent(network.routes, torus.host[point],
                                            torus.host[next]));
        }
        stride *= size;
    }
    network_clear(&network);
}

static const char *const others[] = {"mesh:4x4",    "star:8",       "tree:2x2x2",
                                     "fattree:4x4", "random:12:20", "random:8:28"};

UNIT_EACH(nothing_else_is_a_torus, others)
{
    network_t network;
    mtree_torus_t torus;

    network_init(&network, others[_i]);
    torus = mtree_torus_find(&network.problem);
    ck_assert_int_eq(torus.num_dimensions, 0);
    network_clear(&network);
}

/* The hops of the longest chain of messages of recursive doubling: in a ring of eight
 * those of Swing's steps, 1, 1 and 3. */
static const struct {
    const char *shape;
    int hops, rounds;
} chains[] = {
    {"ring:4", 2, 2}, {"ring:8", 5, 3}, {"torus:4x4", 4, 4}, {"torus:8x8", 10, 6}};

UNIT_EACH(partners_are_as_near_as_in_the_paper, chains)
{
    const mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .algorithm = "recursive_doubling", .bytes = 8};
    network_t network;
    OWNED(plan) *plan = NULL;

    network_init(&network, chains[_i].shape);
    unit_ok(mtree_planner_run(network.topology, network.hosts, network.problem.num_hosts,
                              &request, &plan));
    ck_assert_int_eq((int)(plan->seconds / LATENCY), chains[_i].hops);
    ck_assert_double_eq(mtree_plan_messages(plan, NULL), 2.0 * chains[_i].rounds);
    network_clear(&network);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct exchange: what it carries behind a switch, and where the planner takes it by
 * itself.
 */
#include "planner/plan/finish.h"
#include "tests/unit/planner/networks.h"
#include "tests/unit/runner.h"

#include <math.h>
#include <stdio.h>

#define MEGABIT 1e6

/* Hosts around a switch, on links of those capacities, in Mb/s. */
static mtree_topology_t *star(int num_hosts, const double *capacity)
{
    mtree_topology_t *topology;
    int center;

    ck_assert_int_eq(mtree_topology_create("star", "test", &topology), MTREE_OK);
    ck_assert_int_eq(
        mtree_topology_add_vertex(topology, "switch", NULL, MTREE_VERTEX_SWITCH, &center),
        MTREE_OK);
    for (int i = 0; i < num_hosts; i++) {
        double bits = capacity[i] * MEGABIT;
        char name[16];
        int host;

        snprintf(name, sizeof(name), "h%d", i);
        ck_assert_int_eq(
            mtree_topology_add_vertex(topology, name, NULL, MTREE_VERTEX_HOST, &host),
            MTREE_OK);
        ck_assert_int_eq(
            mtree_topology_add_link(topology, host, center, bits, bits, 0, NULL),
            MTREE_OK);
    }
    return topology;
}

static const double even[] = {40, 40, 40, 40, 40, 40, 40, 40};

UNIT_LOOP(even_star_is_full, 0, 2)
{
    static const mtree_collective_t collectives[] = {MTREE_ALLREDUCE, MTREE_ALLGATHER,
                                                     MTREE_REDUCE_SCATTER};
    mtree_topology_t *topology = star(8, even);

    for (int c = 0; c < 3; c++) {
        mtree_plan_request_t request = {.collective = collectives[c],
                                        .bytes = _i == 0 ? 0 : 16e6};
        mtree_plan_t *packing = network_plan(topology, &request), *plan;

        request.algorithm = "direct";
        plan = network_plan(topology, &request);
        ck_assert_int_eq(plan->num_trees, 8);
        ck_assert_double_gt(plan->throughput, packing->bound * 0.999999);
        for (int t = 0; t < plan->num_trees; t++) {
            ck_assert_int_eq(mtree_tree_height(&plan->trees[t], 8), 1);
        }
        mtree_plan_destroy(packing);
        mtree_plan_destroy(plan);
    }
    mtree_topology_destroy(topology);
}

/* Every host sends and receives the whole message at least once, so the slowest limits
 * it; it sums nothing itself, the others have room for that. */
UNIT_TEST(slow_host_sums_nothing)
{
    static const double capacity[] = {20, 30, 40, 40};
    mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE, .algorithm = "direct"};
    mtree_topology_t *topology = star(4, capacity);
    mtree_plan_t *plan = network_plan(topology, &request);

    ck_assert_double_eq_tol(plan->throughput, 20 * MEGABIT, 1);
    ck_assert_double_eq_tol(plan->trees[0].rate, 0, 1);
    mtree_plan_destroy(plan);
    mtree_topology_destroy(topology);
}

/* Eight equal hosts: seven parts out and seven sums back, 2 (n - 1) / n of the message
 * over each link. */
UNIT_TEST(equal_hosts_share_the_sum)
{
    mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE, .algorithm = "direct"};
    mtree_topology_t *topology = star(8, even);
    mtree_plan_t *plan = network_plan(topology, &request);

    ck_assert_double_eq_tol(plan->throughput, 40 * MEGABIT * 8 / 14, 1);
    mtree_plan_destroy(plan);
    mtree_topology_destroy(topology);
}

/* Short messages are a chunk a tree, and all first chunks of a host share its link. */
UNIT_LOOP(no_time_is_less_than_what_the_links_need, 0, 6)
{
    static const mtree_collective_t collectives[] = {MTREE_ALLREDUCE, MTREE_ALLGATHER,
                                                     MTREE_REDUCE_SCATTER};
    mtree_topology_t *topology = star(8, even);

    for (int c = 0; c < 3; c++) {
        mtree_plan_request_t request = {.collective = collectives[c],
                                        .algorithm = "direct",
                                        .bytes = 4096 << (2 * _i)};
        mtree_plan_t *plan = network_plan(topology, &request);

        ck_assert_double_ge(plan->seconds,
                            8 * request.bytes / plan->throughput * 0.999999);
        mtree_plan_destroy(plan);
    }
    mtree_topology_destroy(topology);
}

/* Two chunks to each peer are outstanding at least, all of them in the queue of the
 * root's link, where their headers and acknowledgements need room as well. */
UNIT_LOOP(chunks_to_all_peers_fit_into_a_queue, 0, 4)
{
    static const mtree_collective_t collectives[] = {MTREE_SCATTER, MTREE_GATHER,
                                                     MTREE_ALLTOALL, MTREE_ALLGATHER};
    double queue = 40 * MEGABIT / 8 * MTREE_CHUNK_PAYLOAD_SECONDS;
    mtree_topology_t *topology = star(8, even);
    mtree_plan_request_t request = {
        .collective = collectives[_i], .algorithm = "direct", .bytes = 8 << 20};
    mtree_plan_t *plan = network_plan(topology, &request);

    for (int t = 0; t < plan->num_trees; t++) {
        size_t chunk = plan->trees[t].chunk_bytes;

        /* Chunks are rounded up to 64 bytes. */
        ck_assert_double_le(7 * 2 * ((double)chunk - 64), queue);
        ck_assert_double_ge(7 * 2 * (double)chunk, 0.99 * queue);
    }
    mtree_plan_destroy(plan);
    mtree_topology_destroy(topology);
}

UNIT_TEST(chunks_on_fast_links_are_long)
{
    static const double fast[] = {1e4, 1e4, 1e4, 1e4};
    mtree_topology_t *topology = star(4, fast);
    mtree_plan_request_t request = {
        .collective = MTREE_SCATTER, .algorithm = "direct", .bytes = 8 << 20};
    mtree_plan_t *plan = network_plan(topology, &request);

    ck_assert_uint_ge(plan->trees[0].chunk_bytes, MTREE_CHUNK_MAX);
    mtree_plan_destroy(plan);
    mtree_topology_destroy(topology);
}

/* An all-to-all of many hosts, whose search would take minutes. */
UNIT_TEST(many_hosts_need_no_search)
{
    double capacity[600];
    mtree_plan_request_t request = {
        .collective = MTREE_ALLTOALL, .max_trees = 10, .bytes = 1e6};
    mtree_topology_t *topology;
    mtree_plan_t *plan;

    for (int i = 0; i < 600; i++) {
        capacity[i] = 1000;
    }
    topology = star(600, capacity);
    plan = network_plan(topology, &request);
    ck_assert_str_eq(plan->algorithm, "direct");
    ck_assert_double_gt(plan->throughput, 0.99e9);
    mtree_plan_destroy(plan);
    mtree_topology_destroy(topology);
}

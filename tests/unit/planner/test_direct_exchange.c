/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct exchange: what it carries behind a switch, and where the planner takes it by
 * itself.
 */
#include "planner/plan/finish.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

#define MEGABIT 1e6

static const mtree_collective_t summing[] = {MTREE_ALLREDUCE, MTREE_ALLGATHER,
                                             MTREE_REDUCE_SCATTER};

static const int even[] = {40, 40, 40, 40, 40, 40, 40, 40};

/* The plan on a star of these links. */
static mtree_plan_t *direct(const int *rates, int num_hosts,
                            mtree_collective_t collective, double bytes)
{
    OWNED(topology) *topology = map_star(rates, num_hosts);

    return NETWORK_PLAN(topology, .collective = collective, .algorithm = "direct",
                        .bytes = bytes);
}

UNIT_LOOP(even_star_is_full, 0, 2)
{
    OWNED(topology) *topology = map_star(even, 8);

    for (int c = 0; c < 3; c++) {
        mtree_plan_request_t request = {.collective = summing[c],
                                        .bytes = _i == 0 ? 0 : 16e6};
        OWNED(plan) *packing = network_plan(topology, &request);
        OWNED(plan) *plan = direct(even, 8, summing[c], request.bytes);

        ck_assert_int_eq(plan->num_trees, 8);
        ck_assert_double_gt(plan->throughput, packing->bound * 0.999999);
        for (int t = 0; t < plan->num_trees; t++) {
            ck_assert_int_eq(mtree_tree_height(&plan->trees[t], 8), 1);
        }
    }
}

/* Every host sends and receives the whole message at least once, so the slowest limits
 * it; it sums nothing itself, the others have room for that. */
UNIT_TEST(slow_host_sums_nothing)
{
    static const int capacity[] = {20, 30, 40, 40};
    OWNED(plan) *plan = direct(capacity, 4, MTREE_ALLREDUCE, 0);

    ck_assert_double_eq_tol(plan->throughput, 20 * MEGABIT, 1);
    ck_assert_double_eq_tol(plan->trees[0].rate, 0, 1);
}

/* Eight equal hosts: seven parts out and seven sums back, 2 (n - 1) / n of the message
 * over each link. */
UNIT_TEST(equal_hosts_share_the_sum)
{
    OWNED(plan) *plan = direct(even, 8, MTREE_ALLREDUCE, 0);

    ck_assert_double_eq_tol(plan->throughput, 40 * MEGABIT * 8 / 14, 1);
}

/* Between so many hosts a linear program for their rates would take seconds. */
UNIT_TEST(between_many_hosts_all_trees_have_the_same_rate)
{
    enum { HOSTS = 1300 };
    const mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE,
                                          .algorithm = "direct"};
    int links[HOSTS], hosts[HOSTS];
    OWNED(topology) *topology = NULL;
    OWNED(plan) *plan = NULL;

    for (int h = 0; h < HOSTS; h++) {
        links[h] = 40 + h % 7;
    }
    topology = map_star(links, HOSTS);
    ck_assert_int_eq(map_hosts(topology, hosts), HOSTS);
    unit_ok(mtree_planner_run(topology, hosts, HOSTS, &request, &plan));
    for (int t = 1; t < HOSTS; t++) {
        ck_assert_double_eq(plan->trees[t].rate, plan->trees[0].rate);
    }
}

/* Short messages are a chunk a tree, and all first chunks of a host share its link. */
UNIT_LOOP(no_time_is_less_than_what_the_links_need, 0, 6)
{
    for (int c = 0; c < 3; c++) {
        OWNED(plan) *plan = direct(even, 8, summing[c], 4096 << (2 * _i));

        ck_assert_double_ge(plan->seconds, 8 * plan->bytes / plan->throughput * 0.999999);
    }
}

/* Two chunks to each peer are outstanding at least, all of them in the queue of the
 * root's link, where their headers and acknowledgements need room as well. */
UNIT_LOOP(chunks_to_all_peers_fit_into_a_queue, 0, 4)
{
    static const mtree_collective_t collectives[] = {MTREE_SCATTER, MTREE_GATHER,
                                                     MTREE_ALLTOALL, MTREE_ALLGATHER};
    double queue = 40 * MEGABIT / 8 * MTREE_CHUNK_PAYLOAD_SECONDS;
    OWNED(plan) *plan = direct(even, 8, collectives[_i], 8 << 20);

    for (int t = 0; t < plan->num_trees; t++) {
        size_t chunk = plan->trees[t].chunk_bytes;

        /* Chunks are rounded up to 64 bytes. */
        ck_assert_double_le(7 * 2 * ((double)chunk - 64), queue);
        ck_assert_double_ge(7 * 2 * (double)chunk, 0.99 * queue);
    }
}

UNIT_TEST(chunks_on_fast_links_are_long)
{
    static const int fast[] = {10000, 10000, 10000, 10000};
    OWNED(plan) *plan = direct(fast, 4, MTREE_SCATTER, 8 << 20);

    ck_assert_uint_ge(plan->trees[0].chunk_bytes, MTREE_CHUNK_MAX);
}

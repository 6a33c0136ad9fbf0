/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quickest flows: by hand, and on random networks against maximum flows through the
 * network that is expanded in time.
 */
#include "tests/unit/planner/max_flow.h"
#include "tests/unit/planner/networks.h"

#include "base/random.h"
#include "planner/bound/quickest_flow.h"

#include <check.h>
#include <math.h>

#define MBPS 1e6
#define MS   1e-3

static void join(mtree_topology_t *topology, int u, int v, double forward,
                 double backward, double latency)
{
    ck_assert_int_eq(
        mtree_topology_add_link(topology, u, v, forward, backward, latency, NULL),
        MTREE_OK);
}

static mtree_quickest_flow_t *create(const mtree_topology_t *topology, bool reversed)
{
    mtree_quickest_flow_t *flow;

    ck_assert_int_eq(mtree_quickest_flow_create(topology, reversed, &flow), MTREE_OK);
    return flow;
}

/* A short path of 10 Mb/s and 10 ms beside a long one of 30 Mb/s and 50 ms.  400 kb take
 * 50 ms over the first alone; of 800 kb it carries 500 in 60 ms, the other one 300. */
START_TEST(test_a_longer_path_helps_where_there_is_time)
{
    mtree_topology_t *topology = network_hosts(3);
    mtree_quickest_flow_t *flow;
    const int to = 1;
    double seconds[3];

    join(topology, 0, 1, 10 * MBPS, 10 * MBPS, 10 * MS);
    join(topology, 0, 2, 30 * MBPS, 30 * MBPS, 20 * MS);
    join(topology, 2, 1, 30 * MBPS, 30 * MBPS, 30 * MS);
    flow = create(topology, false);
    mtree_quickest_flow_distances(flow, 0, seconds);
    ck_assert_double_eq_tol(seconds[0], 0, 1e-12);
    ck_assert_double_eq_tol(seconds[1], 10 * MS, 1e-12);
    ck_assert_double_eq_tol(seconds[2], 20 * MS, 1e-12);
    ck_assert_double_eq_tol(mtree_quickest_flow_seconds(flow, 0, &to, 1, 4e5, 0), 50 * MS,
                            1e-9);
    ck_assert_double_eq_tol(mtree_quickest_flow_seconds(flow, 0, &to, 1, 8e5, 0), 60 * MS,
                            1e-9);
    ck_assert_double_eq_tol(mtree_quickest_flow_capacity(flow, 0, &to, 1), 40 * MBPS, 1);
    ck_assert_double_gt(mtree_quickest_flow_work(flow), 0);
    mtree_quickest_flow_destroy(flow);
    mtree_topology_destroy(topology);
}
END_TEST

/* What the first, shortest path takes is given back to two longer ones. */
START_TEST(test_flow_is_taken_back)
{
    mtree_topology_t *topology = network_hosts(4);
    mtree_quickest_flow_t *flow;
    const int to = 3;

    /* 0-1-2-3 is the shortest, 3 ms; both 0-1-3 and 0-2-3 take 11 ms and use its ends. */
    join(topology, 0, 1, MBPS, MBPS, MS);
    join(topology, 1, 2, MBPS, MBPS, MS);
    join(topology, 2, 3, MBPS, MBPS, MS);
    join(topology, 0, 2, MBPS, MBPS, 10 * MS);
    join(topology, 1, 3, MBPS, MBPS, 10 * MS);
    flow = create(topology, false);
    ck_assert_double_eq_tol(mtree_quickest_flow_seconds(flow, 0, &to, 1, 1000, 0), 4 * MS,
                            1e-12);
    /* 20 kb take 23 ms over this path, 21 over the other two. */
    ck_assert_double_eq_tol(mtree_quickest_flow_seconds(flow, 0, &to, 1, 20000, 0),
                            21 * MS, 1e-12);
    ck_assert_double_eq_tol(mtree_quickest_flow_capacity(flow, 0, &to, 1), 2 * MBPS, 1);
    mtree_quickest_flow_destroy(flow);
    mtree_topology_destroy(topology);
}
END_TEST

START_TEST(test_a_direction_without_capacity_is_none)
{
    mtree_topology_t *topology = network_hosts(2);
    mtree_quickest_flow_t *flow;
    const int to = 1;
    double seconds[2];

    join(topology, 0, 1, 0, MBPS, MS);
    flow = create(topology, false);
    ck_assert(isinf(mtree_quickest_flow_seconds(flow, 0, &to, 1, 1, 0)));
    mtree_quickest_flow_distances(flow, 0, seconds);
    ck_assert(isinf(seconds[1]));
    mtree_quickest_flow_destroy(flow);
    flow = create(topology, true);
    ck_assert_double_eq_tol(mtree_quickest_flow_seconds(flow, 0, &to, 1, 1000, 0), 2 * MS,
                            1e-12);
    mtree_quickest_flow_destroy(flow);
    mtree_topology_destroy(topology);
}
END_TEST

#define NUM_HOSTS 6
#define NUM_STEPS 14

/* Hosts joined at random by links of 0 to 3 ms and of 0 to 5 kb each ms. */
static mtree_topology_t *draw(unsigned seed)
{
    mtree_topology_t *topology = network_hosts(NUM_HOSTS);
    mtree_random_t random;

    mtree_random_init(&random, seed);
    for (int u = 0; u < NUM_HOSTS; u++) {
        for (int v = 0; v < u; v++) {
            double forward = 1e6 * (double)mtree_random_below(&random, 6);
            double backward = 1e6 * (double)mtree_random_below(&random, 6);
            double latency = MS * (double)mtree_random_below(&random, 4);

            if (forward + backward > 0 && mtree_random_below(&random, 3) > 0) {
                join(topology, u, v, forward, backward, latency);
            }
        }
    }
    return topology;
}

/* The bits that can get from host 0 to hosts @a to in @a steps ms: the maximum flow
 * through copies of the hosts, one for each ms, in which each may also wait. */
static double expanded(const mtree_topology_t *topology, bool reversed, const int *to,
                       int num_to, int steps)
{
    const int sink = NUM_HOSTS * (steps + 1);
    flow_t *flow =
        flow_create(sink + 1, (2 * topology->num_links + 2 * NUM_HOSTS) * (steps + 1));
    double bits;

    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        const int from = mtree_arc_from(topology, arc), end = mtree_arc_to(topology, arc);
        const int latency = (int)lround(topology->links[arc >> 1].latency / MS);

        /* What leaves in a ms arrives in the ms that begins `latency` later. */
        for (int at = 0; at + latency < steps; at++) {
            (void)flow_add(flow, at * NUM_HOSTS + from, (at + latency) * NUM_HOSTS + end,
                           mtree_arc_capacity(topology, reversed ? arc ^ 1 : arc) * MS);
        }
    }
    for (int at = 0; at + 1 < steps; at++) {
        for (int host = 0; host < NUM_HOSTS; host++) {
            (void)flow_add(flow, at * NUM_HOSTS + host, (at + 1) * NUM_HOSTS + host, 1e9);
        }
    }
    for (int i = 0; i < num_to; i++) {
        (void)flow_add(flow, (steps - 1) * NUM_HOSTS + to[i], sink, 1e9);
    }
    bits = flow_run(flow, 0, sink, INFINITY);
    flow_destroy(flow);
    return bits;
}

/* What arrives in the expanded network by a time takes just that time. */
START_TEST(test_is_that_of_the_network_expanded_in_time)
{
    mtree_topology_t *topology = draw((unsigned)_i);
    const bool reversed = _i % 2 != 0;
    const int num_to = 1 + _i % 3, to[] = {NUM_HOSTS - 1, NUM_HOSTS - 2, NUM_HOSTS - 3};
    mtree_quickest_flow_t *flow = create(topology, reversed);
    double last = 0;

    for (int steps = 1; steps <= NUM_STEPS; steps++) {
        const double bits = expanded(topology, reversed, to, num_to, steps);
        double seconds;

        if (bits > last) {
            seconds = mtree_quickest_flow_seconds(flow, 0, to, num_to, bits, 0);
            ck_assert_double_eq_tol(seconds, steps * MS, 1e-9);
            /* The search ends early, but not with a time that is too long. */
            seconds =
                mtree_quickest_flow_seconds(flow, 0, to, num_to, bits, 2 * steps * MS);
            ck_assert_double_ge(seconds, steps * MS * (1 - 1e-9));
            ck_assert_double_le(seconds, 2 * steps * MS);
        }
        last = bits;
    }
    mtree_quickest_flow_destroy(flow);
    mtree_topology_destroy(topology);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("quickest flow");
    TCase *tcase = tcase_create("quickest flow");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, test_a_longer_path_helps_where_there_is_time);
    tcase_add_test(tcase, test_flow_is_taken_back);
    tcase_add_test(tcase, test_a_direction_without_capacity_is_none);
    tcase_add_loop_test(tcase, test_is_that_of_the_network_expanded_in_time, 0, 200);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

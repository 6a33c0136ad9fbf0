/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quickest flows: by hand, and on random networks against maximum flows through the
 * network that is expanded in time.
 */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"
#include "tests/unit/planner/time_expanded.h"

#include "planner/bound/quickest_flow.h"

OWNED_TYPE(quickest_flow)

#define MBPS 1e6
#define MS   1e-3

/* The maximum flow: what the quickest one carries of very much. */
static double capacity(mtree_quickest_flow_t *flow, int to)
{
    const double bits = 1e24;

    return bits / mtree_quickest_flow_seconds(flow, 0, &to, 1, bits, 0);
}

/* A short path of 10 Mb/s and 10 ms beside a long one of 30 Mb/s and 50 ms.  400 kb take
 * 50 ms over the first alone; of 800 kb it carries 500 in 60 ms, the other one 300. */
UNIT_TEST(test_a_longer_path_helps_where_there_is_time)
{
    OWNED(topology) *topology =
        map_text("graph { node [kind=host] h0 h1 h2\n"
                 "h0 -- h1 [capacity=\"10Mbps\" latency=\"10ms\"]\n"
                 "edge [capacity=\"30Mbps\" latency=\"20ms\"]\n"
                 "h0 -- h2; h2 -- h1 [latency=\"30ms\"] }");
    OWNED(quickest_flow) *flow = mtree_quickest_flow_create(topology, false);
    const int to = 1;
    double seconds[3];

    mtree_quickest_flow_distances(flow, 0, seconds);
    ck_assert_double_eq_tol(seconds[0], 0, 1e-12);
    ck_assert_double_eq_tol(seconds[1], 10 * MS, 1e-12);
    ck_assert_double_eq_tol(seconds[2], 20 * MS, 1e-12);
    unit_near(mtree_quickest_flow_seconds(flow, 0, &to, 1, 4e5, 0), 50 * MS);
    unit_near(mtree_quickest_flow_seconds(flow, 0, &to, 1, 8e5, 0), 60 * MS);
    ck_assert_double_eq_tol(capacity(flow, to), 40 * MBPS, 1);
    ck_assert(!mtree_quickest_flow_is_over(flow));
    /* The first search looks at six arcs, so that no second one begins. */
    mtree_quickest_flow_limit(flow, 6);
    unit_near(mtree_quickest_flow_seconds(flow, 0, &to, 1, 8e5, 1), 90 * MS);
    mtree_quickest_flow_limit(flow, 6);
    ck_assert_double_eq(mtree_quickest_flow_seconds(flow, 0, &to, 1, 8e5, 0), 0);
    ck_assert(mtree_quickest_flow_is_over(flow));
}

/* What the first, shortest path takes is given back to two longer ones. */
UNIT_TEST(test_flow_is_taken_back)
{
    /* 0-1-2-3 is the shortest, 3 ms; both 0-1-3 and 0-2-3 take 11 ms and use its ends. */
    OWNED(topology) *topology = map_text(
        "graph { edge [capacity=\"1Mbps\" latency=\"1ms\"] h0 -- h1 -- h2 -- h3\n"
        "edge [latency=\"10ms\"] h0 -- h2; h1 -- h3 }");
    OWNED(quickest_flow) *flow = mtree_quickest_flow_create(topology, false);
    const int to = 3;

    ck_assert_double_eq_tol(mtree_quickest_flow_seconds(flow, 0, &to, 1, 1000, 0), 4 * MS,
                            1e-12);
    /* 20 kb take 23 ms over this path, 21 over the other two. */
    ck_assert_double_eq_tol(mtree_quickest_flow_seconds(flow, 0, &to, 1, 20000, 0),
                            21 * MS, 1e-12);
    ck_assert_double_eq_tol(capacity(flow, to), 2 * MBPS, 1);
}

UNIT_TEST(test_a_direction_without_capacity_is_none)
{
    OWNED(topology) *topology = network_hosts(2);
    OWNED(quickest_flow) *flow = NULL;
    const int to = 1;
    double seconds[2];

    unit_ok(mtree_topology_add_link(topology, 0, 1, 0, MBPS, MS, NULL));
    flow = mtree_quickest_flow_create(topology, false);
    ck_assert(isinf(mtree_quickest_flow_seconds(flow, 0, &to, 1, 1, 0)));
    mtree_quickest_flow_distances(flow, 0, seconds);
    ck_assert(isinf(seconds[1]));
    mtree_quickest_flow_destroy(flow);
    flow = mtree_quickest_flow_create(topology, true);
    ck_assert_double_eq_tol(mtree_quickest_flow_seconds(flow, 0, &to, 1, 1000, 0), 2 * MS,
                            1e-12);
}

#define NUM_HOSTS 6
#define NUM_STEPS 14

/* What gets to one to three hosts in the expanded network by a time takes just that
 * time. */
UNIT_SHORT_LOOP(test_is_that_of_the_network_expanded_in_time, 0, 200)
{
    OWNED(topology) *topology = time_expanded_draw(NUM_HOSTS, (unsigned)_i);
    const bool reversed = _i % 2 != 0;
    const int num_to = 1 + _i % 3, to[] = {NUM_HOSTS - 1, NUM_HOSTS - 2, NUM_HOSTS - 3};
    const time_expanded_end_t one = {0, INFINITY}, others[] = {{NUM_HOSTS - 1, INFINITY},
                                                               {NUM_HOSTS - 2, INFINITY},
                                                               {NUM_HOSTS - 3, INFINITY}};
    OWNED(quickest_flow) *flow = mtree_quickest_flow_create(topology, reversed);
    double last = 0, seconds;

    for (int steps = 1; steps <= NUM_STEPS; steps++) {
        const double bits =
            reversed ? time_expanded_bits(topology, others, num_to, &one, 1, steps)
                     : time_expanded_bits(topology, &one, 1, others, num_to, steps);

        if (bits > last) {
            seconds = mtree_quickest_flow_seconds(flow, 0, to, num_to, bits, 0);
            unit_near(seconds, steps * MS);
            /* The search ends early, but not with a time that is too short. */
            seconds =
                mtree_quickest_flow_seconds(flow, 0, to, num_to, bits, 2 * steps * MS);
            ck_assert_double_ge(seconds, steps * MS * (1 - 1e-9));
            ck_assert_double_le(seconds, 2 * steps * MS);
        }
        last = bits;
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/chain_times.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

/* Section 6.1: 10 Gb/s, 125 us. */
static const mtree_chains_link_t ec2 = {
    .bytes = 1e6, .bandwidth = 10e9, .latency = 125e-6};

/* "if we are reducing a set of 1 MB objects, we use two-dimensional reduce when reducing
 * more than 6" */
UNIT_TEST(test_condition)
{
    ck_assert(!mtree_chains_use_2d(6, &ec2));
    ck_assert(mtree_chains_use_2d(7, &ec2));
}

/* Appendix A: the times, and that they cross where S / (B L) = (sqrt(n) - 1)^2. */
UNIT_TEST(test_times_and_switch)
{
    mtree_chains_link_t link = ec2;

    ck_assert_double_eq_tol(mtree_chains_time_1d(16, &ec2), 0.8e-3 + 15 * 125e-6, 1e-12);
    ck_assert_double_eq_tol(mtree_chains_time_2d(16, &ec2), 1.6e-3 + 6 * 125e-6, 1e-12);
    ck_assert_double_eq_tol(mtree_chains_switch_bytes(16, 10e9, 125e-6), 9 * 156250.0,
                            1e-6);
    for (int n = 4; n <= 256; n *= 2) {
        double at = mtree_chains_switch_bytes(n, link.bandwidth, link.latency);

        link.bytes = at;
        ck_assert_double_eq_tol(mtree_chains_time_1d(n, &link),
                                mtree_chains_time_2d(n, &link), 1e-12);
        link.bytes = at * 1.01;
        ck_assert(mtree_chains_time_1d(n, &link) < mtree_chains_time_2d(n, &link));
        link.bytes = at * 0.99;
        ck_assert(mtree_chains_time_1d(n, &link) > mtree_chains_time_2d(n, &link));
    }
}

/* Section 4.3: D reduces a, b, c, d, which arrive as a, d, c, b: A sends to C, C to B, B
 * to D. */
UNIT_TEST(test_arrival_example)
{
    enum { A, B, C, D };
    static const int arrivals[] = {A, C, B};
    int parent[4];

    mtree_chains_build(arrivals, 3, D, &ec2, parent);
    ck_assert_int_eq(parent[A], C);
    ck_assert_int_eq(parent[C], B);
    ck_assert_int_eq(parent[B], D);
    ck_assert_int_eq(parent[D], -1);
}

/* Depth of the chains of @a n objects of @a bytes; checks that everyone's object reaches
 * the receiver. */
static int depth_of(int n, double bytes)
{
    static int arrivals[4096], parent[4097];
    mtree_chains_link_t link = ec2;

    link.bytes = bytes;
    for (int i = 0; i < n; i++) {
        arrivals[i] = (i * 7) % n;
    }
    mtree_chains_build(arrivals, n, n, &link, parent);
    for (int i = 0; i < n; i++) {
        int at = i;

        for (int hops = 0; parent[at] >= 0 && hops <= n; hops++) {
            at = parent[at];
        }
        ck_assert_int_eq(at, n);
    }
    return mtree_chains_depth(parent, n + 1);
}

/* One chain for large objects, 2 sqrt(n) for smaller ones, and less by recursion for
 * small ones. */
UNIT_TEST(test_depth)
{
    /* 16 B L is 2.5 MB; sqrt(16) B L is 0.6 MB. */
    ck_assert_int_eq(depth_of(16, 4e6), 16);
    ck_assert_int_eq(depth_of(16, 1e6), 3 + 3 + 1);
    ck_assert_int_eq(depth_of(16, 1e5), 2 + 2 + 1);
    ck_assert_int_eq(depth_of(1024, 1e7), 31 + 31 + 1);
    /* 1024, 32, 6 and 3: log log n cuts, each doubling the ways and taking the root of
     * their length. */
    ck_assert_int_le(depth_of(1024, 1), 16 + 1);
    ck_assert_int_eq(depth_of(1, 1), 1);
    ck_assert_int_eq(depth_of(0, 1), 0);
}

/* The planner's bcast is one chain, and its plan tells the routes, also as JSON. */
UNIT_TEST(test_plan_tells_routes)
{
    static const char text[] = "graph g { a -- b [capacity=\"80Mbps\" latency=\"1ms\"];"
                               " b -- c [capacity=\"20Mbps\" latency=\"2ms\"]; }";
    OWNED(topology) *topology = map_text(text);
    OWNED(plan) *planned = NETWORK_PLAN(topology, .collective = MTREE_BCAST,
                                        .algorithm = "arrival", .root = 1, .bytes = 1e6);
    OWNED(plan) *plan = network_plan_again(planned);

    ck_assert(mtree_plan_is_by_arrival(plan));
    ck_assert_int_eq(plan->trees[0].parent[0], 1);
    ck_assert_int_eq(plan->trees[0].parent[2], 0);
    ck_assert_ptr_nonnull(plan->routes);
    ck_assert_double_eq_tol(plan->routes[2].rate, 20e6, 1);
    unit_near(plan->routes[2].latency, 3e-3);
    ck_assert_int_eq(plan->routes[2].links, 2);
    unit_near(mtree_plan_route_seconds(plan, 0, 2), 0.8 + 3e-3);
    unit_near(mtree_plan_route_seconds(plan, 0, 1), 0.1 + 1e-3);
    ck_assert_double_eq(mtree_plan_route_seconds(plan, 1, 1), 0);
}

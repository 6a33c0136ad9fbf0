/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a scan can carry: against results by hand, all cuts of small networks, maximum
 * flows, and the maximum concurrent flow from each host to the next.
 */
#include "papers/published/lp.h"
#include "planner/plan/finish.h"
#include "planner/plan/streams.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/demands.h"
#include "tests/unit/planner/networks.h"

#define CAPACITY 1e9
#define CLOSE    1e-3
#define MAX_SIZE 12

static mtree_plan_t *scan_plan(const mtree_topology_t *topology, double bytes)
{
    mtree_plan_t *plan = NETWORK_PLAN(topology, .collective = MTREE_SCAN, .bytes = bytes,
                                      .algorithm = "packing");

    ck_assert_double_le(plan->throughput, plan->bound * (1 + 1e-9));
    ck_assert_ptr_nonnull(plan->limit);
    return plan;
}

static mtree_topology_t *shape(const char *name)
{
    return map_shape(name, CAPACITY, 0);
}

static void check_scan(mtree_topology_t *topology, double throughput, double bound)
{
    OWNED(plan) *plan = scan_plan(topology, 0);

    ck_assert_double_eq_tol(plan->throughput / CAPACITY, throughput, CLOSE);
    ck_assert_double_eq_tol(plan->bound / CAPACITY, bound, CLOSE);
    mtree_topology_destroy(topology);
}

/* The sum passes each link once; two in three cross the middle where the hosts are in
 * another order than their numbers. */
UNIT_TEST(lines)
{
    static const int mixed[] = {0, 2, 1, 3};

    check_scan(network_row(NULL, 5, CAPACITY, 0), 1, 1);
    check_scan(network_row(mixed, 4, CAPACITY, 0), 0.5, 0.5);
}

/* Each of n - 1 sums takes one arc, or n - 1 of the n arcs the other way.  So chains
 * carry 1 + 1 / (n - 1).  Each cut, which is proved whatever sums travel, lets pass 2. */
UNIT_TEST(rings)
{
    OWNED(topology) *topology = shape("ring:6");
    OWNED(plan) *plan = scan_plan(topology, 0);

    ck_assert_double_ge(plan->throughput, CAPACITY * (1 + 1.0 / 5) * (1 - CLOSE));
    ck_assert_double_eq_tol(plan->bound / CAPACITY, 2, CLOSE);
}

/* What leaves host 0 passes one link. */
UNIT_TEST(stars)
{
    check_scan(shape("star:8"), 1, 1);
}

/* The least over all sets of hosts of what leaves them, per host in it whose next host is
 * not; and the least maximum flow from a host to a later one, which a cut shows. */
static double least_cut(const mtree_topology_t *topology, bool pairs)
{
    int num_hosts = topology->num_vertices;
    double least = INFINITY;

    for (unsigned set = 1; set + 1 < 1u << num_hosts; set++) {
        int exits = __builtin_popcount(set & ~(set >> 1) & ((1u << (num_hosts - 1)) - 1));

        if (exits > 0) {
            least = fmin(least, network_cut(topology, set, NULL) / (pairs ? 1 : exits));
        }
    }
    return least;
}

UNIT_LOOP(all_cuts_of_small_networks, 0, 12)
{
    OWNED(topology) *topology =
        network_random(5 + _i % 5, 8 + _i % 3, (unsigned)_i, _i % 2 == 1, 0);
    OWNED(plan) *plan = scan_plan(topology, 0);
    double least = least_cut(topology, false);

    ck_assert_double_eq_tol(plan->bound, least, CLOSE * least);
    ck_assert_double_le(plan->bound, least_cut(topology, true) * (1 + CLOSE));
}

/* With a size, each host's trees share it, and the chains follow one another. */
UNIT_TEST(shares_and_time)
{
    OWNED(topology) *topology = network_row(NULL, 4, CAPACITY, 0.01);
    OWNED(plan) *plan = scan_plan(topology, 1e6);
    int count[4] = {0};

    for (int t = 0; t < plan->num_trees; t++) {
        count[plan->trees[t].root]++;
    }
    for (int host = 0; host < 4; host++) {
        ck_assert_int_eq(count[host], 1);
    }
    ck_assert_double_gt(plan->seconds, 0.03 + 8e6 / CAPACITY);
    ck_assert_double_lt(plan->seconds, 0.03 + 1.4 * 8e6 / CAPACITY);
}

/* Too many hosts for all sets: the bound is one of a cut still. */
UNIT_TEST(many_hosts)
{
    OWNED(topology) *topology = shape("torus:6x6");
    OWNED(plan) *plan = scan_plan(topology, 0);

    /* Each host has four links. */
    ck_assert_double_le(plan->bound, 4 * CAPACITY);
    ck_assert_double_ge(plan->throughput, CAPACITY * (1 - CLOSE));
}

/* Hosts that ask for each message before they send it would do so one after the other. */
UNIT_TEST(own_connections)
{
    const double rate = 1e10, latency = 0.03, bytes = 32e6;

    ck_assert(mtree_streams_pay(MTREE_SCAN, bytes, rate, latency, 1, 2 << 20));
    ck_assert(!mtree_streams_pay(MTREE_SCAN, bytes, rate, latency, 1, MTREE_CHUNK_EAGER));
    ck_assert(!mtree_streams_pay(MTREE_SCAN, bytes, rate, 0.0005, 1, 2 << 20));
    ck_assert(!mtree_streams_pay(MTREE_BCAST, bytes, rate, latency, 1, 2 << 20));
}

UNIT_NEEDS(mtree_lp_is_available())

/* The chains carry as much as any flows from each host to the next do. */
UNIT_LOOP(concurrent_flows, 0, 4)
{
    OWNED(topology) *topology =
        _i == 0 ? network_b4(1)
                : network_random(4 + _i, 8 + 2 * _i, (unsigned)_i, true, 0);
    int num_hosts = topology->num_vertices;
    double demand[MAX_SIZE * MAX_SIZE] = {0};
    OWNED(plan) *plan = scan_plan(topology, 0);

    for (int i = 0; i + 1 < num_hosts; i++) {
        demand[i * num_hosts + i + 1] = 1e6;
    }
    ck_assert_double_eq_tol(plan->throughput * demands_least_seconds(topology, demand),
                            8e6, 8e6 * 1e-3);
}

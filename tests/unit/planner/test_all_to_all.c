/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What scatter, gather and all-to-all can carry: against closed forms of regular
 * networks, published figures, cuts and a linear program over flows.  A plan's bound and
 * its throughput are the same in all of them.
 */
#include "papers/published/lp.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/demands.h"
#include "tests/unit/planner/networks.h"

#define CAPACITY 1e9

/* How far throughput may be from what is known, of 1. */
#define CLOSE 5e-3

static double throughput(const mtree_topology_t *topology, mtree_collective_t collective,
                         int root)
{
    OWNED(plan) *plan = NETWORK_PLAN(topology, .collective = collective,
                                     .algorithm = "packing", .root = root);

    ck_assert_double_le(plan->throughput, plan->bound * (1 + 1e-9));
    ck_assert_double_ge(plan->throughput, plan->bound * (1 - CLOSE));
    ck_assert_ptr_nonnull(plan->limit);
    return plan->throughput;
}

static mtree_topology_t *shape(const char *name)
{
    return map_shape(name, CAPACITY, 0);
}

/* What it carries, in links' worth. */
static void expect(const mtree_topology_t *topology, mtree_collective_t collective,
                   int root, double expected)
{
    ck_assert_double_eq_tol(throughput(topology, collective, root) / CAPACITY, expected,
                            CLOSE * expected);
}

/*
 * Uniform traffic on a k-ary n-cube with one link each way: 8 / k of a link per host
 * where k is even, 8 k / (k^2 - 1) where it is odd (W. J. Dally, B. Towles, Principles
 * and Practices of Interconnection Networks, 2004, table 5.1).  A ring has one dimension.
 */
#define EVEN(k) (8.0 / (k))
#define ODD(k)  (8.0 * (k) / ((k) * (k)-1))

static const struct {
    const char *network; /* a shape, or text */
    double throughput;   /* links' worth */
} cases[] = {
    {"ring:4", EVEN(4)},
    {"ring:5", ODD(5)},
    {"ring:8", EVEN(8)},
    {"ring:13", ODD(13)},
    {"torus:3x3", ODD(3)},
    {"torus:4x4", EVEN(4)},
    {"torus:5x5", ODD(5)},
    {"torus:6x6", EVEN(6)},
    /* Hypercubes of 8 and 32 hosts, as the ring of 4 and its torus are of 4 and 16: the
     * distances from a host to all others add up to d 2^(d - 1), over its d links. */
    {"mesh:2x2x2", 2},
    {"torus:4x4x2", 2},
    /* A complete bipartite graph: four hosts at one hop and three at two, over four
     * links: 10 / 4 blocks per link, of 8. */
    {"graph { {a b c d} -- {e f g h} [capacity=\"1Gbps\"] }", 8 / 2.5},
    /* A complete graph. */
    {"random:9:36", 9},
    {"torus:3x3x3", ODD(3)}, /* the last, for `make check-thorough` */
};

#define NUM_CASES ((int)(sizeof(cases) / sizeof(cases[0])))

UNIT_LOOP(closed_forms, 0, unit_loops(NUM_CASES - 1, NUM_CASES))
{
    OWNED(topology) *topology = strncmp(cases[_i].network, "graph", 5) == 0
                                    ? map_text(cases[_i].network)
                                    : shape(cases[_i].network);

    expect(topology, MTREE_ALLTOALL, 0, cases[_i].throughput);
}

/* All but its own block enters a host over one link. */
UNIT_TEST(full_switch)
{
    OWNED(topology) *topology = shape("star:8");

    expect(topology, MTREE_SCATTER, 3, 8.0 / 7);
    expect(topology, MTREE_GATHER, 3, 8.0 / 7);
    expect(topology, MTREE_ALLTOALL, 0, 8.0 / 7);
}

/* The least of what crosses into a set of hosts without the root, or (@a out) out of it,
 * over the hosts in it, by trying every set. */
static double least_cut(const mtree_topology_t *topology, int root, bool out)
{
    int num_hosts = topology->num_vertices;
    double least = INFINITY;

    for (unsigned set = 1; set < 1u << num_hosts; set++) {
        if ((set >> root & 1) == 0) {
            least = fmin(least, network_cut(topology, out ? set : ~set, NULL) /
                                    __builtin_popcount(set));
        }
    }
    return least * num_hosts;
}

UNIT_LOOP(rooted_ones_reach_the_least_cut, 0, 12)
{
    int num_hosts = 4 + _i % 6;
    OWNED(topology) *topology =
        network_random(num_hosts, num_hosts + _i % 3, 50 + (unsigned)_i, _i % 2 == 0, 0);

    for (int root = 0; root < num_hosts; root++) {
        expect(topology, MTREE_SCATTER, root,
               least_cut(topology, root, false) / CAPACITY);
        expect(topology, MTREE_GATHER, root, least_cut(topology, root, true) / CAPACITY);
    }
}

/* The maximum concurrent flow, by a linear program. */
UNIT_LOOP(all_to_all_is_the_maximum_concurrent_flow, 0, 10)
{
    int num_hosts = 4 + _i;
    OWNED(topology) *topology =
        network_random(num_hosts, num_hosts * 3 / 2, 80 + (unsigned)_i, _i % 2 == 0, 0);
    double demand[13 * 13];

    for (int pair = 0; pair < num_hosts * num_hosts; pair++) {
        demand[pair] = 1e6;
    }
    if (mtree_lp_is_available()) {
        expect(topology, MTREE_ALLTOALL, 0,
               8e6 * num_hosts / demands_least_seconds(topology, demand) / CAPACITY);
    }
}

/* Kautz' digraph as Imase and Itoh generalised it: from i to the @a degree hosts before
 * -degree i. */
static mtree_topology_t *kautz(int num_hosts, int degree)
{
    mtree_topology_t *topology = network_hosts(num_hosts);

    for (int i = 0; i < num_hosts; i++) {
        for (int q = 1; q <= degree; q++) {
            int j = ((num_hosts - degree) * i + num_hosts - q) % num_hosts;

            if (j != i) {
                unit_ok(mtree_topology_add_link(topology, i, j, CAPACITY, 0, 0, NULL));
            }
        }
    }
    return topology;
}

/*
 * P. Basu et al., Efficient all-to-all collective communication schedules for
 * direct-connect topologies (HPDC 2024, arXiv 2309.13541): over d links per host no
 * all-to-all is faster than where d^k hosts are at k hops, and these digraphs come close.
 */
UNIT_LOOP(kautz_digraphs_are_close_to_the_least_distances, 0, 4)
{
    static const struct {
        int num_hosts, degree;
        double gap;
    } cases[] = {{6, 2, 0.09}, {12, 3, 0.05}, {20, 4, 0.03}, {36, 4, 0.2}};
    int num_hosts = cases[_i].num_hosts, degree = cases[_i].degree;
    int left = num_hosts - 1, at = degree;
    OWNED(topology) *topology = kautz(num_hosts, degree);
    double hops = 0, most, carried;

    for (int k = 1; left > 0; k++, at *= degree) {
        hops += k * (left < at ? left : at);
        left -= at;
    }
    most = num_hosts * degree / hops;
    carried = throughput(topology, MTREE_ALLTOALL, 0) / CAPACITY;
    ck_assert_double_le(carried, most * (1 + CLOSE));
    ck_assert_double_ge(carried, most / (1 + cases[_i].gap));
}

/* Beyond the linear program's size. */
UNIT_TEST(two_hundred_hosts)
{
    OWNED(topology) *topology = shape("torus:5x5x8");
    OWNED(plan) *plan = NETWORK_PLAN(topology, .collective = MTREE_ALLTOALL,
                                     .algorithm = "packing", .max_trees = 10);

    ck_assert_double_ge(plan->bound, CAPACITY);
    ck_assert_double_le(plan->bound, CAPACITY * 1.01);
    ck_assert_double_ge(plan->throughput, CAPACITY * 0.98);
}

/* Many packings of a torus carry the same, on which the simplex method may pivot without
 * end: there is a plan all the same, of few trees, after little work. */
UNIT_LOOP(search_is_short, 0, unit_loops(2, 10))
{
    static const struct {
        const char *shape;
        double work;
    } networks[] = {{"torus:4x4x4", 4e8},
                    {"torus:8x8", 4.5e8},
                    {"torus:7x7", 2.6e8},
                    {"torus:4x4x8", 1e9},
                    {"fattree:8", 1.8e9}};
    static const double sizes[] = {1024, 1 << 20};
    OWNED(topology) *topology = shape(networks[_i % 5].shape);
    OWNED(plan) *plan =
        NETWORK_PLAN(topology, .collective = MTREE_ALLTOALL, .algorithm = "packing",
                     .max_trees = 10, .bytes = sizes[_i / 5]);

    ck_assert_double_gt(plan->work, 0);
    ck_assert_double_le(plan->work, networks[_i % 5].work);
    ck_assert_double_ge(plan->throughput, plan->bound * 0.85);
    ck_assert_int_le(plan->num_trees, plan->num_hosts * 2);
}

UNIT_SECONDS(120)

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "packing" against bounds that are computed in another way, and published figures.
 */
#include "papers/published/algorithms.h"
#include "papers/published/lp.h"
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/bound.h"
#include "tests/unit/planner/networks.h"

/* Plans without limits come this close to the bound. */
#define CLOSE 0.999

/* Plan without limits; the plan's own bound must hold and be proved to be close. */
static double throughput(const mtree_topology_t *topology, mtree_collective_t collective,
                         int root)
{
    OWNED(plan) *plan = NETWORK_PLAN(topology, .collective = collective, .root = root);

    ck_assert_double_ge(plan->bound, plan->throughput * (1.0 - 1e-9));
    ck_assert_double_ge(plan->throughput, plan->bound * CLOSE);
    return plan->throughput;
}

/* Between CLOSE and 1 of @a bound, as far as numbers can be told apart. */
static void check_close(double result, double bound)
{
    ck_assert_double_ge(result, bound * CLOSE);
    ck_assert_double_le(result, bound * (1.0 + 1e-6));
}

/* For which the references agree, too. */
UNIT_TEST(small_allreduce)
{
    for (unsigned seed = 1; seed <= 12; ++seed) {
        OWNED(topology) *topology =
            network_random(6 + (int)seed / 4, 11 + (int)seed, seed, false, 0.0);
        const double bound = bound_allreduce_by_trial(topology);

        check_close(throughput(topology, MTREE_ALLREDUCE, 0), bound);
        unit_near(bound_allreduce(topology) / bound, 1.0);
    }
}

/* Hosts and links of larger networks: sparse and dense. */
static const int sizes[][2] = {{12, 19},   {12, 40},   {25, 60},   {40, 231}, {60, 120},
                               {80, 2000}, {100, 300}, {200, 600}, {200, 900}};

/* The densest takes as long as all others: it is for `make check-thorough`. */
static bool is_for_thorough(int size)
{
    return unit_loops(1, 0) && sizes[size][1] >= 2000;
}

#define NUM_SIZES ((int)(sizeof(sizes) / sizeof(sizes[0])))

/* The largest network has no allgather. */
UNIT_LOOP(allreduce_and_allgather, 0, 2 * NUM_SIZES - 1)
{
    const int size = _i % NUM_SIZES;
    const bool gathers = _i >= NUM_SIZES;
    OWNED(topology) *topology = network_random(sizes[size][0], sizes[size][1],
                                               (gathers ? 30 : 10) + (unsigned)size,
                                               gathers && size % 2 == 0, 0.0);

    if (!is_for_thorough(size)) {
        check_close(throughput(topology, gathers ? MTREE_ALLGATHER : MTREE_ALLREDUCE, 0),
                    gathers ? bound_allgather(topology) : bound_allreduce(topology));
    }
}

UNIT_LOOP(bcast, 0, NUM_SIZES)
{
    OWNED(topology) *topology =
        network_random(sizes[_i][0], sizes[_i][1], 20 + (unsigned)_i, _i % 2 == 0, 0.0);
    int step = sizes[_i][0] <= unit_loops(25, 40) ? 1 : sizes[_i][0] / 3;

    for (int root = 0; root < sizes[_i][0] && !is_for_thorough(_i); root += step) {
        check_close(throughput(topology, MTREE_BCAST, root), bound_bcast(topology, root));
    }
}

/* Reduce goes the other way: on a network whose links are turned round, as bcast does. */
UNIT_TEST(reduce)
{
    OWNED(topology) *topology = network_random(16, 40, 5, true, 0.0);
    double results[16];

    for (int root = 0; root < 16; ++root) {
        results[root] = throughput(topology, MTREE_REDUCE, root);
    }
    for (int l = 0; l < topology->num_links; ++l) {
        double *capacity = topology->links[l].capacity;
        double there = capacity[0];

        capacity[0] = capacity[1];
        capacity[1] = there;
    }
    for (int root = 0; root < 16; ++root) {
        check_close(results[root], bound_bcast(topology, root));
    }
}

/* ForestColl's figures in GB/s of the gathered result (arXiv 2402.06787), exactly. */
UNIT_LOOP(published, 0, 5)
{
    static const struct {
        mtree_topology_t *(*make)(int);
        int machines;
        double result;
    } cases[] = {{network_a100, 1, 2400.0 / 7},
                 {network_a100, 2, 5200.0 / 15},
                 {network_a100, 4, 800.0 / 3},
                 {network_mi250, 1, 2400.0 / 7},
                 {network_mi250, 2, 5312.0 / 15}};
    OWNED(topology) *topology = cases[_i].make(cases[_i].machines);
    double result = throughput(topology, MTREE_ALLGATHER, 0) / 8e9;

    ck_assert_double_eq_tol(result, cases[_i].result, 1e-3 * cases[_i].result);
    ck_assert_double_eq_tol(bound_allgather(topology) / 8e9, cases[_i].result,
                            1e-6 * cases[_i].result);
}

/* Two rings joined by two links: these are the limit, and are named. */
UNIT_TEST(limit_is_named)
{
    OWNED(topology) *topology =
        map_text("graph { edge [capacity=\"1Gbps\" latency=\"1ms\"]\n"
                 "h0 -- h1 -- h2 -- h3 -- h0; h4 -- h5 -- h6 -- h7 -- h4\n"
                 "edge [capacity=\"200Mbps\"]; h0 -- h4; h1 -- h5 }");
    OWNED(plan) *plan =
        NETWORK_PLAN(topology, .collective = MTREE_ALLREDUCE, .max_trees = 4);

    ck_assert_double_eq_tol(plan->throughput, 4e8, 1.0);
    ck_assert_double_eq_tol(plan->bound, 4e8, 1.0);
    ck_assert_str_eq(plan->limit, "links h0-h4 and h1-h5");
}

/* The same request gives the same plan. */
UNIT_TEST(plans_repeat)
{
    const mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .max_trees = 6, .bytes = 16e6};
    OWNED(topology) *topology = network_random(20, 60, 3, false, 0.05);
    OWNED(plan) *first = network_plan(topology, &request);
    OWNED(plan) *second = network_plan(topology, &request);

    ck_assert_int_le(first->num_trees, 6);
    ck_assert_int_eq(first->num_trees, second->num_trees);
    for (int t = 0; t < first->num_trees; ++t) {
        ck_assert(first->trees[t].rate == second->trees[t].rate);
        ck_assert(first->trees[t].share == second->trees[t].share);
        ck_assert_mem_eq(first->trees[t].parent, second->trees[t].parent,
                         20 * sizeof(int));
    }
}

UNIT_FIXTURE(mtree_published_add, NULL)
UNIT_SECONDS(600)

UNIT_NEEDS(mtree_lp_is_available())

/* Ten trees carry at least a tenth more than gost's ten, on networks of the size of its
 * paper's. */
UNIT_LOOP(more_than_gost, 0, unit_loops(1, 3))
{
    static const int networks[][3] = {{20, 141, 1}, {20, 141, 2}, {40, 231, 3}};
    mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .max_trees = 10, .seed = 1};
    OWNED(topology) *topology = network_random(networks[_i][0], networks[_i][1],
                                               (unsigned)networks[_i][2], false, 0.0);
    OWNED(plan) *ours = network_plan(topology, &request);
    OWNED(plan) *theirs = NULL;

    request.algorithm = "gost";
    theirs = network_plan(topology, &request);
    ck_assert_int_le(ours->num_trees, 10);
    ck_assert_double_ge(ours->throughput, 1.1 * theirs->throughput);
}

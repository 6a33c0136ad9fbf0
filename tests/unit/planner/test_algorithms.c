/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every algorithm of the planner's table makes a plan that spans and keeps all capacities
 * for each collective that its row names, and claims no more than its bound.  A build
 * without GLPK leaves out the algorithms that need it.
 */
#include "tests/unit/maps.h"
#include "tests/unit/owned.h"
#include "tests/unit/planner/networks.h"

#include "papers/published/algorithms.h"
#include "planner/algorithms.h"

/* A tolerance for throughputs, as a factor. */
#define ROUNDING 1.000001

static void check_algorithm(const mtree_topology_t *topology, const char *algorithm,
                            mtree_collective_t collective, double bytes)
{
    mtree_plan_request_t request = {.collective = collective,
                                    .algorithm = algorithm,
                                    .max_trees = 10,
                                    .bytes = bytes};
    OWNED(plan) *plan = network_plan(topology, &request);

    ck_assert_str_eq(plan->algorithm, algorithm);
    ck_assert_double_gt(plan->throughput, 0);
    if (plan->bound > 0) {
        ck_assert_double_le(plan->throughput, plan->bound * ROUNDING);
    }
    unit_ok(mtree_planner_bound(topology, map_vertices, plan->num_hosts, &request, plan));
    ck_assert_msg(plan->throughput <= plan->bound * ROUNDING,
                  "%s by %s: %g bits/s, the bound is %g",
                  mtree_collective_name(collective), algorithm, plan->throughput,
                  plan->bound);
}

static int num_algorithms(void)
{
    int num = 0;

    mtree_published_add();
    while (mtree_algorithms_names()[num] != NULL) {
        num++;
    }
    return num;
}

UNIT_LOOP(every_row_makes_plans, 0, num_algorithms())
{
    const char *algorithm = mtree_algorithms_names()[_i];
    OWNED(topology) *b4 = network_b4(1);
    OWNED(topology) *random = network_random(6, 11, 3, false, 0.01);
    OWNED(topology) *torus =
        map_shape("torus:4x2", 1e9, 1e-4); /* for which some rows are */
    const mtree_topology_t *networks[] = {b4, random, torus};
    int num_done = 0;

    /* A line of --help has 80 columns. */
    ck_assert_uint_le(strlen(mtree_algorithms_help(algorithm)), 62);
    for (int collective = 0; collective < MTREE_COLLECTIVE_LAST; collective++) {
        if (!mtree_algorithms_do(algorithm, (mtree_collective_t)collective)) {
            continue;
        }
        for (int n = 0; n < 3; n++) {
            const mtree_plan_request_t request = {
                .collective = (mtree_collective_t)collective, .bytes = 1e6};

            if (!mtree_algorithms_fit(algorithm, networks[n], networks[n]->num_vertices,
                                      &request)) {
                continue;
            }
            check_algorithm(networks[n], algorithm, (mtree_collective_t)collective, 0);
            check_algorithm(networks[n], algorithm, (mtree_collective_t)collective, 1e6);
        }
        num_done++;
    }
    ck_assert(num_done > 0 || mtree_algorithms_unavailable(algorithm) != NULL);
}

/* What an algorithm refuses, and the most that it takes. */
static const struct {
    const char *algorithm;
    mtree_collective_t collective;
    int most_hosts;
    double most_bytes;
} limits[] = {
    {"exchange", MTREE_ALLREDUCE, 256, 256 * 1024},
    {"exchange", MTREE_SCAN, 8, 8 * 1024 * 1024},
    {"recursive_doubling", MTREE_ALLREDUCE, 1024, 5 * 1024 * 1024},
    {"bruck", MTREE_ALLTOALL, 1024, 5 * 1024 * 1024},
    {"bruck", MTREE_ALLGATHER, 1024, 30 * 1024 * 1024},
    {"recursive_halving", MTREE_ALLREDUCE, 1024, 20 * 1024 * 1024},
    {"optree", MTREE_ALLGATHER, 4096, 1e12},
};

UNIT_EACH(a_row_says_what_it_refuses, limits)
{
    const int hosts = limits[_i].most_hosts;
    mtree_plan_request_t request = {.collective = limits[_i].collective,
                                    .bytes = limits[_i].most_bytes};
    OWNED(topology) *b4 = network_b4(1);

    ck_assert(mtree_algorithms_fit(limits[_i].algorithm, b4, hosts, &request));
    ck_assert(!mtree_algorithms_fit(limits[_i].algorithm, b4, hosts + 1, &request));
    ck_assert(mtree_algorithms_fit("packing", b4, hosts + 1, &request));
    request.collective = MTREE_SCATTER;
    ck_assert(!mtree_algorithms_fit(limits[_i].algorithm, b4, hosts, &request));
    ck_assert_int_eq(heard_lines(), 0);
}

UNIT_TEST(a_network_may_be_too_large)
{
    const mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE};
    OWNED(topology) *small = network_hosts(256), *large = network_hosts(257);

    ck_assert(mtree_algorithms_fit("steiner", small, 3, &request) ==
              mtree_algorithms_do("steiner", MTREE_ALLREDUCE));
    ck_assert(!mtree_algorithms_fit("steiner", large, 3, &request));
}

UNIT_TEST(a_plan_has_hosts)
{
    const mtree_plan_request_t request = {.collective = MTREE_BCAST, .max_trees = 1};
    OWNED(topology) *b4 = network_b4(1);
    mtree_plan_t *plan;

    unit_invalid(mtree_planner_run(b4, NULL, 0, &request, &plan));
    heard_is("planner: no hosts to plan for; give at least one");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The baselines of papers/mtree.txt: blink, topoadopt, psld, plink, and the time without
 * chunks. */
#include "papers/baselines/unpipelined.h"
#include "papers/published/algorithms.h"
#include "papers/published/blink.h"
#include "papers/published/lp.h"
#include "papers/published/psld_plink.h"
#include "planner/planner.h"
#include "tests/unit/given.h"
#include "tests/unit/planner/networks.h"

#define MBPS 1e6

UNIT_TEST(test_psld_shares_by_bandwidth)
{
    mtree_problem_t problem;
    double bandwidth[4] = {0}, sum = 0;
    OWNED(plan) *plan = GIVEN_PLAN(network_gost(), .algorithm = "psld");

    problem = GIVEN_PROBLEM(.names = NULL);
    /* A's ways: 1 and 1 over its links, and to C over B or D, 1 too. */
    ck_assert_double_eq(mtree_psld_bandwidth(&problem, 0, 1), 1 * MBPS);
    ck_assert_double_eq(mtree_psld_bandwidth(&problem, 0, 2), 1 * MBPS);
    ck_assert_double_eq(mtree_psld_bandwidth(&problem, 1, 3), 2 * MBPS);
    ck_assert_int_eq(plan->num_trees, 4);
    for (int t = 0; t < 4; t++) {
        for (int other = 0; other < 4; other++) {
            bandwidth[t] += mtree_psld_bandwidth(&problem, other, plan->trees[t].root);
        }
        sum += bandwidth[t];
        ck_assert_int_eq(mtree_tree_height(&plan->trees[t], 4), 1);
    }
    for (int t = 0; t < 4; t++) {
        unit_near(plan->trees[t].share, bandwidth[t] / sum);
    }
}

/* Two clusters of three, far apart: each has one leader, and one edge of the tree
 * crosses. */
UNIT_TEST(test_plink_has_two_levels)
{
    int crossing = 0;
    OWNED(plan) *plan = NULL;

    given(network_hosts(6));
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            map_join(topology, i, j, 100 * MBPS, i / 3 == j / 3 ? 0.001 : 0.2);
        }
    }
    given_all_links();
    plan = NETWORK_PLAN(topology, .algorithm = "plink");
    ck_assert_int_eq(plan->num_trees, 1);
    ck_assert_int_le(mtree_tree_height(&plan->trees[0], 6), 2);
    for (int host = 0; host < 6; host++) {
        int parent = plan->trees[0].parent[host];

        crossing += parent >= 0 && parent / 3 != host / 3;
    }
    ck_assert_int_le(crossing, 2);
    ck_assert_int_ge(crossing, 1);
}

/* 1 MB over a tree of these parents, rooted at host 0, takes so many seconds. */
static void check_unpipelined(const int *parent, double seconds)
{
    static const char *const names[] = {"h0", "h1", "h2", "h3"};
    OWNED(plan) *plan =
        mtree_plan_create(MTREE_ALLREDUCE, "by hand", num_hosts, names, 1);

    plan->trees[0].share = 1;
    memcpy(plan->trees[0].parent, parent, (size_t)num_hosts * sizeof(*parent));
    ck_assert_double_eq_tol(mtree_unpipelined_seconds(plan, topology, routes, 1e6),
                            seconds, 1e-6);
}

/* A chain 2 - 1 - 0 at 8 Mb/s and 0.1 s: 1 MB takes a second per hop, one hop after the
 * other. */
UNIT_TEST(test_unpipelined_chain)
{
    given_routes(network_row(NULL, 3, 8 * MBPS, 0.1));
    check_unpipelined((const int[]){-1, 0, 1}, 2.2);
    /* Both straight to the root share the last link: 2 s, and 0.2 s for the farther one.
     */
    check_unpipelined((const int[]){-1, 0, 0}, 2.2);
}

/* Max-min: two messages share a narrow arc at 4 Mb/s each, a third gets the 12 left of
 * the wide one. */
UNIT_TEST(test_unpipelined_shares_are_max_min)
{
    given_routes(map_chain("hhhh", (const double[]){16e6, 8e6, 100e6}, 0));
    /* 1 MB is 8 Mb: host 1's is out after 1 s at 8, with 4 + 4 beside it; the others end
     * at 2 s. */
    check_unpipelined((const int[]){-1, 0, 0, 0}, 2);
}

UNIT_FIXTURE(mtree_published_add, NULL)
UNIT_FIXTURE(NULL, forget)

UNIT_NEEDS(mtree_lp_is_available())

UNIT_TEST(test_blink_packs_figure_2)
{
    OWNED(plan) *plan = GIVEN_PLAN(network_gost(), .algorithm = "blink");

    ck_assert_double_eq_tol(plan->throughput, 2 * MBPS, 1);
    for (int t = 1; t < plan->num_trees; t++) {
        ck_assert_int_eq(plan->trees[t].root, plan->trees[0].root);
    }
}

/* A full mesh of five hosts: the bound is 10 / 4 links' worth, the packing at least 0.7
 * of it. */
UNIT_TEST(test_blink_packing_is_nearly_optimal)
{
    mtree_plan_request_t request = {0};
    mtree_arena_t arena = {0};
    mtree_problem_t problem;
    mtree_candidates_t *candidates;
    mtree_forest_t *forest;
    double packed;

    given_routes(map_shape("random:5:10", 10 * MBPS, 0.1));
    problem = GIVEN_PROBLEM(.request = &request, .arena = &arena);
    unit_ok(mtree_candidates_create(&problem, &candidates));
    forest = mtree_blink_pack(candidates, 2);
    packed = mtree_forest_rate(forest);
    ck_assert_double_ge(packed, 0.7 * 25 * MBPS);
    ck_assert_double_le(packed, 25 * MBPS * (1 + 1e-9));
    /* Two trees of whole links fit, no more. */
    unit_ok(mtree_blink_choose(forest));
    ck_assert_double_le(mtree_forest_rate(forest), 20 * MBPS);
    ck_assert_double_ge(mtree_forest_rate(forest), 10 * MBPS);
    mtree_forest_destroy(forest);
    mtree_arena_cleanup(&arena);
}

UNIT_TEST(test_topoadopt_finds_the_optimum_of_figure_2)
{
    OWNED(plan) *plan =
        GIVEN_PLAN(network_gost(), .algorithm = "topoadopt", .max_trees = 3, .seed = 11);
    OWNED(plan) *again =
        NETWORK_PLAN(topology, .algorithm = "topoadopt", .max_trees = 3, .seed = 11);

    ck_assert_int_le(plan->num_trees, 3);
    ck_assert_double_eq_tol(plan->throughput, 2 * MBPS, 1);
    ck_assert_double_eq(plan->throughput, again->throughput);
}

/* Beside 1 Gb/s a program in units of that would see nothing of 1 b/s. */
UNIT_LOOP(test_links_may_differ_much, 0, 2)
{
    static const char *const algorithms[] = {"blink", "topoadopt"};
    OWNED(plan) *plan = NULL;

    given_routes(map_text("graph { a -- b [capacity=\"1bps\"]; "
                          "b -- c [capacity=\"1Gbps\"] }"));
    plan =
        NETWORK_PLAN(topology, .algorithm = algorithms[_i], .max_trees = 10, .seed = 1);
    ck_assert_double_eq_tol(plan->throughput, 1.0, 1e-6);
}

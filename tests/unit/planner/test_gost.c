/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/algorithms.h"
#include "papers/published/gost.h"
#include "tests/unit/given.h"

#include "papers/published/lp.h"
#include "planner/planner.h"
#include "tests/unit/planner/networks.h"

#define MBPS 1e6

enum { B = 1, D = 3 };

static mtree_arena_t arena; /* of the candidates */
static mtree_candidates_t *candidates;
static mtree_plan_request_t request;
static const char *names[16];

/* The candidates of @a network, which is the test's, for @a gost. */
static void given_candidates(mtree_topology_t *network, mtree_gost_t *gost)
{
    mtree_problem_t problem;

    given_routes(network);
    problem = GIVEN_PROBLEM(.request = &request, .names = names, .arena = &arena);
    for (int i = 0; i < topology->num_vertices; i++) {
        names[i] = topology->vertices[i].name;
    }
    unit_ok(mtree_candidates_create(&problem, &candidates));
    gost->candidates = candidates;
}

/* Nine hosts in a ring of 100, 110, ... Mb/s, each joined to the one @a skip places on by
 * @a most, @a most - 10, ... Mb/s as well. */
static mtree_topology_t *ring_with_chords(int skip, int most)
{
    mtree_topology_t *network = network_hosts(9);

    for (int i = 0; i < 9; i++) {
        map_join(network, i, (i + 1) % 9, (100 + 10 * i) * MBPS, 0.1);
        map_join(network, i, (i + skip) % 9, (most - 10 * i) * MBPS, 0.1);
    }
    return network;
}

static void teardown(void)
{
    mtree_arena_cleanup(&arena);
    forget();
}

/* Is the tree the star around `center`? */
static bool is_star(const mtree_forest_t *forest, int tree, int center)
{
    const int *edges = forest->trees[tree].edges;

    for (int i = 0; i < candidates->num_hosts - 1; i++) {
        if (candidates->from[edges[i]] != center && candidates->to[edges[i]] != center) {
            return false;
        }
    }
    return forest->trees[tree].root == center;
}

/* Fig. 2e: from wherever it starts, H = 1 gives the stars around B and D and the whole
 * capacity. */
UNIT_TEST(test_figure_2)
{
    mtree_gost_t gost = {.max_height = 1, .min_rate = 0.1 * MBPS};

    given_candidates(network_gost(), &gost);
    for (unsigned seed = 0; seed < 20; seed++) {
        mtree_random_t random = {.state = seed};
        mtree_forest_t *forest = mtree_gost_gbst(&gost, &random);

        ck_assert_int_eq(forest->num_trees, 2);
        ck_assert(is_star(forest, 0, B) != is_star(forest, 1, B));
        ck_assert(is_star(forest, 0, D) != is_star(forest, 1, D));
        ck_assert_double_eq_tol(forest->trees[0].rate, 1 * MBPS, 1e-3);
        ck_assert_double_eq_tol(forest->trees[1].rate, 1 * MBPS, 1e-3);
        mtree_forest_destroy(forest);
    }
}

UNIT_TEST(test_ith_lowers_the_height_at_no_loss)
{
    mtree_gost_t gost = {.max_height = 3, .min_rate = 0.1 * MBPS};
    mtree_random_t random = {.state = 7};
    mtree_forest_t *forest;
    int height;

    given_candidates(network_gost(), &gost);
    forest = mtree_gost_ith(&gost, 1, &random, &height);
    ck_assert_int_eq(height, 1);
    ck_assert_double_eq_tol(mtree_forest_rate(forest), 2 * MBPS, 1e-3);
    mtree_forest_destroy(forest);
}

/* The path 0 - 1 - 2 of lengths 3 and 4; 3 joins 1 at length 5, or 2. */
UNIT_TEST(test_heights_of_algorithm_2)
{
    int lengths[16] = {0}, height[] = {7, 4, 7, 0}, joined[4], queue[4], distance[4];
    bool tree[16] = {false}, in_tree[] = {true, true, true, false};

    tree[0 * 4 + 1] = tree[1 * 4 + 0] = true;
    tree[1 * 4 + 2] = tree[2 * 4 + 1] = true;
    lengths[0 * 4 + 1] = lengths[1 * 4 + 0] = 3;
    lengths[1 * 4 + 2] = lengths[2 * 4 + 1] = 4;
    lengths[1 * 4 + 3] = lengths[3 * 4 + 1] = 5;
    lengths[2 * 4 + 3] = lengths[3 * 4 + 2] = 5;
    mtree_gost_heights(4, in_tree, tree, lengths, 1, 3, height, joined, queue, distance);
    ck_assert_int_eq(joined[0], 8);
    ck_assert_int_eq(joined[1], 4); /* as published; 5 in truth */
    ck_assert_int_eq(joined[2], 9);
    ck_assert_int_eq(joined[3], 9);
    mtree_gost_heights(4, in_tree, tree, lengths, 2, 3, height, joined, queue, distance);
    ck_assert_int_eq(joined[0], 12);
    ck_assert_int_eq(joined[1], 9);
    ck_assert_int_eq(joined[2], 7);
    ck_assert_int_eq(joined[3], 12);
    ck_assert_int_eq(height[0], 7);
}

UNIT_FIXTURE(mtree_published_add, NULL)
UNIT_FIXTURE(NULL, teardown)

UNIT_NEEDS(mtree_lp_is_available())

/* r* is the smallest of all b_j > 0, not that of the tree: the second tree gets what is
 * smallest anywhere. */
UNIT_TEST(test_rate_is_globally_smallest)
{
    mtree_gost_t gost = {.max_height = 2, .min_rate = 1 * MBPS};
    mtree_random_t random = {.state = 1};
    mtree_forest_t *forest;

    given_candidates(map_text("graph { edge [latency=\"100ms\"]\n"
                              "h0 -- h1 -- h2 [capacity=\"100Mbps\"]\n"
                              "h0 -- h2 [capacity=\"30Mbps\"] }"),
                     &gost);
    forest = mtree_gost_gbst(&gost, &random);
    /* 0-1-2 at 30 thrice (70, 40, 10 left there, merged), then r* = 10 over one wide edge
     * and 0-2 or both wide ones. */
    ck_assert_int_ge(forest->num_trees, 1);
    ck_assert_int_eq(forest->trees[0].root, 1);
    ck_assert_double_ge(forest->trees[0].rate, 60 * MBPS);
    ck_assert_double_le(mtree_forest_rate(forest), 115 * MBPS);
    /* MILP (1) finds the optimum over the trees there are: at least as much as GBST gave.
     */
    double greedy = mtree_forest_rate(forest);
    unit_ok(mtree_forest_select(forest, 0, 0));
    ck_assert_double_ge(mtree_forest_rate(forest), greedy * (1 - 1e-9));
    mtree_forest_destroy(forest);
}

UNIT_TEST(test_trees_keep_to_the_height)
{
    given(ring_with_chords(4, 150));
    for (int height = 2; height < 6; height++) {
        OWNED(plan) *plan = NULL;

        request =
            (mtree_plan_request_t){.algorithm = "gost", .max_height = height, .seed = 3};
        unit_ok(mtree_planner_run(topology, map_vertices, 9, &request, &plan));
        for (int t = 0; t < plan->num_trees; t++) {
            ck_assert_int_le(mtree_tree_height(&plan->trees[t], 9), height);
        }
        unit_ok(mtree_plan_check(plan, topology, NULL));
    }
    request.max_height = 1;
    mtree_plan_t *none;
    ck_assert_int_eq(mtree_planner_run(topology, map_vertices, 9, &request, &none),
                     MTREE_ERR_NOT_FOUND);
    heard_text("height 1");
}

UNIT_TEST(test_plan_with_limits_and_chunks)
{
    OWNED(plan) *plan = NULL, *again = NULL;

    given_routes(ring_with_chords(2, 200));
    request = (mtree_plan_request_t){.algorithm = "gost",
                                     .max_trees = 2,
                                     .min_rate = 20 * MBPS,
                                     .bytes = 64e6,
                                     .seed = 5};
    unit_ok(mtree_planner_run(topology, map_vertices, 9, &request, &plan));
    ck_assert_int_ge(plan->num_trees, 1);
    ck_assert_int_le(plan->num_trees, 2);
    for (int t = 0; t < plan->num_trees; t++) {
        ck_assert_double_ge(plan->trees[t].rate, 20 * MBPS * (1 - 1e-9));
        ck_assert_uint_gt(plan->trees[t].chunk_bytes, 64 << 10);
        unit_near(plan->trees[t].share, plan->trees[t].rate / plan->throughput);
    }
    unit_ok(mtree_plan_check(plan, topology, routes));
    unit_ok(mtree_planner_run(topology, map_vertices, 9, &request, &again));
    ck_assert_double_eq(plan->throughput, again->throughput);
}

/* Each tree would take 1 b/s of the wide links. */
UNIT_TEST(narrow_links_do_not_keep_it)
{
    OWNED(topology) *topology = map_text(
        "graph { a -- b -- c [capacity=\"1Gbps\"]; a -- c [capacity=\"1bps\"] }");
    OWNED(plan) *plan =
        NETWORK_PLAN(topology, .collective = MTREE_ALLREDUCE, .algorithm = "gost");

    ck_assert_double_gt(plan->throughput, 0.9e9);
}

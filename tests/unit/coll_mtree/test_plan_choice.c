/* SPDX-License-Identifier: BSD-3-Clause */
/* Which plan is taken, and what a changed network makes of plans. */
#include "coll_mtree/plan/plan_choice.h"
#include "tests/unit/given.h"

/* A plan over two hosts, with @a num_trees trees of which the first @a of_first are
 * rooted in host 0. */
static mtree_plan_t *two_hosts(mtree_collective_t collective, const char *algorithm,
                               int num_trees, int of_first)
{
    static const char *const names[] = {"a", "b"};
    mtree_plan_t *plan = mtree_plan_create(collective, algorithm, 2, names, num_trees);

    for (int t = 0; t < num_trees; t++) {
        plan->trees[t].root = t < of_first ? 0 : 1;
        plan->trees[t].parent[t < of_first ? 1 : 0] = plan->trees[t].root;
    }
    return plan;
}

/* Of five trees. */
static const struct {
    mtree_collective_t collective;
    int of_first, per_root;
} counts[] = {{MTREE_ALLREDUCE, 3, 5}, {MTREE_ALLGATHER, 3, 3}, {MTREE_ALLGATHER, 1, 4}};

UNIT_EACH(trees_count_per_root_where_each_block_has_its_own, counts)
{
    OWNED(plan) *plan =
        two_hosts(counts[_i].collective, "packing", 5, counts[_i].of_first);

    ck_assert_int_eq(coll_mtree_plan_choice_trees_per_root(plan), counts[_i].per_root);
}

UNIT_TEST(the_bytes_of_a_plan_grow_with_its_trees)
{
    OWNED(plan) *small = two_hosts(MTREE_ALLREDUCE, "packing", 1, 1);
    OWNED(plan) *large = two_hosts(MTREE_ALLREDUCE, "packing", 1000, 1);

    ck_assert_uint_eq(coll_mtree_plan_choice_bytes(NULL), 0);
    ck_assert_uint_gt(coll_mtree_plan_choice_bytes(small), 0);
    ck_assert_uint_gt(coll_mtree_plan_choice_bytes(large),
                      coll_mtree_plan_choice_bytes(small) + 999 * sizeof(mtree_tree_t));
}

UNIT_TEST(what_trees_have_under_way_between_two_hosts_adds_up)
{
    OWNED(plan) *plan = two_hosts(MTREE_ALLREDUCE, "packing", 2, 1);

    ck_assert_double_eq(coll_mtree_plan_choice_under_way(plan), 0);
    for (int t = 0; t < 2; t++) {
        plan->trees[t].rate = 40e6;
        plan->trees[t].latency[1 - t] = 0.01;
    }
    ck_assert_double_eq_tol(coll_mtree_plan_choice_under_way(plan), 200e3, 1);
}

UNIT_TEST(trees_of_other_calls_do_where_they_are_hardly_slower)
{
    OWNED(plan) *donor = two_hosts(MTREE_BCAST, "packing", 1, 1);
    OWNED(plan) *plan = two_hosts(MTREE_BCAST, "packing", 1, 0);
    /* Of another size: near the bound, 80 and 0.8 seconds. */
    static const struct {
        double bytes, seconds;
        bool is_good;
    } cases[] = {{1e6, 14, true},  {1e6, 16, false}, {1e7, 85, true},
                 {1e7, 95, false}, {1e5, 2, false},  {1e5, 0, false}};

    donor->bytes = 1e6;
    donor->seconds = 10;
    donor->bound = 1e6;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        plan->bytes = cases[i].bytes;
        plan->seconds = cases[i].seconds;
        ck_assert_msg(coll_mtree_plan_choice_is_good_enough(plan, donor) ==
                          cases[i].is_good,
                      "row %zu", i);
    }
}

UNIT_TEST(trees_in_lockstep_or_of_an_order_keep_their_shares)
{
    OWNED(plan) *plan = two_hosts(MTREE_BCAST, "packing", 1, 1);

    ck_assert(coll_mtree_plan_choice_can_rebalance(plan));
    plan->trees[0].step[1] = 1;
    ck_assert(!coll_mtree_plan_choice_can_rebalance(plan));
    mtree_plan_destroy(plan);
    plan = two_hosts(MTREE_BCAST, MTREE_PLAN_ARRIVAL, 1, 1);
    ck_assert(!coll_mtree_plan_choice_can_rebalance(plan));
}

/* New trees need a clear gain; other shares are worth a small one, and do where they come
 * close to new trees. */
static const struct {
    double now, shares, trees; /* seconds; negative: there is no such plan */
    int change;
    double gain; /* negative: any */
} changes[] = {
    {1.16, -1, 1, COLL_MTREE_REPLAN, 1.16},
    {1.14, -1, 1, COLL_MTREE_STAY, 0},
    {1.14, 1.12, 1, COLL_MTREE_STAY, 1.14 / 1.12},
    {2, 1.04, 1, COLL_MTREE_REBALANCE, 2 / 1.04},
    {2, 1.06, 1, COLL_MTREE_REPLAN, 2},
    {1.06, 1, -1, COLL_MTREE_REBALANCE, -1},
    {1.04, 1, -1, COLL_MTREE_STAY, 1.04},
    {1, -1, -1, COLL_MTREE_STAY, 0},
};

UNIT_EACH(plans_change_for_a_gain, changes)
{
    double gain;
    int change = coll_mtree_plan_choice_change(changes[_i].now, changes[_i].shares,
                                               changes[_i].trees, &gain);

    ck_assert_msg(change == changes[_i].change &&
                      (changes[_i].gain < 0 || fabs(gain - changes[_i].gain) < 1e-9),
                  "change %d, gain %g", change, gain);
}

UNIT_TEST(a_slower_link_takes_transfer_time_and_not_latency)
{
    mtree_plan_request_t request = {.collective = MTREE_ALLREDUCE,
                                    .algorithm = "packing",
                                    .max_trees = 4,
                                    .bytes = 1e7};
    OWNED(plan) *plan = NULL;
    double before, transfer;

    given_routes(map_file(FIXTURES "/../lab/star.dot"));
    unit_ok(mtree_planner_run(topology, hosts, num_hosts, &request, &plan));
    plan->seconds += 0.25;
    transfer = 8 * plan->bytes / plan->throughput;
    before = coll_mtree_plan_choice_seconds(plan, topology, routes);
    for (int link = 0; link < topology->num_links; link++) {
        map_scale(topology, link, 0.5);
    }
    ck_assert_double_eq_tol(coll_mtree_plan_choice_seconds(plan, topology, routes),
                            2 * before - (plan->seconds - transfer), 1e-6 * before);
    forget();
}

/* Of two communicators one may not change its plans twice. */
UNIT_TEST(plans_of_before_a_link_was_gone_are_given_up)
{
    const coll_mtree_versions_t now = {.plan = 2, .newest = 2, .gone = 3},
                                later = {.plan = 2, .newest = 3, .gone = 3},
                                after = {.plan = 3, .newest = 4, .gone = 3};
    const struct {
        mtree_drift_change_t found;
        coll_mtree_versions_t versions;
        bool replans;
        mtree_drift_change_t drift;
    } cases[] = {
        {MTREE_DRIFT_GONE, now, true, MTREE_DRIFT_GONE},
        /* It was found in calls of one that did not change its plans. */
        {MTREE_DRIFT_NOTHING, now, true, MTREE_DRIFT_GONE},
        {MTREE_DRIFT_NOTHING, later, false, MTREE_DRIFT_GONE},
        /* It takes the plans of the newest version. */
        {MTREE_DRIFT_NOTHING, later, true, MTREE_DRIFT_NOTHING},
        {MTREE_DRIFT_NOTHING, after, false, MTREE_DRIFT_LARGE},
        {MTREE_DRIFT_SMALL, after, true, MTREE_DRIFT_SMALL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        mtree_drift_change_t drift = coll_mtree_plan_choice_drift(
            cases[i].found, cases[i].versions, cases[i].replans);

        ck_assert_msg(drift == cases[i].drift, "row %zu: %d", i, drift);
    }
}

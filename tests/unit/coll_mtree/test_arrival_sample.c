/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When ranks came to a call: what one rank contributes, and what rank 0 makes of it.
 */
#include "coll_mtree/adapt/arrival_sample.h"

#include <check.h>
#include <stdlib.h>

static const int children[] = {2, 3};
static mtree_stream_t stream = {.parent = 0, .num_children = 2, .children = children};
static mtree_goodput_link_t links[] = {
    {.rank = 0, .first_contact = 11.5}, {.rank = 2, .first_contact = 12}, {.rank = 3}};
static mtree_goodput_t goodput = {.entered = 10, .num_links = 3, .links = links};

static coll_mtree_observation_t observe(int rank, int num_ranks)
{
    return (coll_mtree_observation_t){.rank = rank, .num_ranks = num_ranks};
}

/* The seconds beside @a rank in @a sample; -1: it is not named. */
static double named(const mtree_arrival_time_t *sample, int rank)
{
    for (int i = 0; i < MTREE_ARRIVAL_CONTACTS; i++) {
        if (sample->contacts[i].rank == rank) {
            return (double)sample->contacts[i].seconds;
        }
    }
    return -1;
}

START_TEST(a_call_that_was_not_measured_gives_nothing)
{
    coll_mtree_observation_t observation = observe(1, 4);
    mtree_arrival_time_t sample;

    coll_mtree_arrival_sample_take(&observation, &sample);
    ck_assert_int_lt(sample.parent, 0);
    observation.goodput = &goodput;
    coll_mtree_arrival_sample_take(&observation, &sample);
    ck_assert_int_lt(sample.parent, 0);
}
END_TEST

START_TEST(in_a_tree_a_rank_names_the_neighbors_that_it_met)
{
    coll_mtree_observation_t observation = observe(1, 4);
    mtree_arrival_time_t sample;

    observation.goodput = &goodput;
    observation.first_stream = &stream;
    coll_mtree_arrival_sample_take(&observation, &sample);
    ck_assert_int_eq(sample.parent, 0);
    ck_assert_float_eq(sample.parent_contact, 1.5F);
    ck_assert_double_eq(named(&sample, 2), 2);
    ck_assert_double_eq(named(&sample, 3), -1);
}
END_TEST

START_TEST(a_rank_that_did_not_meet_its_parent_says_so)
{
    mtree_goodput_link_t none[] = {
        {.rank = 0}, {.rank = 2, .first_contact = 12}, {.rank = 3}};
    mtree_goodput_t alone = {.entered = 10, .num_links = 3, .links = none};
    coll_mtree_observation_t observation = observe(1, 4);
    mtree_arrival_time_t sample;

    observation.goodput = &alone;
    observation.first_stream = &stream;
    coll_mtree_arrival_sample_take(&observation, &sample);
    ck_assert_int_lt(sample.parent, 0);
    ck_assert_double_eq(named(&sample, 2), 2);
}
END_TEST

START_TEST(the_root_of_a_tree_points_to_itself)
{
    mtree_stream_t root = {.parent = -1, .num_children = 2, .children = children};
    coll_mtree_observation_t observation = observe(0, 4);
    mtree_arrival_time_t sample;

    observation.goodput = &goodput;
    observation.first_stream = &root;
    coll_mtree_arrival_sample_take(&observation, &sample);
    ck_assert_int_eq(sample.parent, 0);
    ck_assert_double_eq(named(&sample, 2), 2);
}
END_TEST

START_TEST(a_coordinator_names_all_and_those_that_it_did_not_hear_of_come_now)
{
    static const double times[] = {0.5, 0, -1};
    coll_mtree_observation_t observation = observe(1, 3);
    mtree_arrival_time_t sample;

    observation.arrival_times = times;
    observation.seconds = 4;
    coll_mtree_arrival_sample_take(&observation, &sample);
    ck_assert_int_eq(sample.parent, 1);
    ck_assert_double_eq(named(&sample, 0), 0.5);
    ck_assert_double_eq(named(&sample, 2), 4);
}
END_TEST

START_TEST(others_of_an_arrival_ordered_call_point_to_the_coordinator)
{
    static const double times[] = {-1, 0, -1};
    coll_mtree_observation_t observation = observe(2, 3);
    mtree_arrival_time_t sample;

    observation.arrival_times = times;
    coll_mtree_arrival_sample_take(&observation, &sample);
    ck_assert_int_eq(sample.parent, 1);
    ck_assert_float_eq(sample.parent_contact, 0);
    ck_assert_double_eq(named(&sample, 1), -1);
}
END_TEST

static mtree_plan_t *two_hosts(mtree_collective_t collective, const char *algorithm,
                               double latency)
{
    static const char *const hosts[] = {"a", "b"};
    mtree_plan_t *plan;

    ck_assert_int_eq(mtree_plan_create(collective, algorithm, 2, hosts, 1, &plan),
                     MTREE_OK);
    plan->trees[0].parent[1] = 0;
    plan->trees[0].latency[1] = latency;
    return plan;
}

/* Host 1's arrival, of three ranks: 0 on host 0, 1 and 2 on host 1. */
static double solve(mtree_plan_t *plan)
{
    static const int host[] = {0, 1, 1};
    mtree_arrival_time_t samples[3];
    double arrivals[2] = {0, 0};

    mtree_arrival_time_init(&samples[0], 0, 0, 0);
    mtree_arrival_time_add(&samples[0], 1, 3);
    mtree_arrival_time_init(&samples[1], 1, 0, 1);
    mtree_arrival_time_add(&samples[1], 2, 2);
    mtree_arrival_time_init(&samples[2], 2, 1, 1);
    ck_assert(coll_mtree_arrival_sample_solve(plan, host, 3, samples, arrivals));
    ck_assert_double_eq(arrivals[0], 0);
    mtree_plan_destroy(plan);
    return arrivals[1];
}

START_TEST(a_host_comes_with_its_last_rank_and_latency_is_no_lateness)
{
    /* Rank 1 came at 3 - 1, rank 2 a second later. */
    ck_assert_double_eq(solve(two_hosts(MTREE_BCAST, "packing", 0)), 3);
    ck_assert_double_eq(solve(two_hosts(MTREE_BCAST, "packing", 0.5)), 2.5);
    ck_assert_double_eq(solve(two_hosts(MTREE_REDUCE, "packing", 0.5)), 3.5);
    ck_assert_double_eq(solve(two_hosts(MTREE_BCAST, MTREE_PLAN_ARRIVAL, 0.5)), 3);
}
END_TEST

START_TEST(ranks_that_nothing_connects_are_not_solved)
{
    static const int host[] = {0, 1};
    mtree_plan_t *plan = two_hosts(MTREE_BCAST, "packing", 0);
    mtree_arrival_time_t samples[2];
    double arrivals[2] = {0, 0};

    mtree_arrival_time_init(&samples[0], 0, 0, 0);
    mtree_arrival_time_init(&samples[1], 1, -1, 0);
    ck_assert(!coll_mtree_arrival_sample_solve(plan, host, 2, samples, arrivals));
    ck_assert_double_eq(arrivals[1], 0);
    mtree_arrival_time_init(&samples[1], 1, 9, 0);
    ck_assert(!coll_mtree_arrival_sample_solve(plan, host, 2, samples, arrivals));
    mtree_plan_destroy(plan);
}
END_TEST

START_TEST(the_spread_leaves_out_what_waits_for_the_root)
{
    static const double arrivals[] = {0, 3, 5};

    ck_assert_double_eq(coll_mtree_arrival_sample_spread(arrivals, 3, -1), 5);
    ck_assert_double_eq(coll_mtree_arrival_sample_spread(arrivals, 3, 1), 2);
    ck_assert_double_eq(coll_mtree_arrival_sample_spread(arrivals, 3, 2), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("arrival_sample");
    TCase *tcase = tcase_create("arrival_sample");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, a_call_that_was_not_measured_gives_nothing);
    tcase_add_test(tcase, in_a_tree_a_rank_names_the_neighbors_that_it_met);
    tcase_add_test(tcase, a_rank_that_did_not_meet_its_parent_says_so);
    tcase_add_test(tcase, the_root_of_a_tree_points_to_itself);
    tcase_add_test(tcase,
                   a_coordinator_names_all_and_those_that_it_did_not_hear_of_come_now);
    tcase_add_test(tcase, others_of_an_arrival_ordered_call_point_to_the_coordinator);
    tcase_add_test(tcase, a_host_comes_with_its_last_rank_and_latency_is_no_lateness);
    tcase_add_test(tcase, ranks_that_nothing_connects_are_not_solved);
    tcase_add_test(tcase, the_spread_leaves_out_what_waits_for_the_root);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

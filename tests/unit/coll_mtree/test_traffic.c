/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the calls of one process sent to other hosts.
 */
#include "coll_mtree/adapt/traffic.h"

#include <check.h>
#include <stdlib.h>

static const int host[] = {0, 1, 1, 0};
static mtree_goodput_link_t links[] = {
    {.rank = 1, .bytes = 100, .backlogged_bytes = 40, .backlogged_seconds = 0.5},
    {.rank = 2, .bytes = 10},
    {.rank = 3, .bytes = 7}};
static mtree_goodput_t goodput = {.begin = 5, .end = 7, .num_links = 3, .links = links};

START_TEST(calls_add_up_by_host_and_leave_out_their_own)
{
    coll_mtree_traffic_t *traffic = coll_mtree_traffic_create(2);
    coll_mtree_observation_t observation = {
        .rank = 0, .num_ranks = 4, .goodput = &goodput, .goodput_scale = 0.5};

    ck_assert_ptr_nonnull(traffic);
    coll_mtree_traffic_add_call(traffic, &observation, host);
    coll_mtree_traffic_add_call(traffic, &observation, host);
    ck_assert_double_eq(traffic->sum.seconds, 4);
    ck_assert_double_eq(traffic->paths[0].bytes, 0);
    ck_assert_double_eq(traffic->paths[1].bytes, 110);
    ck_assert_double_eq(traffic->paths[1].backlogged_bytes, 40);
    ck_assert_double_eq(traffic->paths[1].backlogged_seconds, 1);
    free(traffic);
}
END_TEST

START_TEST(a_call_that_was_not_measured_adds_nothing)
{
    coll_mtree_traffic_t *traffic = coll_mtree_traffic_create(2);
    coll_mtree_observation_t observation = {.rank = 0, .num_ranks = 4};

    ck_assert_ptr_nonnull(traffic);
    coll_mtree_traffic_add_call(traffic, &observation, host);
    ck_assert_double_eq(traffic->sum.seconds, 0);
    ck_assert_double_eq(traffic->paths[1].bytes, 0);
    free(traffic);
}
END_TEST

START_TEST(what_is_taken_away_leaves_nothing)
{
    coll_mtree_traffic_t *traffic = coll_mtree_traffic_create(2);
    coll_mtree_traffic_t *other = coll_mtree_traffic_create(2);

    ck_assert(traffic != NULL && other != NULL);
    other->sum = (mtree_bandwidth_monitor_sum_t){.seconds = 3, .unattended = 1};
    other->paths[1] = (mtree_bandwidth_monitor_path_t){8, 4, 2};
    coll_mtree_traffic_add(traffic, other, 2, 1);
    ck_assert_double_eq(traffic->sum.seconds, 3);
    ck_assert_double_eq(traffic->sum.unattended, 1);
    ck_assert_double_eq(traffic->paths[1].backlogged_bytes, 4);
    coll_mtree_traffic_add(traffic, other, 2, -1);
    ck_assert_double_eq(traffic->sum.unattended, 0);
    ck_assert_double_eq(traffic->paths[1].bytes, 0);
    ck_assert_double_eq(traffic->paths[1].backlogged_seconds, 0);
    free(other);
    free(traffic);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traffic");
    TCase *tcase = tcase_create("traffic");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, calls_add_up_by_host_and_leave_out_their_own);
    tcase_add_test(tcase, a_call_that_was_not_measured_adds_nothing);
    tcase_add_test(tcase, what_is_taken_away_leaves_nothing);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

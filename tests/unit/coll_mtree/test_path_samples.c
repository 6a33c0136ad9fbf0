/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank reports of the paths to other hosts.
 */
#include "coll_mtree/adapt/path_samples.h"

#include <check.h>
#include <stdlib.h>

#define MOST_HOSTS 40

static mtree_placement_t *placement;
static coll_mtree_traffic_t *traffic;
static mtree_path_sample_t samples[COLL_MTREE_MOST_PATHS];

/* Rank r runs on host r. */
static void place(int num_hosts)
{
    int host[MOST_HOSTS];

    for (int h = 0; h < num_hosts; h++) {
        host[h] = h;
    }
    traffic = coll_mtree_traffic_create((size_t)num_hosts);
    ck_assert_ptr_nonnull(traffic);
    ck_assert_int_eq(mtree_placement_create(num_hosts, num_hosts, host, NULL, &placement),
                     MTREE_OK);
}

START_TEST(rates_are_bits_per_second)
{
    place(3);
    traffic->paths[2] = (mtree_bandwidth_monitor_path_t){
        .bytes = 3000, .backlogged_bytes = 1000, .backlogged_seconds = 0.5};
    traffic->sum.seconds = 2;
    coll_mtree_path_samples_pack(placement, 1, traffic, samples);
    ck_assert_int_eq(samples[0].from, 1);
    ck_assert_int_eq(samples[0].to, 2);
    ck_assert_float_eq(samples[0].rate, 12000);
    ck_assert_float_eq(samples[0].backlogged, 0.25F);
    ck_assert_float_eq(samples[0].backlogged_rate, 16000);
    ck_assert_float_eq(samples[1].rate, 0);
    ck_assert_float_eq(samples[1].backlogged_rate, 0);
    free(traffic);
    mtree_placement_destroy(placement);
}
END_TEST

START_TEST(the_most_backlogged_paths_are_reported)
{
    place(MOST_HOSTS);
    for (int h = 1; h < MOST_HOSTS; h++) {
        traffic->paths[h].bytes = 100;
        traffic->paths[h].backlogged_seconds = h % 2 == 0 ? 0 : 0.01 * h;
    }
    traffic->sum.seconds = 1;
    coll_mtree_path_samples_pack(placement, 0, traffic, samples);
    for (int i = 0; i < COLL_MTREE_MOST_PATHS; i++) {
        ck_assert_int_eq(samples[i].to, MOST_HOSTS - 1 - 2 * i);
    }
    free(traffic);
    mtree_placement_destroy(placement);
}
END_TEST

START_TEST(nothing_is_reported_of_no_time)
{
    place(2);
    traffic->paths[1].bytes = 100;
    samples[0].rate = 7;
    coll_mtree_path_samples_pack(placement, 0, traffic, samples);
    for (int i = 0; i < COLL_MTREE_MOST_PATHS; i++) {
        ck_assert_float_eq(samples[i].rate, 0);
    }
    free(traffic);
    mtree_placement_destroy(placement);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("path_samples");
    TCase *tcase = tcase_create("path_samples");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, rates_are_bits_per_second);
    tcase_add_test(tcase, the_most_backlogged_paths_are_reported);
    tcase_add_test(tcase, nothing_is_reported_of_no_time);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a rank reports of the paths to other hosts.
 */
#include "coll_mtree/adapt/path_samples.h"

#include <check.h>
#include <stdlib.h>

#define MOST_HOSTS 40

static mtree_placement_t *placement;
static mtree_bandwidth_monitor_path_t paths[MOST_HOSTS];
static mtree_path_sample_t samples[COLL_MTREE_MOST_PATHS];

/* Rank r runs on host r. */
static void place(int num_hosts)
{
    int host[MOST_HOSTS];

    for (int h = 0; h < num_hosts; h++) {
        host[h] = h;
        paths[h] = (mtree_bandwidth_monitor_path_t){0, 0, 0};
    }
    ck_assert_int_eq(mtree_placement_create(num_hosts, num_hosts, host, NULL, &placement),
                     MTREE_OK);
}

START_TEST(rates_are_bits_per_second)
{
    place(3);
    paths[2] = (mtree_bandwidth_monitor_path_t){
        .bytes = 3000, .backlogged_bytes = 1000, .backlogged_seconds = 0.5};
    coll_mtree_path_samples_pack(placement, 1, paths, 2, samples);
    ck_assert_int_eq(samples[0].from, 1);
    ck_assert_int_eq(samples[0].to, 2);
    ck_assert_float_eq(samples[0].rate, 12000);
    ck_assert_float_eq(samples[0].backlogged, 0.25F);
    ck_assert_float_eq(samples[0].backlogged_rate, 16000);
    ck_assert_float_eq(samples[1].rate, 0);
    ck_assert_float_eq(samples[1].backlogged_rate, 0);
    mtree_placement_destroy(placement);
}
END_TEST

START_TEST(the_most_backlogged_paths_are_reported)
{
    place(MOST_HOSTS);
    for (int h = 1; h < MOST_HOSTS; h++) {
        paths[h].bytes = 100;
        paths[h].backlogged_seconds = h % 2 == 0 ? 0 : 0.01 * h;
    }
    coll_mtree_path_samples_pack(placement, 0, paths, 1, samples);
    for (int i = 0; i < COLL_MTREE_MOST_PATHS; i++) {
        ck_assert_int_eq(samples[i].to, MOST_HOSTS - 1 - 2 * i);
    }
    mtree_placement_destroy(placement);
}
END_TEST

START_TEST(nothing_is_reported_of_no_time)
{
    place(2);
    paths[1].bytes = 100;
    samples[0].rate = 7;
    coll_mtree_path_samples_pack(placement, 0, paths, 0, samples);
    for (int i = 0; i < COLL_MTREE_MOST_PATHS; i++) {
        ck_assert_float_eq(samples[i].rate, 0);
    }
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

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a gauge says of ways that several operations share, and of time in which nobody
 * looked after them.
 */
#include "schedule/bandwidth_monitor.h"
#include "tests/unit/runner.h"

#define PATHS 2
#define TURN  0.01 /* seconds between two turns of progress */
#define NEAR  1e-9

static mtree_bandwidth_monitor_t *monitor;
static mtree_bandwidth_monitor_sum_t sum;
static mtree_path_total_t paths[PATHS];

static void setup(void)
{
    unit_ok(mtree_bandwidth_monitor_create(PATHS, &monitor));
}

static void teardown(void)
{
    mtree_bandwidth_monitor_destroy(monitor);
}

/* Turns of progress from @a from to @a to. */
static void attend(double from, double to)
{
    for (int turn = 0; from + turn * TURN < to; turn++) {
        mtree_bandwidth_monitor_attend(monitor, true, from + turn * TURN);
    }
    mtree_bandwidth_monitor_attend(monitor, true, to);
}

UNIT_TEST(what_two_operations_send_at_once_adds_up)
{
    mtree_bandwidth_monitor_begin(monitor, 1.0);
    mtree_bandwidth_monitor_begin(monitor, 1.0);
    mtree_bandwidth_monitor_backlog(monitor, 1, true, 1.0);
    mtree_bandwidth_monitor_backlog(monitor, 1, true, 1.0);
    attend(1.0, 2.0);
    mtree_bandwidth_monitor_sent(monitor, 1, 300, 2.0);
    mtree_bandwidth_monitor_sent(monitor, 1, 400, 2.0);
    mtree_bandwidth_monitor_backlog(monitor, 1, false, 2.0);
    attend(2.0, 2.5);
    mtree_bandwidth_monitor_sent(monitor, 1, 100, 2.5);
    mtree_bandwidth_monitor_backlog(monitor, 1, false, 2.5);
    mtree_bandwidth_monitor_sent(monitor, 1, 50, 2.5);
    mtree_bandwidth_monitor_end(monitor, 2.5);
    ck_assert(mtree_bandwidth_monitor_is_busy(monitor));
    mtree_bandwidth_monitor_end(monitor, 2.5);
    ck_assert(!mtree_bandwidth_monitor_is_busy(monitor));
    mtree_bandwidth_monitor_take(monitor, 9.0, &sum, paths);
    ck_assert_double_eq_tol(sum.seconds, 1.5, NEAR);
    ck_assert_double_eq_tol(sum.unattended, 0, NEAR);
    ck_assert_double_eq(paths[1].bytes, 850);
    ck_assert_double_eq(paths[1].backlogged_bytes, 800);
    ck_assert_double_eq_tol(paths[1].backlogged_seconds, 1.5, NEAR);
    ck_assert_double_eq(paths[0].bytes, 0);
}

UNIT_TEST(time_in_which_nobody_looked_presses_nothing)
{
    mtree_bandwidth_monitor_begin(monitor, 1.0);
    mtree_bandwidth_monitor_backlog(monitor, 0, true, 1.0);
    attend(1.0, 2.0);
    mtree_bandwidth_monitor_sent(monitor, 0, 100, 2.0);
    /* The program computes; the first turn finds what the system has sent meanwhile. */
    mtree_bandwidth_monitor_sent(monitor, 0, 900, 4.0);
    attend(4.0, 5.0);
    mtree_bandwidth_monitor_sent(monitor, 0, 100, 5.0);
    mtree_bandwidth_monitor_backlog(monitor, 0, false, 5.0);
    mtree_bandwidth_monitor_end(monitor, 5.0);
    mtree_bandwidth_monitor_take(monitor, 5.0, &sum, paths);
    ck_assert_double_eq_tol(sum.seconds, 4.0, NEAR);
    ck_assert_double_eq_tol(sum.unattended, 2.0, NEAR);
    ck_assert_double_eq(paths[0].bytes, 1100);
    ck_assert_double_eq(paths[0].backlogged_bytes, 200);
    /* Buffers fill again for a moment. */
    ck_assert_double_lt(paths[0].backlogged_seconds, 2.0);
    ck_assert_double_gt(paths[0].backlogged_seconds, 1.9);
}

UNIT_TEST(time_between_operations_is_nobodys)
{
    mtree_bandwidth_monitor_begin(monitor, 1.0);
    attend(1.0, 2.0);
    mtree_bandwidth_monitor_end(monitor, 2.0);
    mtree_bandwidth_monitor_begin(monitor, 7.0);
    attend(7.0, 8.0);
    mtree_bandwidth_monitor_end(monitor, 8.0);
    mtree_bandwidth_monitor_take(monitor, 8.0, &sum, paths);
    ck_assert_double_eq_tol(sum.seconds, 2.0, NEAR);
    ck_assert_double_eq_tol(sum.unattended, 0, NEAR);
}

UNIT_TEST(a_path_that_others_share_tells_nothing)
{
    mtree_bandwidth_monitor_begin(monitor, 1.0);
    mtree_bandwidth_monitor_backlog(monitor, 0, true, 1.0);
    for (int turn = 1; turn <= 100; turn++) {
        mtree_bandwidth_monitor_attend(monitor, false, 1.0 + turn * TURN);
    }
    mtree_bandwidth_monitor_sent(monitor, 0, 100, 2.0);
    mtree_bandwidth_monitor_backlog(monitor, 0, false, 2.0);
    mtree_bandwidth_monitor_end(monitor, 2.0);
    mtree_bandwidth_monitor_take(monitor, 2.0, &sum, paths);
    ck_assert_double_eq_tol(sum.unattended, 1.0, NEAR);
    ck_assert_double_eq(paths[0].bytes, 100);
    ck_assert_double_eq(paths[0].backlogged_bytes, 0);
    ck_assert_double_eq_tol(paths[0].backlogged_seconds, 0, NEAR);
}

UNIT_TEST(what_was_taken_counts_once_unless_it_is_put_back)
{
    const mtree_bandwidth_monitor_sum_t first = {.seconds = 1, .unattended = 0.5};
    const mtree_path_total_t before[2] = {
        [1] = {.bytes = 8, .backlogged_bytes = 4, .backlogged_seconds = 2}};

    mtree_bandwidth_monitor_begin(monitor, 1.0);
    mtree_bandwidth_monitor_sent(monitor, 1, 100, 1.01);
    mtree_bandwidth_monitor_take(monitor, 1.02, &sum, paths);
    mtree_bandwidth_monitor_take(monitor, 1.03, &sum, paths);
    ck_assert_double_eq_tol(sum.seconds, 0.01, NEAR);
    ck_assert_double_eq(paths[1].bytes, 0);
    mtree_bandwidth_monitor_put_back(monitor, &first, before);
    mtree_bandwidth_monitor_take(monitor, 1.04, &sum, paths);
    ck_assert_double_eq_tol(sum.seconds, 1.01, NEAR);
    ck_assert_double_eq_tol(sum.unattended, 0.5, NEAR);
    ck_assert_double_eq(paths[1].bytes, 8);
    ck_assert_double_eq(paths[1].backlogged_bytes, 4);
    ck_assert_double_eq_tol(paths[1].backlogged_seconds, 2, NEAR);
}

UNIT_FIXTURE(setup, teardown)

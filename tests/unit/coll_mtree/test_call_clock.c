/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the time of calls goes; no moment counts twice.
 */
#include "coll_mtree/base/call_clock.h"
#include "tests/unit/runner.h"

static coll_mtree_call_clock_t call_clock;

static void begin(void)
{
    call_clock = (coll_mtree_call_clock_t)COLL_MTREE_CALL_CLOCK_INIT;
}

static coll_mtree_call_reading_t move(coll_mtree_call_state_t from,
                                      coll_mtree_call_state_t to, double now)
{
    return coll_mtree_call_clock_move(&call_clock, from, to, now);
}

static coll_mtree_call_reading_t starts(double now)
{
    return move(COLL_MTREE_CALL_OUTSIDE, COLL_MTREE_CALL_RUNS, now);
}

static coll_mtree_call_reading_t ends(double now)
{
    return move(COLL_MTREE_CALL_RUNS, COLL_MTREE_CALL_OUTSIDE, now);
}

static void expect(double running, double openmpi, double planning, double connecting)
{
    coll_mtree_clock_times_t times = coll_mtree_call_clock_times(&call_clock, 1000);

    ck_assert_double_eq(times.running, running);
    ck_assert_double_eq(times.openmpi, openmpi);
    ck_assert_double_eq(times.planning, planning);
    ck_assert_double_eq(times.connecting, connecting);
}

UNIT_TEST(one_call_after_the_other)
{
    starts(100);
    ends(102);
    starts(110);
    ends(113);
    expect(5, 0, 0, 0);
}

UNIT_TEST(overlapping_calls_count_once_and_share_the_time)
{
    coll_mtree_call_reading_t a, b, c, end;

    a = starts(100); /* 100 to 106 */
    b = starts(102); /* 102 to 103, within a */
    end = ends(103);
    ck_assert_double_eq(end.seconds - b.seconds, 1);
    ck_assert_double_eq(end.share - b.share, 0.5);
    c = starts(104); /* 104 to 110, over the end of a */
    end = ends(106);
    ck_assert_double_eq(end.seconds - a.seconds, 6);
    ck_assert_double_eq(end.share - a.share, 2 + 0.5 + 1 + 1);
    end = ends(110);
    ck_assert_double_eq(end.seconds - c.seconds, 6);
    ck_assert_double_eq(end.share - c.share, 1 + 4);
    /* The shares are the time together. */
    expect(10, 0, 0, 0);
}

UNIT_TEST(what_runs_counts_before_what_waits)
{
    move(COLL_MTREE_CALL_OUTSIDE, COLL_MTREE_CALL_PLANNED, 100);
    starts(101);
    move(COLL_MTREE_CALL_PLANNED, COLL_MTREE_CALL_OPENMPI, 102);
    ends(104);
    move(COLL_MTREE_CALL_OPENMPI, COLL_MTREE_CALL_OUTSIDE, 107);
    expect(3, 3, 1, 0);
}

UNIT_TEST(connections_count_apart_while_calls_run)
{
    coll_mtree_call_reading_t call, end;

    coll_mtree_call_clock_connect(&call_clock, 1, 100);
    call = starts(101);
    coll_mtree_call_clock_connect(&call_clock, 1, 102);
    coll_mtree_call_clock_connect(&call_clock, -1, 103);
    coll_mtree_call_clock_connect(&call_clock, -1, 104);
    end = ends(110);
    ck_assert_double_eq(end.seconds - call.seconds, 6);
    expect(6, 0, 0, 3);
}

UNIT_TEST(a_thread_that_comes_late_with_its_time_takes_none_away)
{
    starts(100);
    starts(103);
    ends(102);
    ends(105);
    expect(5, 0, 0, 0);
}

UNIT_FIXTURE(begin, NULL)

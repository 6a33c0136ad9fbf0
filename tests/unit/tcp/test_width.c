/* SPDX-License-Identifier: BSD-3-Clause */
/* How many connections fill a link, by what the kernel says of those that there are. */
#include "tcp/width.h"
#include "tests/unit/runner.h"

#include <math.h>

enum { MOST = 8 };

/* A link of 100 Mb/s and 20 ms holds 250 KB. */
static const double rate = 100e6, trip = 0.02, linkful = 250e3;

static int width(double window, double queue)
{
    mtree_tcp_report_t report = {window, trip + queue, trip, 0};

    return mtree_tcp_width(mtree_tcp_width_part(&report, rate), MOST);
}

UNIT_TEST(who_has_met_no_limit_is_helped_by_one_more)
{
    ck_assert_int_eq(width(INFINITY, 0), 2);
    ck_assert_int_eq(width(2 * linkful, 0), 2);
}

UNIT_TEST(small_windows_take_more_connections)
{
    ck_assert_int_eq(width(linkful * 0.9, 0), 2);
    ck_assert_int_eq(width(linkful * 0.7, 0), 3);
    ck_assert_int_eq(width(linkful / 2, 0), 4);
    ck_assert_int_eq(width(linkful * 0.3, 0), 6);
    ck_assert_int_eq(width(linkful / 100, 0), MOST);
}

/* The link carries less than was planned: no number of connections changes that. */
UNIT_TEST(a_queue_takes_no_more_connections)
{
    ck_assert_int_eq(width(linkful / 4, 0.03), 2);
    /* What a busy host adds is no queue. */
    ck_assert_int_eq(width(linkful / 2, 0.003), 4);
}

/* What waits before a link shows that it is full; where none does, losses keep windows
 * from filling it. */
UNIT_TEST(a_queue_shows_that_a_link_is_full)
{
    mtree_tcp_report_t report = {linkful / 4, trip + 0.03, trip, 0};

    ck_assert(mtree_tcp_packets_wait(&report));
    report.trip = trip + 0.003;
    ck_assert(!mtree_tcp_packets_wait(&report));
}

/* The first packets of a short link may be much faster than those that follow. */
UNIT_TEST(windows_are_cut_by_what_trips_take_now)
{
    mtree_tcp_report_t report = {6 * 1448, 0.0015, 0.00003, 0};

    ck_assert(mtree_tcp_width_is_cut(mtree_tcp_width_part(&report, rate)));
    report.window = 2 * linkful;
    ck_assert(!mtree_tcp_width_is_cut(mtree_tcp_width_part(&report, rate)));
}

/* Losses do not make its window small; a low estimate of the link does. */
UNIT_TEST(bbr_takes_no_more_connections)
{
    mtree_tcp_report_t report = {linkful / 4, trip, trip, rate / 4};

    ck_assert_int_eq(mtree_tcp_width(mtree_tcp_width_part(&report, rate), MOST), 2);
}

UNIT_TEST(windows_are_cut_where_it_takes_more_than_two)
{
    ck_assert(!mtree_tcp_width_is_cut(1));
    ck_assert(!mtree_tcp_width_is_cut(0.9));
    ck_assert(mtree_tcp_width_is_cut(0.7));
    ck_assert(mtree_tcp_width_is_cut(0.01));
}

UNIT_TEST(bbr_has_fallen_where_it_sends_less_than_it_is_to)
{
    mtree_tcp_report_t report = {INFINITY, trip, trip, rate / 4};

    ck_assert(mtree_tcp_pace_has_fallen(&report, rate));
    ck_assert(!mtree_tcp_pace_has_fallen(&report, rate / 4));
    report.pace = rate;
    ck_assert(!mtree_tcp_pace_has_fallen(&report, rate));
}

UNIT_TEST(a_link_with_a_queue_carries_no_more)
{
    mtree_tcp_report_t report = {INFINITY, trip + 0.03, trip, rate / 4};

    ck_assert(!mtree_tcp_pace_has_fallen(&report, rate));
}

UNIT_TEST(other_congestion_controls_have_no_pace)
{
    mtree_tcp_report_t report = {linkful / 4, trip, trip, 0};

    ck_assert(!mtree_tcp_pace_has_fallen(&report, rate));
}

UNIT_TEST(there_are_no_more_than_were_made)
{
    ck_assert_int_eq(mtree_tcp_width(1, 1), 1);
    ck_assert_int_eq(mtree_tcp_width(1e-9, 16), 16);
}

UNIT_TEST(a_long_link_is_not_flooded)
{
    mtree_tcp_report_t report = {INFINITY, trip, trip, 0};

    ck_assert_double_gt(mtree_tcp_pace(&report, rate), rate);
    ck_assert_double_lt(mtree_tcp_pace(&report, rate), 2 * rate);
    ck_assert(mtree_tcp_pace(NULL, rate) == mtree_tcp_pace(&report, rate));
    ck_assert(isinf(mtree_tcp_pace(&report, 0)));
}

/* Neither a wrong rate of the map nor a queue on the host holds it back. */
UNIT_TEST(a_short_link_has_no_limit)
{
    mtree_tcp_report_t report = {INFINITY, trip, 0.0001, 0};

    ck_assert(isinf(mtree_tcp_pace(&report, rate)));
}

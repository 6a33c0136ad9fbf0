/* SPDX-License-Identifier: BSD-3-Clause */
/* How many connections fill a link, by what the kernel says of those that there are. */
#include "tcp/width.h"
#include "tests/unit/runner.h"

enum { MOST = 8 };

/* A link of 100 Mb/s and 20 ms holds 250 KB. */
#define RATE    100e6
#define TRIP    0.02
#define LINKFUL 250e3

/* How many connections fill it, where windows are so long and so many seconds are queued;
 * who has met no limit is helped by one more. */
static const struct {
    double window, queue, pace;
    int width;
} widths[] = {
    {INFINITY, 0, 0, 2},
    {2 * LINKFUL, 0, 0, 2},
    {LINKFUL * 0.9, 0, 0, 2},
    {LINKFUL * 0.7, 0, 0, 3},
    {LINKFUL / 2, 0, 0, 4},
    {LINKFUL * 0.3, 0, 0, 6},
    {LINKFUL / 100, 0, 0, MOST},
    /* The link carries less than was planned: no number of connections changes that;
     * what a busy host adds is no queue. */
    {LINKFUL / 4, 0.03, 0, 2},
    {LINKFUL / 2, 0.003, 0, 4},
    /* Losses do not make BBR's window small; a low estimate of the link does. */
    {LINKFUL / 4, 0, RATE / 4, 2},
};

UNIT_EACH(small_windows_take_more_connections, widths)
{
    const mtree_tcp_report_t report = {widths[_i].window, TRIP + widths[_i].queue, TRIP,
                                       widths[_i].pace};
    int width = mtree_tcp_width(mtree_tcp_width_part(&report, RATE), MOST);

    ck_assert_msg(width == widths[_i].width, "%d", width);
}

/* What waits before a link shows that it is full; where none does, losses keep windows
 * from filling it. */
UNIT_TEST(a_queue_shows_that_a_link_is_full)
{
    mtree_tcp_report_t report = {LINKFUL / 4, TRIP + 0.03, TRIP, 0};

    ck_assert(mtree_tcp_packets_wait(&report));
    report.trip = TRIP + 0.003;
    ck_assert(!mtree_tcp_packets_wait(&report));
}

/* The first packets of a short link may be much faster than those that follow. */
UNIT_TEST(windows_are_cut_by_what_trips_take_now)
{
    mtree_tcp_report_t report = {6 * 1448, 0.0015, 0.00003, 0};

    ck_assert_int_gt(mtree_tcp_width(mtree_tcp_width_part(&report, RATE), MOST), 2);
    report.window = 2 * LINKFUL;
    ck_assert_int_eq(mtree_tcp_width(mtree_tcp_width_part(&report, RATE), MOST), 2);
}

/* It takes more than two where windows are cut, and no more than were made. */
static const struct {
    double part;
    int made, least, most;
} parts[] = {{1, MOST, 2, 2},       {0.9, MOST, 2, 2}, {0.7, MOST, 3, MOST},
             {0.01, MOST, 3, MOST}, {1, 1, 1, 1},      {1e-9, 16, 16, 16}};

UNIT_EACH(the_part_of_a_link_that_one_fills_says_how_many_do, parts)
{
    const int width = mtree_tcp_width(parts[_i].part, parts[_i].made);

    ck_assert(width >= parts[_i].least && width <= parts[_i].most);
}

/* Not where there is a queue; and others have no pace. */
static const struct {
    mtree_tcp_report_t report;
    double rate;
    bool has_fallen;
} paces[] = {
    {{INFINITY, TRIP, TRIP, RATE / 4}, RATE, true},
    {{INFINITY, TRIP, TRIP, RATE / 4}, RATE / 4, false},
    {{INFINITY, TRIP, TRIP, RATE}, RATE, false},
    {{INFINITY, TRIP + 0.03, TRIP, RATE / 4}, RATE, false},
    {{LINKFUL / 4, TRIP, TRIP, 0}, RATE, false},
};

UNIT_EACH(bbr_has_fallen_where_it_sends_less_than_it_is_to, paces)
{
    ck_assert(mtree_tcp_pace_has_fallen(&paces[_i].report, paces[_i].rate) ==
              paces[_i].has_fallen);
}

UNIT_TEST(a_long_link_is_not_flooded)
{
    mtree_tcp_report_t report = {INFINITY, TRIP, TRIP, 0};

    ck_assert_double_gt(mtree_tcp_pace(&report, RATE), RATE);
    ck_assert_double_lt(mtree_tcp_pace(&report, RATE), 2 * RATE);
    ck_assert(mtree_tcp_pace(NULL, RATE) == mtree_tcp_pace(&report, RATE));
    ck_assert(isinf(mtree_tcp_pace(&report, 0)));
}

/* Neither a wrong rate of the map nor a queue on the host holds it back. */
UNIT_TEST(a_short_link_has_no_limit)
{
    mtree_tcp_report_t report = {INFINITY, TRIP, 0.0001, 0};

    ck_assert(isinf(mtree_tcp_pace(&report, RATE)));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* How many bytes of a probe's stream may be under way. */
#include "coll_mtree/probe/stream_window.h"
#include "tests/unit/runner.h"

#define TRIP  0.02
#define SPEED 1e9

typedef coll_mtree_stream_window_t window_t;

static window_t window;

/*
 * A path of @a rate bytes/s with a round trip of TRIP, and a queue: send what fits for @a
 * seconds; the bytes that were queued at the end.
 */
static double run(double rate, double seconds)
{
    enum { MOST = 100000 };
    static double left[MOST], length[MOST];
    int sent = 0, credited = 0;
    double busy_until = 0, total = 0;

    for (double now = 0; now < seconds; now += 0.0005) {
        size_t bytes = coll_mtree_stream_window_message(&window, 1 << 30);

        while (coll_mtree_stream_window_fits(&window, bytes) && sent < MOST) {
            busy_until = fmax(busy_until, now) + (double)bytes / rate;
            left[sent] = busy_until;
            length[sent++] = (double)bytes;
            coll_mtree_stream_window_sent(&window, bytes, now);
        }
        while (credited < sent && left[credited] + TRIP <= now) {
            total += length[credited++];
            coll_mtree_stream_window_credit(&window, total, now);
        }
    }
    return fmax(0, busy_until - seconds) * rate;
}

static const struct {
    int sharing;
    double trip, speed, bytes;
} cases[] = {{1, 0, 0, 40960},
             {1, TRIP, SPEED, 40960 + 1.28e6 * TRIP},
             {1, 10, SPEED, 40960 + 131072},
             {100, 0, 0, 4096}};

UNIT_EACH(the_first_window_is_shared, cases)
{
    coll_mtree_stream_window_init(&window, cases[_i].sharing, cases[_i].trip,
                                  cases[_i].speed);
    ck_assert_double_eq_tol(window.bytes, cases[_i].bytes, 1e-6);
}

UNIT_TEST(two_messages_always_fit)
{
    for (int sharing = 1; sharing < 200; sharing += 7) {
        size_t bytes;

        coll_mtree_stream_window_init(&window, sharing, TRIP, SPEED);
        bytes = coll_mtree_stream_window_message(&window, 1 << 30);
        ck_assert_uint_ge(bytes, 1024);
        coll_mtree_stream_window_sent(&window, bytes, 0);
        ck_assert(coll_mtree_stream_window_fits(&window, bytes));
    }
}

UNIT_TEST(messages_stay_below_the_longest)
{
    coll_mtree_stream_window_init(&window, 1, TRIP, SPEED);
    ck_assert_uint_eq(coll_mtree_stream_window_message(&window, 128), 128);
    window.burst.rate = 1e9;
    window.bytes = 1e9;
    ck_assert_uint_eq(coll_mtree_stream_window_message(&window, 1 << 30),
                      COLL_MTREE_STREAM_MOST_BYTES);
    ck_assert_uint_eq(coll_mtree_stream_window_message(&window, 5000), 5000);
}

UNIT_TEST(what_is_under_way_is_bounded_by_the_window)
{
    coll_mtree_stream_window_init(&window, 1, 0, 0);
    ck_assert(coll_mtree_stream_window_fits(&window, 40960));
    ck_assert(!coll_mtree_stream_window_fits(&window, 40961));
    coll_mtree_stream_window_sent(&window, 40000, 0);
    ck_assert(!coll_mtree_stream_window_fits(&window, 1000));
    coll_mtree_stream_window_credit(&window, 40000, TRIP);
    ck_assert(coll_mtree_stream_window_fits(&window, 1000));
    unit_near(window.least_trip, TRIP);
}

UNIT_TEST(round_trips_are_measured_of_a_bounded_number_of_messages)
{
    coll_mtree_stream_window_init(&window, 1, 0, 0);
    for (int i = 0; i < 3 * COLL_MTREE_STREAM_MARKED; i++) {
        coll_mtree_stream_window_sent(&window, 10, i);
    }
    ck_assert_int_eq(window.num_marked, COLL_MTREE_STREAM_MARKED);
    coll_mtree_stream_window_credit(&window, 25, 100);
    ck_assert_int_eq(window.num_answered, 2);
    unit_near(window.latest_trip, 99);
    coll_mtree_stream_window_sent(&window, 10, 101);
    ck_assert_int_eq(window.num_marked, COLL_MTREE_STREAM_MARKED + 1);
}

UNIT_TEST(a_lone_stream_fills_the_path)
{
    for (double rate = 1e6; rate < 1e8; rate *= 4) {
        coll_mtree_stream_window_init(&window, 1, TRIP, SPEED);
        run(rate, 1);
        ck_assert_double_gt(window.burst.rate, 0.8 * rate);
        ck_assert_double_gt(window.bytes, 0.9 * rate * TRIP);
        ck_assert_double_lt(window.bytes, 3 * rate * TRIP + 200000);
    }
}

UNIT_TEST(streams_that_share_see_the_queue_and_keep_it_short)
{
    double queued, rate = 2e6;

    coll_mtree_stream_window_init(&window, 2, TRIP, SPEED);
    queued = run(rate, 2);
    ck_assert(window.saw_queue);
    ck_assert_double_gt(window.steady.rate, 0.8 * rate);
    ck_assert_double_lt(queued, 40960 + rate * TRIP);
}

UNIT_TEST(the_window_grows_faster_far_below_the_interfaces)
{
    window_t near, far;

    coll_mtree_stream_window_init(&near, 2, TRIP, 1e3);
    coll_mtree_stream_window_init(&far, 2, TRIP, 1e12);
    /* The first credit begins the measurements, the second ends one. */
    for (int i = 1; i <= 2; i++) {
        coll_mtree_stream_window_sent(&near, 10000, 0.05 * (i - 1));
        coll_mtree_stream_window_sent(&far, 10000, 0.05 * (i - 1));
        coll_mtree_stream_window_credit(&near, 10000 * i, 0.05 * (i - 1) + TRIP);
        coll_mtree_stream_window_credit(&far, 10000 * i, 0.05 * (i - 1) + TRIP);
    }
    ck_assert_double_gt(near.steady.rate, 0);
    ck_assert_double_gt(far.bytes, near.bytes);
}

UNIT_TEST(a_pause_hardly_lowers_the_rate)
{
    double before;

    coll_mtree_stream_window_init(&window, 1, TRIP, SPEED);
    run(4e6, 1);
    before = window.steady.rate;
    coll_mtree_stream_window_credit(&window, window.credited + 1, 9);
    ck_assert_double_eq_tol(window.steady.rate, 0.9 * before, 1e-3 * before);
}

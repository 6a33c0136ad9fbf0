/* SPDX-License-Identifier: BSD-3-Clause */
/* What a connection carries, as both ends see it; and one that is cut carries nothing. */
#include "base/clock.h"
#include "tcp/rate_test.h"
#include "tests/unit/tcp/loop.h"

#include <fcntl.h>
#include <sys/socket.h>

static mtree_rate_test_t tests[2];
static int results[2];

/* Both ends of a connection over @a sockets until both have ended, and how. */
static void run(int sockets[2], bool is_cut)
{
    for (int end = 0; end < 2; end++) {
        (void)fcntl(sockets[end], F_SETFL, O_NONBLOCK);
        mtree_rate_test_begin(&tests[end], sockets[end], mtree_clock_seconds());
        results[end] = 0;
    }
    for (int polls = 0; results[0] == 0 || results[1] == 0; polls++) {
        if (is_cut && polls == 10) {
            (void)shutdown(sockets[0], SHUT_RDWR);
        }
        for (int end = 0; end < 2; end++) {
            if (results[end] == 0) {
                results[end] = mtree_rate_test_poll(&tests[end], mtree_clock_seconds());
            }
        }
    }
    for (int end = 0; end < 2; end++) {
        mtree_rate_test_end(&tests[end]);
    }
}

UNIT_TEST(both_ends_measure)
{
    int sockets[2];

    loop_connect_over_tcp(sockets);
    run(sockets, false);
    for (int end = 0; end < 2; end++) {
        ck_assert_int_eq(results[end], 1);
        ck_assert_double_gt(mtree_rate_test_rate(&tests[end]), 1e6);
        ck_assert_double_gt(tests[end].trip, 0);
    }
}

/* Of what is not TCP the kernel knows no round trip: that is no short one. */
UNIT_TEST(a_trip_that_is_not_known_is_not_short)
{
    int sockets[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
    run(sockets, false);
    for (int end = 0; end < 2; end++) {
        ck_assert_int_eq(results[end], 1);
        ck_assert_double_infinite(tests[end].trip);
    }
}

UNIT_TEST(what_is_cut_fails)
{
    int sockets[2];

    loop_connect_over_tcp(sockets);
    run(sockets, true);
    ck_assert_int_eq(results[0], -1);
    ck_assert_double_eq(mtree_rate_test_rate(&tests[0]), 0);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the connections to a peer get its messages. */
#include "tests/unit/runner.h"
#include "tests/unit/tcp/loop.h"

#include <sys/ioctl.h>

enum { FEW = 2, MANY = 3, MESSAGES = 8, SHORT = 100, LONG = 100000 };

/* Bytes that wait at the other end of connection @a number, which does not read. */
static int waiting(int number)
{
    int bytes = 0;

    ck_assert_int_eq(ioctl(loop.sockets[1][number], FIONREAD, &bytes), 0);
    return bytes;
}

/* Send some messages of @a length bytes over @a connections, whose links carry @a rates
 * (NULL: one carries all), and poll this end alone. */
static void send_some(int connections, size_t length, const double *rates)
{
    static loop_message_t messages[MESSAGES];
    static char bytes[LONG];

    loop_create(connections);
    if (rates != NULL) {
        mtree_tcp_peer_weigh(loop.ends[0].peer, rates);
    }
    for (int i = 0; i < MESSAGES; i++) {
        loop_send(0, bytes, length, true, &messages[i]);
    }
    for (int i = 0; i < 100; i++) {
        loop_poll(0);
    }
}

UNIT_TEST(what_the_first_of_two_takes_goes_over_it)
{
    send_some(FEW, SHORT, NULL);
    ck_assert_int_gt(waiting(0), MESSAGES * SHORT);
    ck_assert_int_eq(waiting(1), 0);
}

UNIT_TEST(more_than_two_take_turns)
{
    send_some(MANY, SHORT, NULL);
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_gt(waiting(i), (MESSAGES / MANY) * SHORT);
    }
}

UNIT_TEST(the_rest_goes_over_the_others)
{
    send_some(FEW, LONG, NULL);
    for (int i = 0; i < FEW; i++) {
        ck_assert_int_gt(waiting(i), 0);
    }
}

UNIT_TEST(the_faster_of_two_links_takes_what_arrives_first_over_it)
{
    const double rates[FEW] = {1e6, 1e9};

    send_some(FEW, SHORT, rates);
    ck_assert_int_eq(waiting(0), 0);
    ck_assert_int_gt(waiting(1), MESSAGES * SHORT);
}

UNIT_TEST(links_share_what_one_does_not_take)
{
    const double rates[MANY] = {1e6, 1e9, 1e9};

    send_some(MANY, LONG, rates);
    ck_assert_int_gt(waiting(1), 0);
    ck_assert_int_gt(waiting(2), 0);
}

UNIT_FIXTURE(NULL, loop_destroy)

/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the connections to a peer get its messages. */
#include "tests/unit/runner.h"
#include "tests/unit/tcp/loop.h"

#include <sys/ioctl.h>

enum { FEW = 2, MANY = 3, MESSAGES = 8, SHORT = 100, LONG = 100000 };

static const mtree_tcp_key_t key = {3, 70, 1};

/* Bytes that wait at the other end of connection @a number, which does not read. */
static int waiting(const loop_t *loop, int number)
{
    int bytes = 0;

    ck_assert_int_eq(ioctl(loop->sockets[1][number], FIONREAD, &bytes), 0);
    return bytes;
}

/* Send some messages of @a length bytes over @a connections, whose links carry @a rates
 * (NULL: one carries all), and poll this end alone. */
static void send_some(loop_t *loop, int connections, size_t length, const double *rates)
{
    static loop_message_t messages[MESSAGES];
    static char bytes[LONG];
    mtree_tcp_session_t *session;

    loop_create(loop, connections);
    if (rates != NULL) {
        mtree_tcp_peer_weigh(loop->ends[0].peer, rates);
    }
    session = mtree_tcp_session_begin(loop->ends[0].peer, &key, 1, 0, loop);
    ck_assert_ptr_nonnull(session);
    for (int i = 0; i < MESSAGES; i++) {
        unit_ok(
            mtree_tcp_send(session, 0, bytes, length, true, loop_begin(&messages[i])));
    }
    for (int i = 0; i < 100; i++) {
        loop_poll(loop, 0);
    }
}

UNIT_TEST(what_the_first_of_two_takes_goes_over_it)
{
    UNIT_OWNED(loop_destroy) loop_t loop;

    send_some(&loop, FEW, SHORT, NULL);
    ck_assert_int_gt(waiting(&loop, 0), MESSAGES * SHORT);
    ck_assert_int_eq(waiting(&loop, 1), 0);
}

UNIT_TEST(more_than_two_take_turns)
{
    UNIT_OWNED(loop_destroy) loop_t loop;

    send_some(&loop, MANY, SHORT, NULL);
    for (int i = 0; i < MANY; i++) {
        ck_assert_int_gt(waiting(&loop, i), (MESSAGES / MANY) * SHORT);
    }
}

UNIT_TEST(the_rest_goes_over_the_others)
{
    UNIT_OWNED(loop_destroy) loop_t loop;

    send_some(&loop, FEW, LONG, NULL);
    for (int i = 0; i < FEW; i++) {
        ck_assert_int_gt(waiting(&loop, i), 0);
    }
}

UNIT_TEST(the_faster_of_two_links_takes_what_arrives_first_over_it)
{
    const double rates[FEW] = {1e6, 1e9};
    UNIT_OWNED(loop_destroy) loop_t loop;

    send_some(&loop, FEW, SHORT, rates);
    ck_assert_int_eq(waiting(&loop, 0), 0);
    ck_assert_int_gt(waiting(&loop, 1), MESSAGES * SHORT);
}

UNIT_TEST(links_share_what_one_does_not_take)
{
    const double rates[MANY] = {1e6, 1e9, 1e9};
    UNIT_OWNED(loop_destroy) loop_t loop;

    send_some(&loop, MANY, LONG, rates);
    ck_assert_int_gt(waiting(&loop, 1), 0);
    ck_assert_int_gt(waiting(&loop, 2), 0);
}

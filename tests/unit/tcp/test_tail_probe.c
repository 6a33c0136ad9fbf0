/* SPDX-License-Identifier: BSD-3-Clause */
/* Behind the last message there are tail loss probes until all is acknowledged. */
#include "tcp/frame.h"

#include "base/clock.h"
#include "tests/unit/tcp/loop.h"

/* Poll the end that sends until @a bytes wait at the other one, which may take @a
 * seconds; the bytes that do. */
static int poll_until(int bytes, double seconds)
{
    double begin = mtree_clock_seconds();

    while (loop_waiting(1, 0) < bytes && mtree_clock_seconds() - begin < seconds) {
        loop_poll(0);
    }
    return loop_waiting(1, 0);
}

/* The message @a sent is not read at first, and so not acknowledged. */
static void pass_unread(bool synchronous)
{
    static char from[] = "the last", to[sizeof(from)];
    int unread = MTREE_TCP_HEADER + (int)sizeof(from);
    static loop_message_t sent, received;

    loop_recv(1, to, sizeof(to), &received);
    loop_settle();
    loop_send(0, from, sizeof(from), synchronous, &sent);
    /* Three probes show the kernel that what is before them is lost. */
    ck_assert_int_ge(poll_until(unread + 3 * MTREE_TCP_HEADER, 20),
                     unread + 3 * MTREE_TCP_HEADER);
    loop_settle();
    ck_assert(sent.has_ended && received.has_ended);
    unit_ok(received.status);
    ck_assert_str_eq(to, from);
    /* All of it is acknowledged. */
    ck_assert_int_eq(poll_until(1, 0.05), 0);
}

UNIT_TEST(a_connection_sends_probes_until_all_is_read)
{
    loop_create(1);
    pass_unread(true);
    pass_unread(false);
}

/* The kernel's timeout is due by then. */
UNIT_TEST(probes_end)
{
    static loop_message_t sent;
    int bytes;

    loop_create(1);
    loop_send(0, "", 1, true, &sent);
    (void)poll_until(1 << 20, 0.5);
    bytes = loop_waiting(1, 0);
    ck_assert_int_eq(poll_until(bytes + 1, 0.05), bytes);
}

UNIT_FIXTURE(NULL, loop_destroy)

/* SPDX-License-Identifier: BSD-3-Clause */
/* Behind the last message there are tail loss probes until all is acknowledged. */
#include "tcp/private.h"
#include "tests/unit/runner.h"

#include "base/clock.h"
#include "tests/unit/tcp/loop.h"

#include <sys/ioctl.h>

/* Seconds and number of calls that are more than any gap between probes, and their most.
 */
#define LONG  1.0
#define CALLS 1000

static const mtree_tcp_key_t key = {3, 70, 1};

UNIT_TEST(a_probe_is_due_behind_the_last_message)
{
    mtree_tail_probe_t probe = {0};
    double now = 7;

    /* While messages are written none is. */
    for (uint64_t written = 100; written < 1000; written += 100, now += LONG) {
        ck_assert(!mtree_tail_probe_is_due(&probe, written, now));
    }
    ck_assert(mtree_tail_probe_is_due(&probe, 900, now));
    mtree_tail_probe_sent(&probe, 932, now);
    ck_assert(!mtree_tail_probe_is_due(&probe, 932, now));
    ck_assert(mtree_tail_probe_is_due(&probe, 932, now + LONG));
}

UNIT_TEST(probes_end_and_begin_again_with_a_message)
{
    mtree_tail_probe_t probe = {0};
    uint64_t written = 100;
    double now = 0;
    int num = 0;

    for (int i = 0; i < CALLS; i++, now += LONG) {
        if (mtree_tail_probe_is_due(&probe, written, now)) {
            mtree_tail_probe_sent(&probe, ++written, now);
            num++;
        }
    }
    ck_assert_int_gt(num, 0);
    ck_assert_int_lt(num, CALLS);
    ck_assert(!mtree_tail_probe_is_due(&probe, written, now));
    ck_assert(!mtree_tail_probe_is_due(&probe, ++written, now));
    ck_assert(mtree_tail_probe_is_due(&probe, written, now + LONG));
}

/* Bytes that wait at @a socket. */
static int num_waiting(int socket)
{
    int bytes = 0;

    ck_assert_int_eq(ioctl(socket, FIONREAD, &bytes), 0);
    return bytes;
}

/* Poll @a end until @a bytes wait at the other one's @a socket, which may take @a
 * seconds; the bytes that do. */
static int poll_until(loop_t *loop, int end, int socket, int bytes, double seconds)
{
    double begin = mtree_clock_seconds();

    while (num_waiting(socket) < bytes && mtree_clock_seconds() - begin < seconds) {
        loop_poll(loop, end);
    }
    return num_waiting(socket);
}

/* The message @a sent is not read at first, and so not acknowledged. */
static void pass_unread(loop_t *loop, bool synchronous)
{
    static char from[] = "the last", to[sizeof(from)];
    int unread = MTREE_TCP_HEADER + (int)sizeof(from), socket = loop->sockets[1][0];
    loop_message_t sent, received;

    unit_ok(mtree_tcp_recv(loop_session(loop, 1, &key), 0, to, sizeof(to),
                           loop_begin(&received)));
    loop_settle(loop);
    unit_ok(mtree_tcp_send(loop_session(loop, 0, &key), 0, from, sizeof(from),
                           synchronous, loop_begin(&sent)));
    /* Three probes show the kernel that what is before them is lost. */
    ck_assert_int_ge(poll_until(loop, 0, socket, unread + 3 * MTREE_TCP_HEADER, 20),
                     unread + 3 * MTREE_TCP_HEADER);
    loop_settle(loop);
    ck_assert(sent.has_ended && received.has_ended);
    unit_ok(received.status);
    ck_assert_str_eq(to, from);
    /* All of it is acknowledged. */
    ck_assert_int_eq(poll_until(loop, 0, socket, 1, 0.05), 0);
}

UNIT_TEST(a_connection_sends_probes_until_all_is_read)
{
    UNIT_OWNED(loop_destroy) loop_t loop;

    loop_create(&loop, 1);
    pass_unread(&loop, true);
    pass_unread(&loop, false);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/rate_test.h"

#include "tcp/socket.h"

#include <math.h>
#include <sys/socket.h>
#include <unistd.h>

/* Seconds for which an end sends, and of what comes those that do not count: congestion
 * control has not found the rate, and shapers let a burst pass. */
#define SENDING  0.5
#define SKIPPING 0.15

/* Of those that count: bytes of a connection that stalls are of more than came last. */
#define LEAST ((SENDING - SKIPPING) / 2)

/* Seconds after which a test has failed. */
#define PATIENCE 4.0

/* Bytes at a time, and times in a poll. */
#define PIECE  65536
#define PIECES 16

/* What Ethernet carries for each byte of a message: 1,448 of 1,514. */
#define HEADERS (1514.0 / 1448)

/* What is sent, and where what comes goes: it does not matter what it is. */
static char piece[PIECE];

void mtree_rate_test_begin(mtree_rate_test_t *test, int socket, double now)
{
    *test = (mtree_rate_test_t){.socket = socket, .began = now, .trip = INFINITY};
    (void)mtree_tcp_socket_tune(socket, NULL);
}

/* False: the connection has failed. */
static bool test_send(mtree_rate_test_t *test, double now)
{
    ssize_t sent = 1;

    if (now - test->began >= SENDING) {
        test->has_sent = true;
        return shutdown(test->socket, SHUT_WR) == 0;
    }
    for (int i = 0; i < PIECES && sent > 0; i++) {
        sent = send(test->socket, piece, sizeof(piece), MSG_NOSIGNAL);
    }
    return sent >= 0 || mtree_tcp_socket_is_later();
}

static void test_count(mtree_rate_test_t *test, double bytes, double now)
{
    test->first = test->first == 0 ? now : test->first;
    /* What is left in queues then comes while others, which shared a link, have ended. */
    if (test->bytes > 0 && test->last - test->first > SENDING) {
        return;
    }
    /* What is read with the last bytes that do not count came before. */
    if (test->skipped > 0) {
        test->bytes += now > test->skipped ? bytes : 0;
    } else if (now - test->first >= SKIPPING) {
        test->skipped = now;
    }
    test->last = now;
}

/* False: the connection has failed. */
static bool test_receive(mtree_rate_test_t *test, double now)
{
    ssize_t received = 1;

    for (int i = 0; i < PIECES && received > 0; i++) {
        received = recv(test->socket, piece, sizeof(piece), 0);
        if (received > 0) {
            test_count(test, (double)received, now);
        }
    }
    test->has_ended = received == 0;
    return received >= 0 || mtree_tcp_socket_is_later();
}

int mtree_rate_test_poll(mtree_rate_test_t *test, double now)
{
    mtree_tcp_report_t report;

    if (now - test->began > PATIENCE || (!test->has_sent && !test_send(test, now)) ||
        (!test->has_ended && !test_receive(test, now))) {
        return -1;
    }
    if (mtree_tcp_socket_report(test->socket, &report)) {
        test->trip = report.min_trip;
    }
    return test->has_sent && test->has_ended ? 1 : 0;
}

double mtree_rate_test_rate(const mtree_rate_test_t *test)
{
    const double seconds = test->last - test->skipped;

    return 8 * HEADERS * test->bytes / (seconds > LEAST ? seconds : LEAST);
}

void mtree_rate_test_end(mtree_rate_test_t *test)
{
    (void)close(test->socket);
}

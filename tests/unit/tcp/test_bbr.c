/* SPDX-License-Identifier: BSD-3-Clause */
/* BBR on a socket: it is known for what it is, and stays when it begins again. */
#include "tcp/socket.h"
#include "tests/unit/tcp/loop.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef TCP_RTO_MIN_US
#define TCP_RTO_MIN_US 45
#endif

static int sockets[2];

static void connect_with_reno(void)
{
    loop_connect_over_tcp(sockets);
    ck_assert(mtree_tcp_socket_tune(sockets[0], "reno"));
}

static void disconnect(void)
{
    (void)close(sockets[0]);
    (void)close(sockets[1]);
}

/* The bits/s at which BBR lets it send; 0: it does not. */
static double pace(void)
{
    mtree_tcp_report_t report;

    ck_assert(mtree_tcp_socket_report(sockets[0], &report));
    return report.pace;
}

UNIT_TEST(another_congestion_control_has_no_pace)
{
    ck_assert(pace() == 0);
}

/* Kernels may lack it, or keep it for others: all stays as it was. */
UNIT_TEST(who_may_not_have_it_is_told)
{
    ck_assert(mtree_tcp_socket_tune(sockets[0], MTREE_TCP_BBR) == (pace() > 0));
}

UNIT_TEST(it_stays_when_it_begins_again)
{
    if (mtree_tcp_socket_tune(sockets[0], MTREE_TCP_BBR)) {
        mtree_tcp_socket_restart_bbr(sockets[0]);
        ck_assert(pace() > 0);
    }
}

/* Microseconds; -1: the kernel does not say. */
static int shortest_timeout(int socket)
{
    socklen_t length = sizeof(int);
    int timeout = -1;

    return getsockopt(socket, IPPROTO_TCP, TCP_RTO_MIN_US, &timeout, &length) == 0
               ? timeout
               : -1;
}

/* After a pause that is longer than the timeout they begin again slowly. */
UNIT_TEST(timeouts_of_others_are_left_to_the_kernel)
{
    ck_assert_int_eq(shortest_timeout(sockets[0]), shortest_timeout(sockets[1]));
}

/* Whoever asks for it. */
UNIT_TEST(it_does_not_wait_long_for_what_is_lost)
{
    if (mtree_tcp_socket_tune(sockets[0], MTREE_TCP_BBR) &&
        shortest_timeout(sockets[1]) > 0) {
        ck_assert_int_lt(shortest_timeout(sockets[0]), shortest_timeout(sockets[1]));
    }
}

UNIT_FIXTURE(connect_with_reno, disconnect)

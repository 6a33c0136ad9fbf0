/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections that are lost are made again, and no byte is lost or comes twice.  What is
 * lost is drawn at random: an end closes, or the kernel is told to reset a connection.
 */
#include "base/clock.h"
#include "tcp/private.h"
#include "tcp/socket.h"
#include "tests/unit/runner.h"
#include "tests/unit/tcp/dial_pair.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { COUNT = 3, FAULTS = 60 };

static const mtree_tcp_key_t some_key = {3, 70, 1};

static void ask_kernel(const struct sockaddr_in ends[2])
{
    struct {
        struct nlmsghdr header;
        struct inet_diag_req_v2 wanted;
    } request = {.header = {.nlmsg_len = sizeof(request),
                            .nlmsg_type = SOCK_DESTROY,
                            .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
                 .wanted = {.sdiag_family = AF_INET,
                            .sdiag_protocol = IPPROTO_TCP,
                            .idiag_states = ~0U}};
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    char answer[512];

    request.wanted.id.idiag_sport = ends[0].sin_port;
    request.wanted.id.idiag_dport = ends[1].sin_port;
    request.wanted.id.idiag_src[0] = ends[0].sin_addr.s_addr;
    request.wanted.id.idiag_dst[0] = ends[1].sin_addr.s_addr;
    memset(request.wanted.id.idiag_cookie, 0xff, sizeof(request.wanted.id.idiag_cookie));
    (void)send(fd, &request, sizeof(request), 0);
    (void)recv(fd, answer, sizeof(answer), 0);
    (void)close(fd);
}

/* Have the kernel reset the connection of @a socket; without the right to nothing
 * happens. */
static void reset(int socket)
{
    struct sockaddr_storage storage[2];
    struct sockaddr_in ends[2];

    for (int i = 0; i < 2; i++) {
        socklen_t length = sizeof(storage[i]);
        const struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&storage[i];

        if ((i == 0 ? getsockname : getpeername)(socket, (struct sockaddr *)&storage[i],
                                                 &length) != 0) {
            return;
        }
        memcpy(&ends[i], &storage[i], sizeof(ends[i]));
        if (storage[i].ss_family == AF_INET6) {
            memcpy(&ends[i].sin_addr, &in6->sin6_addr.s6_addr[12], 4);
        }
    }
    ask_kernel(ends);
}

static void break_some(pair_t *pair)
{
    mtree_tcp_peer_t *peer = pair->loop.ends[random_draw(2)].peer;
    mtree_tcp_connection_t *connection = &peer->connections[random_draw(COUNT)];
    int socket = connection->is_lost ? connection->attempt.socket : connection->socket;

    if (socket < 0) {
        return;
    }
    if (random_draw(2) == 0) {
        reset(socket);
    } else {
        (void)shutdown(socket, (int)random_draw(3));
    }
}

BOTH_LOOP(every_byte_arrives_once, 0, unit_loops(2, 10))
{
    static const random_messages_t how = {
        .messages = 200, .tags = 2, .sessions = 1, .longest = 300000};
    double end = mtree_clock_seconds() + 60;
    int faults = 0;
    UNIT_OWNED(pair_destroy) pair_t pair;

    random_seed(_i);
    pair_create(&pair, COUNT);
    random_messages_begin(&pair.loop, &how);
    while (!random_messages_have_ended()) {
        ck_assert(mtree_clock_seconds() < end);
        ck_assert_int_eq(heard_lines(), 0);
        random_messages_step();
        if (faults < FAULTS && random_draw(8) == 0) {
            faults++;
            break_some(&pair);
        }
        pair_poll(&pair, PAIR_BOTH);
    }
    ck_assert_int_eq(faults, FAULTS);
    random_messages_verify();
}

/* Each end may be the one whose connection is lost while nothing is under way. */
BOTH_LOOP(a_connection_that_was_lost_while_idle_carries_again, 0, 4)
{
    double end = mtree_clock_seconds() + 0.1;
    UNIT_OWNED(pair_destroy) pair_t pair;

    pair_create(&pair, 1);
    (void)shutdown(pair.loop.ends[_i % 2].peer->connections[0].socket, SHUT_RDWR);
    while (_i < 2 && mtree_clock_seconds() < end) {
        pair_poll(&pair, PAIR_BOTH);
    }
    pair_pass(&pair, _i / 2);
    ck_assert_int_eq(heard_lines(), 0);
}

/* Nobody listens where the peer was. */
UNIT_TEST(a_peer_that_is_gone_is_given_up)
{
    loop_message_t received;
    double begin = mtree_clock_seconds();
    mtree_tcp_connection_t *connections;
    char byte;
    pair_t pair;

    pair_create(&pair, 2);
    (void)mtree_tcp_recv(loop_session(&pair.loop, 0, &some_key), 0, &byte, 1,
                         loop_begin(&received));
    mtree_tcp_destroy(pair.loop.ends[1].tcp);
    mtree_tcp_listener_destroy(pair.listeners[1]);
    connections = pair.loop.ends[0].peer->connections;
    PAIR_UNTIL(&pair, 0,
               connections[0].attempt.is_refused && connections[1].attempt.is_refused);
    begin = mtree_clock_seconds();
    for (int i = 0; i < 2; i++) {
        connections[i].attempt.refused.seconds = MTREE_TCP_REFUSED_SECONDS - 0.2;
    }
    PAIR_UNTIL(&pair, 0, received.has_ended);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    ck_assert(mtree_clock_seconds() > begin + 0.2);
    heard_only("Connection refused");
    mtree_tcp_destroy(pair.loop.ends[0].tcp);
    mtree_tcp_listener_destroy(pair.listeners[0]);
}

/* What is sent to one address is lost, and a firewall refuses the other one: a link that
 * is gone, and no peer. */
UNIT_TEST(who_is_refused_at_one_address_is_not_gone)
{
    loop_message_t received;
    mtree_tcp_connection_t *connection;
    int first, mute;
    char byte;
    pair_t pair;

    pair_create(&pair, 1);
    connection = &pair.loop.ends[0].peer->connections[0];
    mute = loop_listen_to_one(&first, &pair.loop.ends[0].peer->dial->port);
    (void)mtree_tcp_recv(loop_session(&pair.loop, 0, &some_key), 0, &byte, 1,
                         loop_begin(&received));
    (void)shutdown(connection->socket, SHUT_RDWR);
    PAIR_UNTIL(&pair, 0, connection->is_lost);
    PAIR_UNTIL(&pair, 0, connection->attempt.is_refused);
    /* The first address has its turn again. */
    connection->attempt.tries = 0;
    PAIR_UNTIL(&pair, 0, !connection->attempt.is_refused);
    ck_assert_double_eq(connection->attempt.refused.seconds, 0);
    ck_assert(!received.has_ended);
    (void)close(first);
    (void)close(mute);
    pair_destroy(&pair);
}

/* Either end is away for longer than it would be waited for if it were gone. */
BOTH_LOOP(a_peer_that_computes_is_waited_for, 0, 2)
{
    char from[] = "from", to[5] = "";
    loop_message_t sent, received;
    double end = mtree_clock_seconds() + 20;
    mtree_tcp_connection_t *connection;
    pair_t pair;

    pair_create(&pair, 1);
    connection = &pair.loop.ends[_i].peer->connections[0];
    (void)mtree_tcp_recv(loop_session(&pair.loop, _i, &some_key), 0, to, 5,
                         loop_begin(&received));
    (void)shutdown(connection->socket, SHUT_RDWR);
    PAIR_UNTIL(&pair, _i, connection->attempt.is_greeted);
    /* Any time that counted from here on would be too long. */
    connection->attempt.lost.seconds = MTREE_TCP_LOST_SECONDS;
    end = mtree_clock_seconds() + 0.1;
    while (mtree_clock_seconds() < end) {
        pair_poll(&pair, _i);
    }
    connection->attempt.lost.seconds -= 0.5; /* in which it is back */
    (void)mtree_tcp_send(loop_session(&pair.loop, 1 - _i, &some_key), 0, from, 5, true,
                         loop_begin(&sent));
    pair_await(&pair, &received);
    unit_ok(received.status);
    ck_assert_str_eq(to, "from");
    ck_assert_int_eq(heard_lines(), 0);
    pair_destroy(&pair);
}

/* The other end has given it up, and computes on. */
BOTH_LOOP(a_peer_that_has_failed_says_so, 0, 2)
{
    loop_message_t received;
    char byte;
    UNIT_OWNED(pair_destroy) pair_t pair;

    pair_create(&pair, 2);
    (void)mtree_tcp_recv(loop_session(&pair.loop, _i, &some_key), 0, &byte, 1,
                         loop_begin(&received));
    mtree_tcp_peer_fail(pair.loop.ends[1 - _i].peer, "a reason");
    pair_await(&pair, &received);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    heard_text("it has given this process up");
}

/* Else it would be taken for a proof that the link carries when that is gone later. */
BOTH_LOOP(what_is_dialed_beside_a_connection_ends_when_that_speaks, 0, 2)
{
    mtree_tcp_connection_t *connection;
    UNIT_OWNED(pair_destroy) pair_t pair;

    pair_create(&pair, 1);
    connection = &pair.loop.ends[_i].peer->connections[0];
    connection->attempt.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pair_pass(&pair, _i);
    PAIR_UNTIL(&pair, PAIR_BOTH, !connection->is_unacknowledged);
    ck_assert_int_eq(connection->attempt.socket, -1);
    ck_assert(!connection->is_lost);
}

UNIT_SECONDS(120)

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections that are lost are made again, and no byte is lost or comes twice.  What is
 * lost is drawn at random: an end closes, or the kernel is told to reset a connection.
 */
#include "base/clock.h"
#include "tcp/private.h"
#include "tests/unit/tcp/dial_pair.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

enum { COUNT = 3, FAULTS = 60 };

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
    struct sockaddr_in ends[2];

    if (pair_ends(socket, ends)) {
        ask_kernel(ends);
    }
}

static void break_some(void)
{
    mtree_tcp_peer_t *peer = loop.ends[random_draw(2)].peer;
    mtree_tcp_connection_t *connection = &peer->connections[random_draw(COUNT)];
    int socket =
        connection->is_lost ? connection->attempt.dialer.socket : connection->socket;

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

    random_seed(_i);
    pair_create(COUNT);
    random_messages_begin(&how);
    while (!random_messages_have_ended()) {
        ck_assert(mtree_clock_seconds() < end);
        ck_assert_int_eq(heard_lines(), 0);
        random_messages_step();
        if (faults < FAULTS && random_draw(8) == 0) {
            faults++;
            break_some();
        }
        pair_poll(PAIR_BOTH);
    }
    ck_assert_int_eq(faults, FAULTS);
    random_messages_verify();
}

/* Each end may be the one whose connection is lost while nothing is under way. */
BOTH_LOOP(a_connection_that_was_lost_while_idle_carries_again, 0, 4)
{
    pair_create(1);
    (void)shutdown(loop.ends[_i % 2].peer->connections[0].socket, SHUT_RDWR);
    pair_poll_for(PAIR_BOTH, _i < 2 ? 0.1 : 0);
    pair_pass(_i / 2);
    ck_assert_int_eq(heard_lines(), 0);
}

/* The peer dials, and has no address itself: a connection in doubt is left to it. */
UNIT_TEST(who_has_no_address_is_not_dialed)
{
    mtree_tcp_peer_t *peer;

    pair_begin(1);
    pair.dials[1].num_addresses = pair.dials[1].num_first = 0;
    pair_meet();
    peer = loop.ends[1].peer;
    peer->connections[0].has_failed_over = true; /* one of the doubts */
    mtree_tcp_peer_make_again(peer, mtree_clock_seconds());
    ck_assert_int_lt(peer->connections[0].attempt.dialer.socket, 0);
    peer->connections[0].has_failed_over = false;
    pair_pass(1);
}

/* Nobody listens where the peer was. */
UNIT_TEST(a_peer_that_is_gone_is_given_up)
{
    static loop_message_t received;
    double begin;
    mtree_tcp_connection_t *connections;
    char byte;

    pair_create(2);
    loop_recv(0, &byte, 1, &received);
    mtree_tcp_destroy(loop.ends[1].tcp);
    loop.ends[1].tcp = NULL;
    mtree_tcp_listener_destroy(pair.listeners[1]);
    pair.listeners[1] = NULL;
    connections = loop.ends[0].peer->connections;
    PAIR_UNTIL(0, connections[0].attempt.dialer.is_refused &&
                      connections[1].attempt.dialer.is_refused);
    begin = mtree_clock_seconds();
    for (int i = 0; i < 2; i++) {
        connections[i].attempt.refused.seconds = MTREE_TCP_REFUSED_SECONDS - 0.2;
    }
    PAIR_UNTIL(0, received.has_ended);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    ck_assert(mtree_clock_seconds() > begin + 0.2);
    heard_only("Connection refused");
}

/* What is sent to one address is lost, and a firewall refuses the other one: a link that
 * is gone, and no peer. */
UNIT_TEST(who_is_refused_at_one_address_is_not_gone)
{
    static loop_message_t received;
    mtree_tcp_connection_t *connection;
    int first, mute;
    char byte;

    pair_create(1);
    connection = &loop.ends[0].peer->connections[0];
    mute = loop_listen_to_one(&first, &loop.ends[0].peer->dial->port);
    loop_recv(0, &byte, 1, &received);
    (void)shutdown(connection->socket, SHUT_RDWR);
    PAIR_UNTIL(0, connection->is_lost);
    PAIR_UNTIL(0, connection->attempt.dialer.is_refused);
    /* The first address has its turn again. */
    connection->attempt.dialer.tries = 0;
    PAIR_UNTIL(0, !connection->attempt.dialer.is_refused &&
                      connection->attempt.refused.seconds == 0);
    ck_assert(!received.has_ended);
    (void)close(first);
    (void)close(mute);
}

/* Either end is away for longer than it would be waited for if it were gone. */
BOTH_LOOP(a_peer_that_computes_is_waited_for, 0, 2)
{
    char from[] = "from", to[5] = "";
    static loop_message_t sent, received;
    mtree_tcp_connection_t *connection;

    pair_create(1);
    connection = &loop.ends[_i].peer->connections[0];
    loop_recv(_i, to, 5, &received);
    (void)shutdown(connection->socket, SHUT_RDWR);
    PAIR_UNTIL(_i, connection->attempt.dialer.is_connected);
    /* Any time that counted from here on would be too long. */
    connection->attempt.lost.seconds = MTREE_TCP_LOST_SECONDS;
    pair_poll_for(_i, 0.1);
    connection->attempt.lost.seconds -= 0.5; /* in which it is back */
    loop_send(1 - _i, from, 5, true, &sent);
    pair_await(&received);
    unit_ok(received.status);
    ck_assert_str_eq(to, "from");
    ck_assert_int_eq(heard_lines(), 0);
}

/* The other end has given it up, and computes on. */
BOTH_LOOP(a_peer_that_has_failed_says_so, 0, 2)
{
    static loop_message_t received;
    char byte;

    pair_create(2);
    loop_recv(_i, &byte, 1, &received);
    mtree_tcp_peer_fail(loop.ends[1 - _i].peer, "a reason");
    pair_await(&received);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    heard_text("it has given this process up");
}

/* Else it would be taken for a proof that the link carries when that is gone later. */
BOTH_LOOP(what_is_dialed_beside_a_connection_ends_when_that_speaks, 0, 2)
{
    mtree_tcp_connection_t *connection;

    pair_create(1);
    connection = &loop.ends[_i].peer->connections[0];
    connection->attempt.dialer.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pair_pass(_i);
    PAIR_UNTIL(PAIR_BOTH, !connection->is_unacknowledged);
    ck_assert_int_eq(connection->attempt.dialer.socket, -1);
    ck_assert(!connection->is_lost);
}

BOTH_FIXTURE(NULL, pair_destroy)
UNIT_SECONDS(120)

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections that are lost are made again, and no byte is lost or comes twice.  What is
 * lost is drawn at random: an end closes, or the kernel is told to reset a connection.
 */
#include "base/clock.h"
#include "tcp/private.h"
#include "tcp/redial.h"
#include "tcp/socket.h"
#include "tests/unit/captured_log.h"
#include "tests/unit/runner.h"
#include "tests/unit/tcp/redial_pair.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MESSAGES = 200, TAGS = 2, LONGEST = 300000, COUNT = 3, FAULTS = 60 };

static const mtree_tcp_key_t some_key = {3, 70, 1};

static unsigned long long state;

static unsigned long draw(unsigned long below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned long)(state >> 33) % below;
}

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
    mtree_tcp_peer_t *peer = pair->loop.ends[draw(2)].peer;
    mtree_tcp_connection_t *connection = &peer->connections[draw(COUNT)];
    int socket = connection->is_lost ? connection->attempt.socket : connection->socket;

    if (socket < 0) {
        return;
    }
    if (draw(2) == 0) {
        reset(socket);
    } else {
        (void)shutdown(socket, (int)draw(3));
    }
}

typedef struct {
    loop_message_t sent, received;
    uint32_t tag;
    size_t length;
    unsigned char *from, *to;
} passed_t;

static passed_t passed[2][MESSAGES]; /* [end that sends] */

static unsigned char byte_of(int end, int message, size_t at)
{
    return (unsigned char)(at * 7 + at / 251 + (size_t)message * 13 + (size_t)end);
}

static void draw_messages(int end)
{
    for (int i = 0; i < MESSAGES; i++) {
        passed_t *message = &passed[end][i];

        memset(message, 0, sizeof(*message));
        message->tag = (uint32_t)draw(TAGS);
        message->length = draw(4) == 0 ? draw(100) : draw(LONGEST);
        message->from = malloc(LONGEST);
        message->to = calloc(1, LONGEST);
        for (size_t at = 0; at < message->length; at++) {
            message->from[at] = byte_of(end, i, at);
        }
    }
}

/* As soon as a send has ended its memory is used for other things. */
static void spoil_sent(int end)
{
    for (int i = 0; i < MESSAGES; i++) {
        passed_t *message = &passed[end][i];

        if (message->sent.has_ended && message->from != NULL) {
            unit_ok(message->sent.status);
            memset(message->from, 0xee, message->length);
            free(message->from);
            message->from = NULL;
        }
    }
}

static void verify_messages(int end)
{
    for (int i = 0; i < MESSAGES; i++) {
        passed_t *message = &passed[end][i];
        size_t at = 0;

        unit_ok(message->received.status);
        while (at < message->length && message->to[at] == byte_of(end, i, at)) {
            at++;
        }
        ck_assert_uint_eq(at, message->length);
        free(message->to);
    }
}

static bool has_ended(int end)
{
    for (int i = 0; i < MESSAGES; i++) {
        if (!passed[end][i].sent.has_ended || !passed[end][i].received.has_ended) {
            return false;
        }
    }
    return true;
}

/* The next message of @a end is sent, or received. */
static void begin_one(mtree_tcp_session_t *sessions[2], int sent[2], int posted[2])
{
    int end = (int)draw(2);
    passed_t *message;

    if (draw(2) == 0 && sent[end] < MESSAGES) {
        message = &passed[end][sent[end]++];
        unit_ok(mtree_tcp_send(sessions[end], message->tag, message->from,
                               message->length, draw(2) == 0,
                               loop_begin(&message->sent)));
    } else if (posted[1 - end] < MESSAGES) {
        message = &passed[1 - end][posted[1 - end]++];
        unit_ok(mtree_tcp_recv(sessions[end], message->tag, message->to, LONGEST,
                               loop_begin(&message->received)));
    }
}

START_TEST(every_byte_arrives_once)
{
    int sent[2] = {0, 0}, posted[2] = {0, 0}, faults = 0;
    mtree_tcp_session_t *sessions[2];
    double end = mtree_clock_seconds() + 60;
    UNIT_OWNED(pair_destroy) pair_t pair;

    state = (unsigned long long)_i + 1;
    heard_start();
    pair_create(&pair, COUNT);
    for (int i = 0; i < 2; i++) {
        sessions[i] = loop_session(&pair.loop, i, &some_key);
        draw_messages(i);
    }
    while (!has_ended(0) || !has_ended(1)) {
        ck_assert(mtree_clock_seconds() < end);
        ck_assert_int_eq(heard_lines(), 0);
        begin_one(sessions, sent, posted);
        if (faults < FAULTS && draw(8) == 0) {
            faults++;
            break_some(&pair);
        }
        for (int i = 0; i < 2; i++) {
            pair_poll(&pair, i);
            spoil_sent(i);
        }
    }
    ck_assert_int_eq(faults, FAULTS);
    for (int i = 0; i < 2; i++) {
        verify_messages(i);
    }
}
END_TEST

/* Each end may be the one whose connection is lost while nothing is under way. */
START_TEST(a_connection_that_was_lost_while_idle_carries_again)
{
    double end = mtree_clock_seconds() + 0.1;
    UNIT_OWNED(pair_destroy) pair_t pair;

    heard_start();
    pair_create(&pair, 1);
    (void)shutdown(pair.loop.ends[_i % 2].peer->connections[0].socket, SHUT_RDWR);
    while (_i < 2 && mtree_clock_seconds() < end) {
        pair_poll(&pair, 0);
        pair_poll(&pair, 1);
    }
    pair_pass(&pair, _i / 2);
    ck_assert_int_eq(heard_lines(), 0);
}
END_TEST

/* Nobody listens where the peer was. */
UNIT_TEST(a_peer_that_is_gone_is_given_up)
{
    loop_message_t received;
    double begin = mtree_clock_seconds();
    mtree_tcp_connection_t *connections;
    char byte;
    pair_t pair;

    heard_start();
    pair_create(&pair, 2);
    (void)mtree_tcp_recv(loop_session(&pair.loop, 0, &some_key), 0, &byte, 1,
                         loop_begin(&received));
    mtree_tcp_destroy(pair.loop.ends[1].tcp);
    mtree_tcp_listener_destroy(pair.listeners[1]);
    connections = pair.loop.ends[0].peer->connections;
    while (!connections[0].attempt.is_refused || !connections[1].attempt.is_refused) {
        ck_assert(mtree_clock_seconds() < begin + 20);
        pair_poll(&pair, 0);
    }
    begin = mtree_clock_seconds();
    for (int i = 0; i < 2; i++) {
        connections[i].attempt.refused.seconds = MTREE_TCP_REFUSED_SECONDS - 1;
    }
    while (!received.has_ended && mtree_clock_seconds() < begin + 20) {
        pair_poll(&pair, 0);
    }
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    ck_assert(mtree_clock_seconds() > begin + 1);
    ck_assert_int_eq(heard_lines(), 1);
    ck_assert_ptr_nonnull(strstr(heard_last(), "Connection refused"));
    mtree_tcp_destroy(pair.loop.ends[0].tcp);
    mtree_tcp_listener_destroy(pair.listeners[0]);
}

/* What is sent to one address is lost, and a firewall refuses the other one: a link that
 * is gone, and no peer. */
UNIT_TEST(who_is_refused_at_one_address_is_not_gone)
{
    loop_message_t received;
    double end = mtree_clock_seconds() + 20;
    mtree_tcp_connection_t *connection;
    int first, mute;
    char byte;
    pair_t pair;

    heard_start();
    pair_create(&pair, 1);
    connection = &pair.loop.ends[0].peer->connections[0];
    mute = loop_listen_to_one(&first, &pair.loop.ends[0].peer->redial->dial.port);
    (void)mtree_tcp_recv(loop_session(&pair.loop, 0, &some_key), 0, &byte, 1,
                         loop_begin(&received));
    (void)shutdown(connection->socket, SHUT_RDWR);
    while (!connection->is_lost) {
        pair_poll(&pair, 0);
    }
    while (!connection->attempt.is_refused) {
        ck_assert(mtree_clock_seconds() < end);
        pair_poll(&pair, 0);
    }
    /* The first address has its turn again. */
    connection->attempt.tries = 0;
    while (connection->attempt.is_refused) {
        ck_assert(mtree_clock_seconds() < end);
        pair_poll(&pair, 0);
    }
    ck_assert_double_eq(connection->attempt.refused.seconds, 0);
    ck_assert(!received.has_ended);
    (void)close(first);
    (void)close(mute);
    pair_destroy(&pair);
}

/* Either end is away for longer than it would be waited for if it were gone. */
START_TEST(a_peer_that_computes_is_waited_for)
{
    char from[] = "from", to[5] = "";
    loop_message_t sent, received;
    double begin = mtree_clock_seconds();
    mtree_tcp_connection_t *connection;
    pair_t pair;

    heard_start();
    pair_create(&pair, 1);
    connection = &pair.loop.ends[_i].peer->connections[0];
    (void)mtree_tcp_recv(loop_session(&pair.loop, _i, &some_key), 0, to, 5,
                         loop_begin(&received));
    (void)shutdown(connection->socket, SHUT_RDWR);
    while (mtree_clock_seconds() < begin + 1) {
        pair_poll(&pair, _i);
        if (connection->attempt.lost.seconds < MTREE_TCP_LOST_SECONDS - 0.5) {
            connection->attempt.lost.seconds = MTREE_TCP_LOST_SECONDS - 0.5;
        }
    }
    (void)mtree_tcp_send(loop_session(&pair.loop, 1 - _i, &some_key), 0, from, 5, true,
                         loop_begin(&sent));
    pair_await(&pair, &received);
    unit_ok(received.status);
    ck_assert_str_eq(to, "from");
    ck_assert_int_eq(heard_lines(), 0);
    pair_destroy(&pair);
}
END_TEST

/* The other end has no memory, say, and computes on. */
START_TEST(a_peer_that_has_failed_says_so)
{
    loop_message_t received;
    char byte;
    UNIT_OWNED(pair_destroy) pair_t pair;

    heard_start();
    pair_create(&pair, 2);
    (void)mtree_tcp_recv(loop_session(&pair.loop, _i, &some_key), 0, &byte, 1,
                         loop_begin(&received));
    mtree_tcp_peer_fail(pair.loop.ends[1 - _i].peer, MTREE_ERR_TRANSPORT, "a reason");
    pair_await(&pair, &received);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    ck_assert_ptr_nonnull(strstr(heard_last(), "it has given this process up"));
}
END_TEST

/* Else it would be taken for a proof that the link carries when that is gone later. */
START_TEST(what_is_dialed_beside_a_connection_ends_when_that_speaks)
{
    double end = mtree_clock_seconds() + 20;
    mtree_tcp_connection_t *connection;
    UNIT_OWNED(pair_destroy) pair_t pair;

    pair_create(&pair, 1);
    connection = &pair.loop.ends[_i].peer->connections[0];
    connection->attempt.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    pair_pass(&pair, _i);
    while (connection->is_unacknowledged) {
        ck_assert(mtree_clock_seconds() < end);
        pair_poll(&pair, 0);
        pair_poll(&pair, 1);
    }
    ck_assert_int_eq(connection->attempt.socket, -1);
    ck_assert(!connection->is_lost);
}
END_TEST

static void add_usual(TCase *tcase)
{
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, a_connection_that_was_lost_while_idle_carries_again, 0, 4);
    tcase_add_loop_test(tcase, what_is_dialed_beside_a_connection_ends_when_that_speaks,
                        0, 2);
    tcase_add_loop_test(tcase, a_peer_that_computes_is_waited_for, 0, 2);
    tcase_add_loop_test(tcase, a_peer_that_has_failed_says_so, 0, 2);
    tcase_add_loop_test(tcase, every_byte_arrives_once, 0, unit_loops(2, 10));
}

UNIT_SUITE(plain)
{
    loop_add(plain, add_usual);
}

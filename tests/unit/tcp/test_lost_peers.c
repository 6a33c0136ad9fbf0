/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with a connection ends its peer and nothing else. */
#include "base/log.h"
#include "tcp/tls.h"
#include "tests/unit/tcp/loop.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 70000 };

/* An end closes while a message is under way: all of the peer's messages end. */
BOTH_LOOP(a_cut_connection_ends_all_messages, 0, 3)
{
    static char from[LONGEST], to[LONGEST];
    static loop_message_t sent, received[3], late;

    loop_create(3);
    loop_open();
    loop_send(0, from, LONGEST, true, &sent);
    for (int i = 0; i < 3; i++) {
        loop_recv(1, to, LONGEST, &received[i]);
    }
    loop_poll(1);
    (void)shutdown(loop.sockets[0][_i], SHUT_RDWR);
    loop_settle();
    for (int i = 0; i < 3; i++) {
        ck_assert(received[i].has_ended);
    }
    ck_assert_int_eq(received[2].status, MTREE_ERR_TRANSPORT);
    ck_assert(sent.has_ended);
    ck_assert_int_eq(
        mtree_tcp_recv(loop_session(1, &loop_key), 1, to, 1, loop_begin(&late)),
        MTREE_ERR_TRANSPORT);
    ck_assert(!late.has_ended);
    ck_assert_int_ge(heard_lines(), 1);
    heard_text("lost the TCP connections");
}

/* One event tells of the last bytes and of the end behind them. */
BOTH_TEST(an_end_that_comes_with_the_last_message_is_seen)
{
    static char from[LONGEST], to[LONGEST];
    static loop_message_t sent, received[2];

    loop_create(1);
    loop_open();
    for (int i = 0; i < 2; i++) {
        loop_recv(1, to, 1, &received[i]);
    }
    loop_settle();
    loop_send(0, from, 1, false, &sent);
    loop_poll(0);
    (void)shutdown(loop.sockets[0][0], SHUT_RDWR);
    for (int i = 0; i < 10; i++) {
        loop_poll(1);
    }
    ck_assert(received[0].has_ended && received[1].has_ended);
    unit_ok(received[0].status);
    ck_assert_int_eq(received[1].status, MTREE_ERR_TRANSPORT);
}

BOTH_TEST(messages_end_with_the_peer)
{
    static loop_message_t sent, received, late;
    char byte = 0;

    loop_create(2);
    loop_send(0, &byte, 1, true, &sent);
    (void)mtree_tcp_recv(loop_session(0, &loop_key), 1, &byte, 1, loop_begin(&received));
    mtree_tcp_peer_fail(loop.ends[0].peer, "it is gone");
    loop_poll(0);
    ck_assert(sent.has_ended && received.has_ended);
    ck_assert_int_eq(sent.status, MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(
        mtree_tcp_recv(loop_session(0, &loop_key), 0, &byte, 1, loop_begin(&late)),
        MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(heard_lines(), 1);
}

BOTH_TEST(an_idle_peer_may_go)
{
    mtree_tcp_session_t *session;
    static loop_message_t late;
    char byte;

    loop_create(2);
    session = loop_session(0, &loop_key);
    loop_settle();
    mtree_tcp_destroy(loop.ends[1].tcp);
    loop.ends[1].tcp = NULL;
    for (int i = 0; i < 10; i++) {
        loop_poll(0);
    }
    ck_assert_int_eq(heard_lines(), 0);
    /* Whoever needs it later is told. */
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mtree_tcp_recv(session, 0, &byte, 1, loop_begin(&late)),
                         MTREE_ERR_TRANSPORT);
    }
    heard_only("lost the TCP connections");
}

/* A child that the program has forked holds the sockets: the connections end all the
 * same, for this end and for the other. */
BOTH_TEST(a_child_keeps_no_connection)
{
    static loop_message_t sent;
    struct pollfd watched;
    pid_t child;

    loop_create(2);
    watched = (struct pollfd){mtree_tcp_descriptor(loop.ends[0].tcp), POLLIN, 0};
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)sleep(60);
        _exit(0);
    }
    loop_settle();
    mtree_tcp_peer_destroy(loop.ends[0].peer);
    (void)mtree_tcp_send(loop_session(1, &loop_key), 0, "x", 1, false, loop_begin(&sent));
    for (int i = 0; i < 10; i++) {
        loop_poll(1);
    }
    ck_assert_int_eq(poll(&watched, 1, 0), 0);
    loop_poll(0);
    ck_assert_int_eq(
        mtree_tcp_send(loop_session(1, &loop_key), 0, "x", 1, false, loop_begin(&sent)),
        MTREE_ERR_TRANSPORT);
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
}

/* An operation gives its messages up: its memory is left alone, and others go on. */
BOTH_LOOP(an_abandoned_session_leaves_its_memory_alone, 0, 2)
{
    static char from[LONGEST], to[LONGEST], other[LONGEST];
    static const mtree_tcp_key_t other_key = {3, 71, 1};
    static loop_message_t sent, received, after[2];
    mtree_tcp_session_t *others[2];

    loop_create(1);
    loop_open();
    for (int end = 0; end < 2; end++) {
        others[end] = loop_session(end, &other_key);
    }
    loop_settle();
    memset(from, 1, LONGEST);
    loop_send(0, from, LONGEST, true, &sent);
    loop_recv(1, to, LONGEST, &received);
    loop_poll(1);
    mtree_tcp_session_end(loop.ends[_i].peer, &loop_key, true);
    loop_poll(_i);
    ck_assert(_i == 0 ? sent.has_ended : received.has_ended);
    ck_assert_int_eq(_i == 0 ? sent.status : received.status, MTREE_ERR_TRANSPORT);
    memset(_i == 0 ? from : to, 2, LONGEST);
    (void)mtree_tcp_send(others[0], 0, from, LONGEST, false, loop_begin(&after[0]));
    (void)mtree_tcp_recv(others[1], 0, other, LONGEST, loop_begin(&after[1]));
    loop_settle();
    ck_assert(after[0].has_ended && after[1].has_ended);
    unit_ok(after[1].status);
    for (int i = 0; i < LONGEST; i++) {
        ck_assert_int_eq(to[i], _i == 0 ? 1 : 2);
    }
}

/* Bytes that no peer of this version sends. */
BOTH_LOOP(garbage_ends_the_peer, 0, 20)
{
    unsigned seed = (unsigned)_i + 1;
    unsigned char bytes[4096];
    static loop_message_t received;

    loop_create(2);
    loop_recv(0, bytes, sizeof(bytes), &received);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)rand_r(&seed);
    }
    (void)send(loop.sockets[1][0], bytes, sizeof(bytes), MSG_NOSIGNAL);
    loop_poll(0);
    ck_assert(received.has_ended);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    heard_text(loop_encrypts ? MTREE_TLS_REASON : "it sent what is no message");
}

static void send_frame(const mtree_tcp_frame_t *frame)
{
    unsigned char header[MTREE_TCP_HEADER];

    mtree_tcp_frame_write(frame, header);
    (void)send(loop.sockets[1][0], header, sizeof(header), MSG_NOSIGNAL);
}

/* Frames that are well formed and break the rules. */
UNIT_LOOP(broken_rules_end_the_peer, 0, 3)
{
    static const struct {
        mtree_tcp_frame_t first, second;
        const char *reason;
    } cases[] = {
        {{MTREE_TCP_OPEN, {3, 70, 1}, 0, 0, 0},
         {MTREE_TCP_OPEN, {3, 70, 1}, 0, 0, 0},
         "began a session twice"},
        {{MTREE_TCP_MESSAGE, {3, 70, 1}, 1, 5, 0},
         {MTREE_TCP_MESSAGE, {3, 70, 1}, 1, 5, 0},
         "a message twice"},
        {{MTREE_TCP_OPEN, {9, 9, 9}, 0, 0, 0},
         {MTREE_TCP_MESSAGE, {9, 9, 9}, 1, 0, MTREE_TCP_AHEAD + 1},
         "too much"},
    };
    static loop_message_t received;
    char bytes[8];

    loop_create(1);
    loop_recv(0, bytes, sizeof(bytes), &received);
    send_frame(&cases[_i].first);
    send_frame(&cases[_i].second);
    loop_poll(0);
    ck_assert(received.has_ended);
    heard_text(cases[_i].reason);
}

/* Before its receive or after it; the next message arrives all the same. */
BOTH_LOOP(a_message_that_is_too_long_ends_its_receive_alone, 0, 2)
{
    static loop_message_t sent[2], received[2];
    char from[2][9] = {"too long", "next one"}, to[2][9] = {"", ""};

    loop_create(2);
    loop_open();
    for (int turn = 0; turn < 2; turn++) {
        if (turn == _i) {
            loop_recv(0, to[0], 8, &received[0]);
            loop_recv(0, to[1], 9, &received[1]);
        } else {
            for (int i = 0; i < 2; i++) {
                loop_send(1, from[i], 9, false, &sent[i]);
            }
        }
        loop_settle();
    }
    unit_invalid(received[0].status);
    ck_assert_str_eq(to[0], "");
    unit_ok(received[1].status);
    ck_assert_str_eq(to[1], "next one");
    ck_assert_int_eq(heard_lines(), 0);
}

BOTH_FIXTURE(NULL, loop_destroy)
UNIT_SECONDS(120)

/* SPDX-License-Identifier: BSD-3-Clause */
/* What is wrong with a connection ends its peer and nothing else. */
#include "base/log.h"
#include "tcp/tls.h"
#include "tests/unit/runner.h"
#include "tests/unit/tcp/loop.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST = 70000 };

static const mtree_tcp_key_t some_key = {3, 70, 1};

/* An end closes while a message is under way: all of the peer's messages end. */
BOTH_LOOP(a_cut_connection_ends_all_messages, 0, 3)
{
    static char from[LONGEST], to[LONGEST];
    loop_message_t sent, received[3], late;
    mtree_tcp_session_t *sessions[2];
    UNIT_OWNED(loop_destroy) loop_t loop;

    loop_create(&loop, 3);
    sessions[0] = loop_session(&loop, 0, &some_key);
    sessions[1] = loop_session(&loop, 1, &some_key);
    (void)mtree_tcp_send(sessions[0], 0, from, LONGEST, true, loop_begin(&sent));
    for (int i = 0; i < 3; i++) {
        (void)mtree_tcp_recv(sessions[1], 0, to, LONGEST, loop_begin(&received[i]));
    }
    loop_poll(&loop, 1);
    (void)shutdown(loop.sockets[0][_i], SHUT_RDWR);
    loop_settle(&loop);
    for (int i = 0; i < 3; i++) {
        ck_assert(received[i].has_ended);
    }
    ck_assert_int_eq(received[2].status, MTREE_ERR_TRANSPORT);
    ck_assert(sent.has_ended);
    ck_assert_int_eq(mtree_tcp_recv(sessions[1], 1, to, 1, loop_begin(&late)),
                     MTREE_ERR_TRANSPORT);
    ck_assert(!late.has_ended);
    ck_assert_int_ge(heard_lines(), 1);
    heard_text("lost the TCP connections");
}

/* One event tells of the last bytes and of the end behind them. */
BOTH_TEST(an_end_that_comes_with_the_last_message_is_seen)
{
    static char from[LONGEST], to[LONGEST];
    loop_message_t sent, received[2];
    mtree_tcp_session_t *sessions[2];
    UNIT_OWNED(loop_destroy) loop_t loop;

    loop_create(&loop, 1);
    sessions[0] = loop_session(&loop, 0, &some_key);
    sessions[1] = loop_session(&loop, 1, &some_key);
    for (int i = 0; i < 2; i++) {
        (void)mtree_tcp_recv(sessions[1], 0, to, 1, loop_begin(&received[i]));
    }
    loop_settle(&loop);
    (void)mtree_tcp_send(sessions[0], 0, from, 1, false, loop_begin(&sent));
    loop_poll(&loop, 0);
    (void)shutdown(loop.sockets[0][0], SHUT_RDWR);
    for (int i = 0; i < 10; i++) {
        loop_poll(&loop, 1);
    }
    ck_assert(received[0].has_ended && received[1].has_ended);
    unit_ok(received[0].status);
    ck_assert_int_eq(received[1].status, MTREE_ERR_TRANSPORT);
}

BOTH_TEST(messages_end_with_the_peer)
{
    mtree_tcp_session_t *session;
    loop_message_t sent, received, late;
    UNIT_OWNED(loop_destroy) loop_t loop;
    char byte = 0;

    loop_create(&loop, 2);
    session = loop_session(&loop, 0, &some_key);
    (void)mtree_tcp_send(session, 0, &byte, 1, true, loop_begin(&sent));
    (void)mtree_tcp_recv(session, 1, &byte, 1, loop_begin(&received));
    mtree_tcp_peer_fail(loop.ends[0].peer, "it is gone");
    loop_poll(&loop, 0);
    ck_assert(sent.has_ended && received.has_ended);
    ck_assert_int_eq(sent.status, MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(mtree_tcp_recv(session, 0, &byte, 1, loop_begin(&late)),
                     MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(heard_lines(), 1);
}

BOTH_TEST(an_idle_peer_may_go)
{
    mtree_tcp_session_t *session;
    loop_message_t late;
    loop_t loop;
    char byte;

    loop_create(&loop, 2);
    session = loop_session(&loop, 0, &some_key);
    loop_settle(&loop);
    mtree_tcp_destroy(loop.ends[1].tcp);
    for (int i = 0; i < 10; i++) {
        loop_poll(&loop, 0);
    }
    ck_assert_int_eq(heard_lines(), 0);
    /* Whoever needs it later is told. */
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mtree_tcp_recv(session, 0, &byte, 1, loop_begin(&late)),
                         MTREE_ERR_TRANSPORT);
    }
    heard_only("lost the TCP connections");
    mtree_tcp_destroy(loop.ends[0].tcp);
}

/* A child that the program has forked holds the sockets: the connections end all the
 * same, for this end and for the other. */
BOTH_TEST(a_child_keeps_no_connection)
{
    loop_message_t sent;
    struct pollfd watched;
    UNIT_OWNED(loop_destroy) loop_t loop;
    pid_t child;

    loop_create(&loop, 2);
    watched = (struct pollfd){mtree_tcp_descriptor(loop.ends[0].tcp), POLLIN, 0};
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        (void)sleep(60);
        _exit(0);
    }
    loop_settle(&loop);
    mtree_tcp_peer_destroy(loop.ends[0].peer);
    (void)mtree_tcp_send(loop_session(&loop, 1, &some_key), 0, "x", 1, false,
                         loop_begin(&sent));
    for (int i = 0; i < 10; i++) {
        loop_poll(&loop, 1);
    }
    ck_assert_int_eq(poll(&watched, 1, 0), 0);
    loop_poll(&loop, 0);
    ck_assert_int_eq(mtree_tcp_send(loop_session(&loop, 1, &some_key), 0, "x", 1, false,
                                    loop_begin(&sent)),
                     MTREE_ERR_TRANSPORT);
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
}

/* An operation gives its messages up: its memory is left alone, and others go on. */
BOTH_LOOP(an_abandoned_session_leaves_its_memory_alone, 0, 2)
{
    static char from[LONGEST], to[LONGEST], other[LONGEST];
    static const mtree_tcp_key_t other_key = {3, 71, 1};
    loop_message_t sent, received, after[2];
    mtree_tcp_session_t *sessions[2], *others[2];
    UNIT_OWNED(loop_destroy) loop_t loop;

    loop_create(&loop, 1);
    for (int end = 0; end < 2; end++) {
        sessions[end] = loop_session(&loop, end, &some_key);
        others[end] = loop_session(&loop, end, &other_key);
    }
    loop_settle(&loop);
    memset(from, 1, LONGEST);
    (void)mtree_tcp_send(sessions[0], 0, from, LONGEST, true, loop_begin(&sent));
    (void)mtree_tcp_recv(sessions[1], 0, to, LONGEST, loop_begin(&received));
    loop_poll(&loop, 1);
    mtree_tcp_session_abandon(sessions[_i]);
    loop_poll(&loop, _i);
    ck_assert(_i == 0 ? sent.has_ended : received.has_ended);
    ck_assert_int_eq(_i == 0 ? sent.status : received.status, MTREE_ERR_TRANSPORT);
    memset(_i == 0 ? from : to, 2, LONGEST);
    (void)mtree_tcp_send(others[0], 0, from, LONGEST, false, loop_begin(&after[0]));
    (void)mtree_tcp_recv(others[1], 0, other, LONGEST, loop_begin(&after[1]));
    loop_settle(&loop);
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
    loop_message_t received;
    mtree_tcp_session_t *session;
    UNIT_OWNED(loop_destroy) loop_t loop;

    loop_create(&loop, 2);
    session = loop_session(&loop, 0, &some_key);
    (void)mtree_tcp_recv(session, 0, bytes, sizeof(bytes), loop_begin(&received));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (unsigned char)rand_r(&seed);
    }
    (void)send(loop.sockets[1][0], bytes, sizeof(bytes), MSG_NOSIGNAL);
    loop_poll(&loop, 0);
    ck_assert(received.has_ended);
    ck_assert_int_eq(received.status, MTREE_ERR_TRANSPORT);
    heard_text(loop_encrypts ? MTREE_TLS_REASON : "it sent what is no message");
}

static void send_frame(loop_t *loop, const mtree_tcp_frame_t *frame)
{
    unsigned char header[MTREE_TCP_HEADER];

    mtree_tcp_frame_write(frame, header);
    (void)send(loop->sockets[1][0], header, sizeof(header), MSG_NOSIGNAL);
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
    loop_message_t received;
    char bytes[8];
    UNIT_OWNED(loop_destroy) loop_t loop;

    loop_create(&loop, 1);
    (void)mtree_tcp_recv(loop_session(&loop, 0, &some_key), 0, bytes, sizeof(bytes),
                         loop_begin(&received));
    send_frame(&loop, &cases[_i].first);
    send_frame(&loop, &cases[_i].second);
    loop_poll(&loop, 0);
    ck_assert(received.has_ended);
    heard_text(cases[_i].reason);
}

/* Before its receive or after it; the next message arrives all the same. */
BOTH_LOOP(a_message_that_is_too_long_ends_its_receive_alone, 0, 2)
{
    mtree_tcp_session_t *sessions[2];
    loop_message_t sent[2], received[2];
    char from[2][9] = {"too long", "next one"}, to[2][9] = {"", ""};
    UNIT_OWNED(loop_destroy) loop_t loop;

    loop_create(&loop, 2);
    sessions[0] = loop_session(&loop, 0, &some_key);
    sessions[1] = loop_session(&loop, 1, &some_key);
    for (int turn = 0; turn < 2; turn++) {
        if (turn == _i) {
            (void)mtree_tcp_recv(sessions[0], 0, to[0], 8, loop_begin(&received[0]));
            (void)mtree_tcp_recv(sessions[0], 0, to[1], 9, loop_begin(&received[1]));
        } else {
            for (int i = 0; i < 2; i++) {
                (void)mtree_tcp_send(sessions[1], 0, from[i], 9, false,
                                     loop_begin(&sent[i]));
            }
        }
        loop_settle(&loop);
    }
    unit_invalid(received[0].status);
    ck_assert_str_eq(to[0], "");
    unit_ok(received[1].status);
    ck_assert_str_eq(to[1], "next one");
    ck_assert_int_eq(heard_lines(), 0);
}

UNIT_SECONDS(120)

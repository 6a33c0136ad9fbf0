/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages over several connections: each meets its receive, whatever order they come in.
 */
#include "base/clock.h"
#include "tcp/private.h"
#include "tests/folded.h"
#include "tests/unit/tcp/loop.h"

#include <sys/socket.h>
#include <unistd.h>

BOTH_LOOP(each_message_meets_its_receive, 0, unit_loops(4, 24))
{
    static const int counts[] = {1, 2, 5, MTREE_TCP_CONNECTIONS};
    static const random_messages_t how = {
        .messages = 400, .tags = 3, .sessions = 2, .longest = 70000};
    double end = mtree_clock_seconds() + 100;

    random_seed(_i);
    loop_create(counts[_i % 4]);
    random_messages_begin(&how);
    while (!random_messages_have_ended()) {
        ck_assert(mtree_clock_seconds() < end);
        random_messages_step();
        if (random_draw(3) == 0) {
            loop_poll((int)random_draw(2));
        }
    }
    random_messages_verify();
}

/* One of more bytes than 32 bits count, and another behind it: gigabytes are copied. */
UNIT_LOOP(a_message_may_have_any_length, 0, unit_loops(0, 1))
{
    const size_t length = ((size_t)1 << 32) + 12345;
    size_t places[] = {0, length / 2, length - 1};
    char *from = folded_create(length, length), *to = folded_create(length, length);
    static loop_message_t sent[2], received[2];
    int buffer = 1 << 20;

    ck_assert(from != NULL && to != NULL);
    loop_create(1);
    (void)setsockopt(loop.sockets[0][0], SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
    loop_open();
    for (int i = 0; i < 3; i++) {
        from[places[i]] = (char)(i + 1);
    }
    loop_recv(1, to, length, &received[0]);
    loop_send(0, from, length, true, &sent[0]);
    while (!sent[0].has_ended || !received[0].has_ended) {
        loop_poll(0);
        loop_poll(1);
    }
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(to[places[i]], i + 1);
    }
    loop_recv(1, to, 1, &received[1]);
    loop_send(0, from, 1, true, &sent[1]);
    loop_settle();
    ck_assert(received[1].has_ended && received[1].status == MTREE_OK);
    folded_destroy(from, length);
    folded_destroy(to, length);
}

BOTH_TEST(messages_wait_for_connections)
{
    char from[] = "what waits", to[sizeof(from)] = "";
    static loop_message_t sent, received;

    loop_create(0);
    loop_send(0, from, sizeof(from), false, &sent);
    loop_recv(1, to, sizeof(to), &received);
    loop_settle();
    ck_assert(!sent.has_ended && !received.has_ended);
    loop_connect(2);
    loop_settle();
    ck_assert(sent.has_ended && received.has_ended);
    ck_assert_str_eq(to, from);
}

/* Communicators have the numbers of earlier ones, and one end may be behind. */
BOTH_LOOP(a_key_may_be_used_again, 0, 5)
{
    static loop_message_t sent, received;
    char byte = 0;

    random_seed(_i);
    loop_create(3);
    for (int i = 0; i < 30; i++) {
        loop_send(0, &byte, 1, false, &sent);
        loop_poll(0);
        ck_assert(sent.has_ended);
        mtree_tcp_session_end(loop.ends[0].peer, &loop_key, false);
        loop_recv(1, &byte, 1, &received);
        for (int polls = 0; polls < 1000 && !received.has_ended; polls++) {
            loop_poll(1);
        }
        ck_assert(received.has_ended);
        mtree_tcp_session_end(loop.ends[1].peer, &loop_key, false);
        if (random_draw(3) == 0) {
            loop_settle();
        }
    }
}

static struct {
    int sends, receives;
    uint32_t last_tag;
} rerouted;

static void note_rerouted(void *owner, int rank, bool sends, uint32_t tag, void *bytes,
                          size_t length, mtree_completion_t *done)
{
    ck_assert_ptr_nonnull(owner);
    ck_assert_int_eq(rank, 1);
    ck_assert(bytes != NULL && length == 3 && done != NULL);
    rerouted.sends += sends;
    rerouted.receives += !sends;
    if (sends) {
        ck_assert_uint_ge(tag, rerouted.last_tag);
        rerouted.last_tag = tag;
    }
}

BOTH_TEST(messages_that_waited_in_vain_are_handed_back_in_order)
{
    static loop_message_t messages[6];
    char bytes[3];
    mtree_tcp_session_t *session;

    loop_create(0);
    session = loop_session(0, &loop_key);
    for (uint32_t i = 0; i < 3; i++) {
        (void)mtree_tcp_send(session, i, bytes, 3, false, loop_begin(&messages[i]));
        (void)mtree_tcp_recv(session, i, bytes, 3, loop_begin(&messages[3 + i]));
    }
    mtree_tcp_peer_reroute(loop.ends[0].peer, note_rerouted);
    ck_assert_int_eq(rerouted.sends, 3);
    ck_assert_int_eq(rerouted.receives, 3);
    loop_settle();
    ck_assert(!messages[0].has_ended && !messages[3].has_ended);
}

/* A schedule sees how fast a link drains by the ends of its sends. */
BOTH_TEST(a_synchronous_send_ends_when_the_peer_has_it)
{
    char from[] = "what goes", to[2][sizeof(from)];
    static loop_message_t sent[2], received[2];

    loop_create(1);
    (void)loop_session(0, &loop_key);
    for (int i = 0; i < 2; i++) {
        loop_recv(1, to[i], sizeof(from), &received[i]);
    }
    loop_settle();
    loop_send(0, from, sizeof(from), true, &sent[0]);
    loop_send(0, from, sizeof(from), false, &sent[1]);
    for (int i = 0; i < 10000; i++) {
        loop_poll(0);
    }
    ck_assert(!sent[0].has_ended && sent[1].has_ended);
    ck_assert(isfinite(mtree_tcp_patience(loop.ends[0].tcp)));
    ck_assert(isinf(mtree_tcp_patience(loop.ends[1].tcp)));
    loop_settle();
    ck_assert(sent[0].has_ended && received[0].has_ended && received[1].has_ended);
    ck_assert(isinf(mtree_tcp_patience(loop.ends[0].tcp)));
    unit_ok(sent[0].status);
}

/* Send so many bytes in @a count messages from end 0; how many of them end before there
 * is a receive. */
static int send_pieces(const char *from, size_t piece, int count, loop_message_t *sent)
{
    int ended = 0;

    for (int i = 0; i < count; i++) {
        loop_send(0, from + (size_t)i * piece, piece, false, &sent[i]);
    }
    loop_settle();
    for (int i = 0; i < count; i++) {
        ended += sent[i].has_ended;
    }
    return ended;
}

/* Who has not begun a session is sent little of it, and gets all of it later. */
BOTH_TEST(little_is_sent_before_the_peer_begins)
{
    size_t piece = MTREE_TCP_AHEAD / 4;
    UNIT_FREED char *from = calloc(8, piece), *to = calloc(8, piece);
    static loop_message_t sent[8], received[8];

    loop_create(3);
    for (int i = 0; i < 8; i++) {
        memset(from + (size_t)i * piece, i + 1, piece);
    }
    ck_assert_int_eq(send_pieces(from, piece, 8, sent), 4);
    for (int i = 0; i < 8; i++) {
        loop_recv(1, to + (size_t)i * piece, piece, &received[i]);
    }
    loop_settle();
    for (int i = 0; i < 8; i++) {
        ck_assert(received[i].has_ended);
    }
    ck_assert_int_eq(memcmp(from, to, 8 * piece), 0);
}

/* A peer has begun a message that nobody receives when the session ends. */
BOTH_TEST(what_comes_when_its_session_has_ended_goes_nowhere)
{
    const size_t length = 4 << 20;
    UNIT_FREED char *from = calloc(1, length);
    static loop_message_t sent;
    const mtree_tcp_connection_t *connection;

    loop_create(1);
    loop_open();
    loop_settle();
    loop_send(1, from, length, false, &sent);
    connection = &loop.ends[0].peer->connections[0];
    for (int i = 0; i < 1000 && connection->reading == NULL; i++) {
        loop_poll(1);
        loop_poll(0);
    }
    ck_assert(connection->reading != NULL && connection->left > 0);
    mtree_tcp_session_end(loop.ends[0].peer, &loop_key, false);
    ck_assert_ptr_null(connection->reading);
    ck_assert_ptr_null(connection->place);
    loop_settle();
    ck_assert(sent.has_ended);
    ck_assert_uint_eq(connection->left, 0);
}

/* A peer sends very many, in the order that is the worst. */
UNIT_TEST(what_comes_early_is_soon_found)
{
    enum { FRAMES = 100000, PART = 100 };
    mtree_tcp_frame_t frame = {.kind = MTREE_TCP_MESSAGE, .key = loop_key};
    unsigned char header[MTREE_TCP_HEADER];
    mtree_tcp_peer_t *peer;
    mtree_tcp_t *tcp;
    double begin = mtree_clock_thread_seconds();
    int pair[2];

    unit_ok(mtree_tcp_create(0, &tcp));
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    peer = mtree_tcp_peer_create(tcp, "the peer", 0, NULL);
    mtree_tcp_peer_connect(peer, pair[0], NULL);
    for (uint32_t i = 0; i < FRAMES; i++) {
        frame.sequence = FRAMES - i;
        mtree_tcp_frame_write(&frame, header);
        ck_assert_int_eq(send(pair[1], header, sizeof(header), MSG_NOSIGNAL),
                         sizeof(header));
        if (i % PART == 0) {
            (void)mtree_tcp_poll(tcp);
        }
    }
    ck_assert_double_lt(mtree_clock_thread_seconds() - begin, 10);
    (void)close(pair[1]);
    mtree_tcp_destroy(tcp);
}

/* More than the limit comes before its receives: it is read when there is room. */
BOTH_TEST(what_comes_early_has_a_limit)
{
    enum { COUNT = 40 };
    size_t piece = MTREE_TCP_EARLY / 16;
    UNIT_FREED char *from = calloc(COUNT, piece), *to = malloc(piece);
    static loop_message_t sent[COUNT], received[COUNT];
    int early;

    loop_create(2);
    loop_open();
    loop_settle();
    early = send_pieces(from, piece, COUNT, sent);
    ck_assert_int_ge(early, 16);
    ck_assert_int_le(early, 18);
    for (int i = 0; i < COUNT; i++) {
        loop_recv(1, to, piece, &received[i]);
        loop_settle();
        ck_assert(received[i].has_ended);
    }
}

/* Bits/s that the kernel lets a connection of end 0 send. */
static double pace(int connection)
{
    unsigned long bytes = 0;
    socklen_t length = sizeof(bytes);

    ck_assert_int_eq(getsockopt(loop.sockets[0][connection], SOL_SOCKET,
                                SO_MAX_PACING_RATE, &bytes, &length),
                     0);
    return 8 * (double)bytes;
}

/* Each may have to do for the others while they recover. */
static void ck_assert_paced(double rate)
{
    for (int i = 0; i < loop.count; i++) {
        ck_assert_double_gt(pace(i), rate);
        ck_assert_double_lt(pace(i), 2 * rate);
    }
}

BOTH_TEST(each_connection_may_have_the_planned_rate)
{
    static const mtree_tcp_key_t other_key = {3, 71, 1};

    loop_create(0);
    (void)mtree_tcp_session_begin(loop.ends[0].peer, &loop_key, 1, 80e6, &loop);
    loop_connect(3);
    ck_assert_paced(80e6);
    /* What runs beside it takes nothing from it. */
    (void)mtree_tcp_session_begin(loop.ends[0].peer, &other_key, 1, 10e6, &loop);
    ck_assert_paced(80e6);
    mtree_tcp_session_end(loop.ends[0].peer, &loop_key, false);
    mtree_tcp_session_end(loop.ends[0].peer, &other_key, false);
    (void)mtree_tcp_session_begin(loop.ends[0].peer, &loop_key, 1, 20e6, &loop);
    ck_assert_paced(20e6);
}

BOTH_FIXTURE(NULL, loop_destroy)
UNIT_SECONDS(120)

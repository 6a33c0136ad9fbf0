/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is turned away by the end that listens, and who is kept. */
#define _GNU_SOURCE
#include "tcp/crypto.h"
#include "tcp/listener.h"
#include "tcp/socket.h"
#include "tests/unit/runner.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANK = 7, AWAITED = 5, FLOOD = 10 * MTREE_TCP_STRANGERS };

static mtree_tcp_secret_t secret, other; /* of who listens; and of another one */
static mtree_tcp_listener_t *listener;
static bool is_expected;
static int num_admitted;

static mtree_tcp_admission_t admit(const mtree_tcp_greeting_t *greeting, int socket)
{
    if (!is_expected) {
        return MTREE_TCP_UNEXPECTED;
    }
    if (greeting->rank != RANK) {
        return MTREE_TCP_REFUSED;
    }
    num_admitted++;
    (void)close(socket);
    return MTREE_TCP_ADMITTED;
}

static void start(void)
{
    unit_ok(mtree_crypto_draw(&secret, sizeof(secret)));
    unit_ok(mtree_crypto_draw(&other, sizeof(other)));
    ck_assert_mem_ne(&secret, &other, sizeof(secret));
    num_admitted = 0;
    is_expected = true;
    listener = mtree_tcp_listener_create(&(mtree_tcp_ports_t){0, 0}, &secret);
    ck_assert_ptr_nonnull(listener);
    ck_assert_uint_ne(mtree_tcp_listener_port(listener), 0);
}

static void stop(void)
{
    mtree_tcp_listener_destroy(listener);
}

static int dial(void)
{
    mtree_address_t address = mtree_address_parse("127.0.0.1");
    int fd =
        mtree_tcp_socket_connect(NULL, &address, mtree_tcp_listener_port(listener), 0);

    ck_assert_int_ge(fd, 0);
    while (mtree_tcp_socket_connected(fd) == 0) {}
    return fd;
}

static int dial_and_greet(uint32_t number)
{
    mtree_tcp_greeting_t greeting = {.rank = RANK, .number = number, .attempt = 1};
    int fd = dial();

    ck_assert(mtree_tcp_greeting_send(fd, &greeting, &secret));
    return fd;
}

/* Poll so many times, with a pause each. */
static void poll_for(int polls, unsigned microseconds)
{
    for (int i = 0; i < polls; i++) {
        mtree_tcp_listener_poll(listener, AWAITED, admit);
        (void)usleep(microseconds);
    }
}

/* Until so many are admitted, or for a while. */
static void hear(int count)
{
    for (int i = 0; i < 2000 && num_admitted < count; i++) {
        poll_for(1, 500);
    }
    ck_assert_int_eq(num_admitted, count);
}

static void close_all(const int *fds, int count)
{
    for (int i = 0; i < count; i++) {
        (void)close(fds[i]);
    }
}

/* Has the other end closed @a fd? */
static bool is_closed(int fd)
{
    char byte;

    for (int i = 0; i < 2000; i++) {
        ssize_t count = recv(fd, &byte, 1, MSG_DONTWAIT);

        if (count == 0 || (count < 0 && errno == ECONNRESET)) {
            return true;
        }
        ck_assert_int_le(count, 0);
        (void)usleep(500);
    }
    return false;
}

UNIT_TEST(strangers_do_not_disturb)
{
    static const char *const said[] = {"", "GET / HTTP/1.1\r\n\r\n",
                                       "what is longer than a greeting and says nothing"};
    const mtree_tcp_greeting_t greeting = {.rank = RANK, .number = 0};
    int strangers[FLOOD], peers[AWAITED];

    for (int i = 0; i < FLOOD; i++) {
        strangers[i] = dial();
        if (i % 4 == 3) {
            ck_assert(mtree_tcp_greeting_send(strangers[i], &greeting, &other));
        } else {
            (void)send(strangers[i], said[i % 4], strlen(said[i % 4]), MSG_NOSIGNAL);
        }
        mtree_tcp_listener_poll(listener, AWAITED, admit);
    }
    for (uint32_t i = 0; i < AWAITED; i++) {
        peers[i] = dial_and_greet(i);
    }
    hear(AWAITED);
    /* Some that say nothing, among the last ones, may stay; these go with the listener.
     * Half of them say too much. */
    for (int i = 0; i < FLOOD - 2 * (MTREE_TCP_STRANGERS + AWAITED); i++) {
        ck_assert(is_closed(strangers[i]));
    }
    mtree_tcp_listener_destroy(listener);
    listener = NULL;
    for (int i = 0; i < FLOOD; i++) {
        ck_assert(is_closed(strangers[i]));
    }
    close_all(strangers, FLOOD);
    close_all(peers, AWAITED);
}

/* Whoever answers does not learn the secret, nor may it say another rank's, number's,
 * attempt's, count's or position's greeting. */
UNIT_LOOP(a_greeting_gives_no_secret_away, 0, MTREE_TCP_GREETING / 4 + 1)
{
    const mtree_tcp_greeting_t said = {
        .rank = RANK, .number = 1, .attempt = 2, .count = 3, .position = 4};
    unsigned char bytes[MTREE_TCP_GREETING + 1] = {0};
    mtree_tcp_piece_t piece = {.count = 0};
    mtree_tcp_greeting_t heard;
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert(mtree_tcp_greeting_send(pair[0], &said, &secret));
    ck_assert_int_eq(recv(pair[1], bytes, sizeof(bytes), 0), MTREE_TCP_GREETING);
    ck_assert_ptr_null(memmem(bytes, sizeof(bytes), &secret, sizeof(secret)));
    /* One of its words is changed, or what is behind them. */
    bytes[4 * _i]++;
    ck_assert_int_eq(send(pair[0], bytes, MTREE_TCP_GREETING, 0), MTREE_TCP_GREETING);
    ck_assert_int_eq(mtree_tcp_greeting_receive(pair[1], &piece, &secret, &heard),
                     4 * _i < MTREE_TCP_GREETING ? -1 : 1);
    close_all(pair, 2);
}

/* A greeting may come a byte at a time. */
UNIT_TEST(a_slow_greeting_is_read)
{
    mtree_tcp_greeting_t greeting = {.rank = RANK, .number = 0};
    unsigned char bytes[MTREE_TCP_GREETING];
    int pair[2], slow = dial();

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert(mtree_tcp_greeting_send(pair[0], &greeting, &secret));
    ck_assert_int_eq(recv(pair[1], bytes, sizeof(bytes), 0), sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++) {
        ck_assert_int_eq(num_admitted, 0);
        ck_assert_int_eq(send(slow, bytes + i, 1, 0), 1);
        (void)usleep(500);
        mtree_tcp_listener_poll(listener, AWAITED, admit);
    }
    hear(1);
    (void)close(slow);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

/* Who knows the secret may be early; strangers do not push it out. */
UNIT_TEST(who_is_early_is_kept)
{
    int peers[AWAITED], strangers[3 * MTREE_TCP_STRANGERS];

    is_expected = false;
    for (uint32_t i = 0; i < AWAITED; i++) {
        peers[i] = dial_and_greet(i);
    }
    poll_for(20, 500);
    for (int i = 0; i < 3 * MTREE_TCP_STRANGERS; i++) {
        strangers[i] = dial();
        mtree_tcp_listener_poll(listener, AWAITED, admit);
    }
    is_expected = true;
    hear(AWAITED);
    close_all(peers, AWAITED);
    close_all(strangers, 3 * MTREE_TCP_STRANGERS);
}

/* Who has seen a greeting on the way says it again: the first one stays, alone. */
UNIT_TEST(a_greeting_that_is_repeated_is_taken_once)
{
    enum { TIMES = 40 };
    int sockets[TIMES], kept = 0;
    char byte;

    is_expected = false;
    for (int i = 0; i < TIMES; i++) {
        sockets[i] = dial_and_greet(0);
    }
    poll_for(20, 1000);
    for (int i = 0; i < TIMES; i++) {
        kept += recv(sockets[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
    }
    ck_assert_int_eq(kept, 1);
    ck_assert_int_eq(recv(sockets[0], &byte, 1, MSG_DONTWAIT), -1);
    close_all(sockets, TIMES);
}

UNIT_TEST(the_first_free_port_is_taken)
{
    uint16_t taken = mtree_tcp_listener_port(listener);
    const mtree_tcp_ports_t only = {taken, taken};

    ck_assert_ptr_null(mtree_tcp_listener_create(&only, &secret));
    if (taken < UINT16_MAX) {
        const mtree_tcp_ports_t more = {taken, UINT16_MAX};
        mtree_tcp_listener_t *next = mtree_tcp_listener_create(&more, &secret);

        ck_assert_ptr_nonnull(next);
        ck_assert_uint_gt(mtree_tcp_listener_port(next), taken);
        mtree_tcp_listener_destroy(next);
    }
}

UNIT_FIXTURE(start, stop)
UNIT_SECONDS(30)

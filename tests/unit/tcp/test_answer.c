/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who listens answers over the first connection how many there are, and keeps those that
 * come before anybody expects them.
 */
#include "tcp/dialer.h"
#include "tcp/hearing.h"
#include "tcp/listener.h"
#include "tcp/socket.h"
#include "tests/unit/runner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANK = 3, DIALER = 7, COUNT = 3 };

static mtree_tcp_secret_t secret; /* of who listens */
static mtree_tcp_hearing_t hearing;
static mtree_tcp_listener_t *listener;
static mtree_tcp_dialer_t *dialer;
static bool is_expected;

static mtree_tcp_admission_t admit(void *arg, const mtree_tcp_greeting_t *greeting,
                                   int socket)
{
    (void)arg;
    if (!is_expected) {
        return MTREE_TCP_UNEXPECTED;
    }
    ck_assert_uint_eq(greeting->position, COUNT);
    return mtree_tcp_hearing_admit(&hearing, greeting, socket) ? MTREE_TCP_ADMITTED
                                                               : MTREE_TCP_REFUSED;
}

static void start(void)
{
    mtree_tcp_dial_t dial = {
        .rank = DIALER, .num_addresses = 1, .num_connections = COUNT};

    unit_ok(mtree_tcp_secret_draw(&secret));
    mtree_tcp_hearing_init(&hearing);
    listener =
        mtree_tcp_listener_create(&(mtree_tcp_ports_t){0, 0}, &secret, admit, NULL);
    ck_assert_ptr_nonnull(listener);
    mtree_tcp_listener_await(listener, COUNT);
    is_expected = true;
    dial.secret = secret;
    dial.port = mtree_tcp_listener_port(listener);
    dial.addresses[0] = mtree_address_parse("127.0.0.1");
    dialer = mtree_tcp_dialer_create(&dial);
    ck_assert_ptr_nonnull(dialer);
}

static void stop(void)
{
    mtree_tcp_dialer_destroy(dialer);
    mtree_tcp_listener_destroy(listener);
    mtree_tcp_hearing_cleanup(&hearing);
}

/* The connections stand at the end that dials. */
static void dial(void)
{
    int error;

    while (mtree_tcp_dialer_poll(dialer, 1, &error) == 0) {
        (void)usleep(500);
    }
}

static bool all_are_admitted(void)
{
    for (int i = 0; i < COUNT; i++) {
        if (hearing.sockets[i] < 0) {
            return false;
        }
    }
    return true;
}

/* Poll until all are admitted. */
static void hear(void)
{
    for (int i = 0; i < 4000 && !all_are_admitted(); i++) {
        mtree_tcp_listener_poll(listener);
        (void)usleep(500);
    }
    ck_assert(all_are_admitted());
}

static int await_answer(int *count_p)
{
    int answer = 0;

    for (int i = 0; i < 4000 && answer == 0; i++) {
        answer = mtree_tcp_dialer_answer(dialer, RANK, count_p);
        (void)usleep(500);
    }
    return answer;
}

/* Has the other end closed the connection @a number, or else said nothing? */
static bool is_closed(int number)
{
    char byte;

    (void)usleep(5000);
    return recv(hearing.sockets[number], &byte, 1, MSG_DONTWAIT) == 0;
}

/* What follows the answer is left to whoever reads messages. */
UNIT_TEST(the_answer_says_how_many_connections_there_are)
{
    int count = 0, sockets[COUNT];
    char byte = 0;

    dial();
    ck_assert_int_eq(mtree_tcp_dialer_answer(dialer, RANK, &count), 0);
    hear();
    ck_assert(mtree_tcp_dialer_reply(hearing.sockets[0], RANK, hearing.attempts[0],
                                     COUNT - 1, &secret));
    ck_assert_int_eq(send(hearing.sockets[0], "m", 1, 0), 1);
    ck_assert_int_eq(await_answer(&count), 1);
    ck_assert_int_eq(count, COUNT - 1);
    mtree_tcp_dialer_sockets(dialer, sockets);
    for (int i = 0; i < COUNT; i++) {
        ck_assert_int_eq(is_closed(i), i == COUNT - 1);
    }
    ck_assert_int_eq(recv(sockets[0], &byte, 1, 0), 1);
    ck_assert_int_eq(byte, 'm');
    for (int i = 0; i < COUNT - 1; i++) {
        (void)close(sockets[i]);
    }
}

/* Of another process, attempt or number of connections, or of one without the secret. */
UNIT_LOOP(another_answer_is_none, 0, 5)
{
    mtree_tcp_secret_t other = secret;
    int count = 0;

    dial();
    hear();
    other.bytes[0] ^= _i == 3;
    ck_assert(mtree_tcp_dialer_reply(hearing.sockets[0], RANK + (_i == 0),
                                     hearing.attempts[0] + (_i == 1),
                                     COUNT + (_i == 2) - COUNT * (_i == 4), &other));
    ck_assert_int_eq(await_answer(&count), -1);
}

UNIT_TEST(a_connection_that_ends_has_no_answer)
{
    int count = 0;

    dial();
    hear();
    (void)shutdown(hearing.sockets[0], SHUT_RDWR);
    ck_assert_int_eq(await_answer(&count), -1);
}

/* The other end has given the connection up, and what it said of that is lost: who waits
 * has nothing to send.  Without the right to have a connection vanish nothing is seen. */
UNIT_TEST(a_connection_that_vanishes_has_no_answer)
{
    int yes = 1, count = 0, answer = 0;

    dial();
    hear();
    if (setsockopt(hearing.sockets[0], IPPROTO_TCP, TCP_REPAIR, &yes, sizeof(yes)) != 0) {
        return;
    }
    (void)close(hearing.sockets[0]);
    hearing.sockets[0] = -1;
    for (int i = 0; i < 1000 && answer == 0; i++) {
        answer = mtree_tcp_dialer_answer(dialer, RANK, &count);
        (void)usleep(10000);
    }
    ck_assert_int_eq(answer, -1);
}

/* Who knows the secret may be early; strangers do not push it out. */
UNIT_TEST(who_is_early_is_kept)
{
    mtree_address_t address = mtree_address_parse("127.0.0.1");
    int strangers[3 * MTREE_TCP_STRANGERS];

    is_expected = false;
    dial();
    for (int i = 0; i < 20; i++) {
        mtree_tcp_listener_poll(listener);
        (void)usleep(500);
    }
    for (int i = 0; i < 3 * MTREE_TCP_STRANGERS; i++) {
        strangers[i] = mtree_tcp_socket_connect(NULL, &address,
                                                mtree_tcp_listener_port(listener), 0);
        while (mtree_tcp_socket_connected(strangers[i]) == 0) {}
        mtree_tcp_listener_poll(listener);
    }
    ck_assert_int_lt(hearing.sockets[0], 0);
    is_expected = true;
    hear();
    for (int i = 0; i < COUNT; i++) {
        ck_assert(!is_closed(i));
    }
    for (int i = 0; i < 3 * MTREE_TCP_STRANGERS; i++) {
        (void)close(strangers[i]);
    }
}

/* Who has seen a greeting on the way says it again: the first one stays, alone. */
UNIT_TEST(a_greeting_that_is_repeated_is_taken_once)
{
    enum { TIMES = 40 };
    mtree_tcp_greeting_t greeting = {.rank = DIALER, .attempt = 1, .position = COUNT};
    mtree_address_t address = mtree_address_parse("127.0.0.1");
    int sockets[TIMES], kept = 0;
    char byte;

    mtree_tcp_greeting_prove(&greeting, &secret);
    is_expected = false;
    for (int i = 0; i < TIMES; i++) {
        sockets[i] = mtree_tcp_socket_connect(NULL, &address,
                                              mtree_tcp_listener_port(listener), 0);
        while (mtree_tcp_socket_connected(sockets[i]) == 0) {}
        ck_assert(mtree_tcp_greeting_send(sockets[i], &greeting));
    }
    for (int i = 0; i < 20; i++) {
        mtree_tcp_listener_poll(listener);
        (void)usleep(1000);
    }
    for (int i = 0; i < TIMES; i++) {
        kept += recv(sockets[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
    }
    ck_assert_int_eq(kept, 1);
    ck_assert_int_eq(recv(sockets[0], &byte, 1, MSG_DONTWAIT), -1);
    for (int i = 0; i < TIMES; i++) {
        (void)close(sockets[i]);
    }
}

/* A socket that listens on @a port (0: any) of @a address. */
static int listen_at(const char *address, uint16_t port)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(inet_pton(AF_INET, address, &at.sin_addr), 1);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    ck_assert_int_eq(listen(fd, 0), 0);
    return fd;
}

/* The second of two connections is tried again: another has its descriptor by now. */
UNIT_TEST(connections_that_are_not_wanted_are_closed_once)
{
    enum { OTHERS = 4, FILLING = 2 };
    mtree_tcp_dial_t dial = {.rank = DIALER, .num_addresses = 2, .num_connections = 2};
    int listening[2], filling[FILLING], others[OTHERS], accepted, error, count = 0;
    struct sockaddr_in at;
    socklen_t length = sizeof(at);

    dial.is_spread = true;
    dial.addresses[0] = mtree_address_parse("127.0.0.1");
    dial.addresses[1] = mtree_address_parse("127.0.0.2");
    listening[0] = listen_at("127.0.0.1", 0);
    ck_assert_int_eq(getsockname(listening[0], (struct sockaddr *)&at, &length), 0);
    dial.port = ntohs(at.sin_port);
    listening[1] = listen_at("127.0.0.2", dial.port);
    for (int i = 0; i < FILLING; i++) {
        filling[i] = mtree_tcp_socket_connect(NULL, &dial.addresses[1], dial.port, 0);
    }
    mtree_tcp_dialer_change(dialer, &dial);
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, 1 + 0.1 * i, &error), 0);
        (void)usleep(5000);
    }
    accepted = accept(listening[0], NULL, NULL);
    ck_assert(mtree_tcp_dialer_reply(accepted, RANK, 1, 1, &dial.secret));
    for (int i = 0; i < OTHERS; i++) {
        others[i] = dup(accepted);
    }
    ck_assert_int_eq(await_answer(&count), 1);
    ck_assert_int_eq(count, 1);
    for (int i = 0; i < OTHERS; i++) {
        ck_assert_int_eq(close(others[i]), 0);
    }
    ck_assert_int_eq(close(accepted), 0);
    for (int i = 0; i < 2; i++) {
        (void)close(listening[i]);
        (void)close(filling[i]);
    }
}

UNIT_FIXTURE(start, stop)
UNIT_SECONDS(30)

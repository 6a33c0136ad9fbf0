/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How connections are made over the loopback interface, who is turned away, and who is
 * waited for.  Clocks are the test's own, so that nothing waits for a deadline.
 */
#include "tcp/crypto.h"
#include "tcp/dialer.h"
#include "tcp/hearing.h"
#include "tcp/listener.h"
#include "tcp/socket.h"
#include "tests/unit/runner.h"
#include "tests/unit/tcp/loop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 5, FLOOD = 10 * MTREE_TCP_STRANGERS };

/* Seconds between two polls of a process that is there. */
#define STEP 0.05

static mtree_tcp_secret_t secret; /* of who listens */
static mtree_tcp_hearing_t hearing;
static int num_admitted;
static bool is_expected;

/* Who listens: it awaits rank 7. */
static mtree_tcp_admission_t admit(void *arg, const mtree_tcp_greeting_t *greeting,
                                   int socket)
{
    (void)arg;
    if (!is_expected) {
        return MTREE_TCP_UNEXPECTED;
    }
    if (greeting->rank != 7 || !mtree_tcp_hearing_admit(&hearing, greeting, socket)) {
        return MTREE_TCP_REFUSED;
    }
    num_admitted++;
    return MTREE_TCP_ADMITTED;
}

static const char *const addresses[] = {"127.0.0.1", "::1"};
static mtree_tcp_listener_t *listener;

static void start(void)
{
    const mtree_tcp_ports_t any = {0, 0};

    mtree_tcp_secret_t other;

    unit_ok(mtree_tcp_secret_draw(&secret));
    unit_ok(mtree_tcp_secret_draw(&other));
    ck_assert_mem_ne(&secret, &other, sizeof(secret));
    num_admitted = 0;
    is_expected = true;
    mtree_tcp_hearing_init(&hearing);
    hearing.num_connections = CONNECTIONS;
    listener = mtree_tcp_listener_create(&any, &secret, admit, NULL);
    ck_assert_ptr_nonnull(listener);
    mtree_tcp_listener_await(listener, CONNECTIONS);
    ck_assert_uint_ne(mtree_tcp_listener_port(listener), 0);
}

static void stop(void)
{
    mtree_tcp_listener_destroy(listener);
    mtree_tcp_hearing_cleanup(&hearing);
}

static mtree_tcp_dialer_t *dial(const char *address)
{
    mtree_tcp_dial_t call = {.rank = 7,
                             .secret = secret,
                             .num_addresses = 1,
                             .port = mtree_tcp_listener_port(listener),
                             .num_connections = CONNECTIONS};

    call.addresses[0] = mtree_address_parse(address);
    return mtree_tcp_dialer_create(&call);
}

/* One connection to @a port of this host, whose trip takes @a trip seconds by the map. */
static mtree_tcp_dialer_t *dial_one(uint16_t port, double trip)
{
    mtree_tcp_dial_t call = {
        .rank = 7, .num_addresses = 1, .port = port, .num_connections = 1, .trip = trip};

    call.addresses[0] = mtree_address_parse("127.0.0.1");
    return mtree_tcp_dialer_create(&call);
}

/* Poll @a dialer from *now on, STEP at a time, until its round has ended; how. */
static int dial_round(mtree_tcp_dialer_t *dialer, double *now, int *error_p)
{
    int stands = 0;

    for (int i = 0; i < 2000 && stands == 0; i++) {
        stands = mtree_tcp_dialer_poll(dialer, *now, error_p);
        *now += STEP;
        (void)usleep(stands == 0 ? 500 : 0);
    }
    return stands;
}

/* The end that listens is asked about such a round, and polls from *now on; its word. */
static mtree_tcp_verdict_t hear(mtree_tcp_dialer_t *dialer, bool stands, double *now)
{
    mtree_tcp_verdict_t verdict = MTREE_TCP_NOT_HEARD;
    uint32_t attempts[CONNECTIONS];

    mtree_tcp_dialer_attempts(dialer, attempts);
    mtree_tcp_hearing_ask(&hearing, stands ? attempts : NULL);
    for (int i = 0; i < 2000 && verdict == MTREE_TCP_NOT_HEARD; i++) {
        mtree_tcp_listener_poll(listener);
        verdict = mtree_tcp_hearing_poll(&hearing, *now);
        *now += STEP;
        (void)usleep(500);
    }
    return verdict;
}

/* Both ends until there is nothing more to say. */
static mtree_tcp_verdict_t meet(mtree_tcp_dialer_t *dialer, int *error_p)
{
    mtree_tcp_verdict_t verdict;
    double now = 1;

    do {
        verdict = hear(dialer, dial_round(dialer, &now, error_p) > 0, &now);
        if (verdict == MTREE_TCP_DIAL_AGAIN) {
            mtree_tcp_dialer_redial(dialer);
        }
    } while (verdict == MTREE_TCP_DIAL_AGAIN);
    return verdict;
}

/* A connection of a stranger. */
static int connect_stranger(void)
{
    mtree_address_t address = mtree_address_parse("127.0.0.1");
    int fd =
        mtree_tcp_socket_connect(NULL, &address, mtree_tcp_listener_port(listener), 0);

    ck_assert_int_ge(fd, 0);
    return fd;
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

/* Each is connected to the one of its number. */
static void check_connections(mtree_tcp_dialer_t *dialer)
{
    int sockets[CONNECTIONS], heard[CONNECTIONS];

    mtree_tcp_dialer_sockets(dialer, sockets);
    mtree_tcp_hearing_sockets(&hearing, heard);
    for (int i = 0; i < CONNECTIONS; i++) {
        char number = (char)i, byte = 0;

        ck_assert(mtree_tcp_socket_tune(sockets[i], NULL));
        ck_assert_int_eq(send(sockets[i], &number, 1, 0), 1);
        while (recv(heard[i], &byte, 1, 0) != 1) {
            (void)usleep(500);
        }
        ck_assert_int_eq(byte, number);
        (void)close(sockets[i]);
        (void)close(heard[i]);
    }
}

UNIT_LOOP(all_connections_stand, 0, 2)
{
    mtree_tcp_dialer_t *dialer = dial(addresses[_i]);
    int error;

    ck_assert_int_eq(meet(dialer, &error), MTREE_TCP_HEARD);
    ck_assert_int_eq(num_admitted, CONNECTIONS);
    check_connections(dialer);
    mtree_tcp_dialer_destroy(dialer);
}

static void expect_ends(int fd, const char *from, const char *to)
{
    struct sockaddr_in source, target;
    socklen_t length = sizeof(source);

    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&source, &length), 0);
    ck_assert_int_eq(getpeername(fd, (struct sockaddr *)&target, &length), 0);
    ck_assert_uint_eq(source.sin_addr.s_addr, inet_addr(from));
    ck_assert_uint_eq(target.sin_addr.s_addr, inet_addr(to));
}

/* Connections that are spread take the pairs of addresses in turn. */
UNIT_TEST(connections_go_from_their_sources)
{
    mtree_tcp_dial_t call = {.rank = 7,
                             .secret = secret,
                             .num_addresses = 2,
                             .is_spread = true,
                             .port = mtree_tcp_listener_port(listener),
                             .num_connections = CONNECTIONS};
    mtree_tcp_dialer_t *dialer;
    int sockets[CONNECTIONS], error;

    for (int i = 0; i < 2; i++) {
        call.sources[i] = mtree_address_parse(i == 0 ? "127.0.1.1" : "127.0.2.1");
        call.addresses[i] = mtree_address_parse(i == 0 ? "127.0.1.2" : "127.0.2.2");
    }
    dialer = mtree_tcp_dialer_create(&call);
    ck_assert_int_eq(meet(dialer, &error), MTREE_TCP_HEARD);
    mtree_tcp_dialer_sockets(dialer, sockets);
    for (int i = 0; i < CONNECTIONS; i++) {
        expect_ends(sockets[i], i % 2 == 0 ? "127.0.1.1" : "127.0.2.1",
                    i % 2 == 0 ? "127.0.1.2" : "127.0.2.2");
        (void)close(sockets[i]);
    }
    mtree_tcp_dialer_destroy(dialer);
}

/* What has no such address cannot dial from it. */
UNIT_TEST(a_source_that_is_not_here_is_refused)
{
    mtree_tcp_dial_t call = {.rank = 7,
                             .num_addresses = 1,
                             .port = mtree_tcp_listener_port(listener),
                             .num_connections = 1};
    mtree_tcp_dialer_t *dialer;
    double now = 1;
    int error;

    call.sources[0] = mtree_address_parse("192.0.2.1");
    call.addresses[0] = mtree_address_parse("127.0.0.1");
    dialer = mtree_tcp_dialer_create(&call);
    ck_assert_int_eq(dial_round(dialer, &now, &error), -1);
    ck_assert_int_eq(error, EADDRNOTAVAIL);
    mtree_tcp_dialer_destroy(dialer);
}

/* The kernel connects for a process that computes for an hour.  Who has dialed waits for
 * its word, and so do both, whoever is away, and however often. */
UNIT_TEST(who_is_away_is_waited_for)
{
    mtree_tcp_dialer_t *dialer = dial("127.0.0.1");
    uint32_t attempts[CONNECTIONS];
    double now = 1;
    int error = 0;

    while (mtree_tcp_dialer_poll(dialer, now, &error) == 0) {
        ck_assert_double_lt(now, 3600. * 2000);
        now += 3600;
        (void)usleep(500);
    }
    ck_assert_int_eq(num_admitted, 0);
    mtree_tcp_dialer_attempts(dialer, attempts);
    mtree_tcp_hearing_ask(&hearing, attempts);
    for (int i = 0;
         i < 20 && mtree_tcp_hearing_poll(&hearing, now) == MTREE_TCP_NOT_HEARD; i++) {
        now += 3600;
        (void)usleep(500);
        mtree_tcp_listener_poll(listener);
    }
    ck_assert_int_eq(num_admitted, CONNECTIONS);
    check_connections(dialer);
    mtree_tcp_dialer_destroy(dialer);
}

/* What the kernel's queue had no room for is dialed again, once the process was there. */
UNIT_TEST(a_round_that_failed_is_followed_by_another)
{
    mtree_tcp_dialer_t *dialer = dial("127.0.0.1");
    double now = 1;
    int error;

    ck_assert_int_eq(hear(dialer, false, &now), MTREE_TCP_DIAL_AGAIN);
    ck_assert_int_eq(meet(dialer, &error), MTREE_TCP_HEARD);
    check_connections(dialer);
    mtree_tcp_dialer_destroy(dialer);
}

/* The greeting that comes over the next connection to @a fd while @a dialer dials at
 * @a now; the connection is closed. */
static mtree_tcp_greeting_t await_greeting(mtree_tcp_dialer_t *dialer, int fd, double now)
{
    mtree_tcp_greeting_reader_t reader = {.count = 0};
    mtree_tcp_greeting_t greeting = {.rank = 0};
    int error, accepted = -1, received = 0;

    for (int i = 0; i < 2000 && received == 0; i++) {
        (void)mtree_tcp_dialer_poll(dialer, now, &error);
        accepted = accepted < 0 ? accept(fd, NULL, NULL) : accepted;
        if (accepted >= 0) {
            (void)fcntl(accepted, F_SETFL, O_NONBLOCK);
            received = mtree_tcp_greeting_receive(accepted, &reader, &greeting);
        }
        (void)usleep(received == 0 ? 500 : 0);
    }
    ck_assert_int_eq(received, 1);
    (void)close(accepted);
    return greeting;
}

/* The kernel connects for a process that is away.  When that comes back it finds all
 * attempts, and each says which one it is. */
UNIT_TEST(attempts_are_numbered)
{
    const mtree_tcp_ports_t any = {0, 0};
    uint16_t port;
    int fd = mtree_tcp_socket_listen(&any, &port);
    mtree_tcp_dialer_t *dialer = dial_one(port, 0);

    for (uint32_t attempt = 1; attempt <= 2; attempt++) {
        mtree_tcp_greeting_t greeting = await_greeting(dialer, fd, attempt);
        uint32_t stands;

        ck_assert_uint_eq(greeting.rank, 7);
        ck_assert_uint_eq(greeting.attempt, attempt);
        mtree_tcp_dialer_attempts(dialer, &stands);
        ck_assert_uint_eq(stands, attempt);
        mtree_tcp_dialer_redial(dialer);
    }
    mtree_tcp_dialer_destroy(dialer);
    (void)close(fd);
}

/* The kernel asks again after a second, which a call of less would wait for.  An attempt
 * that is given up before its answer can come costs a long way another trip. */
UNIT_LOOP(an_attempt_has_the_time_of_its_way, 0, 2)
{
    static const struct {
        double trip, waited;
        uint32_t attempt; /* that is answered then */
    } cases[] = {{0, 0.3, 2}, {0.4, 0.6, 1}};
    double now = 1 + cases[_i].waited;
    uint16_t port;
    int first, error = 0, fd = loop_listen_to_one(&first, &port);
    mtree_tcp_dialer_t *dialer = dial_one(port, cases[_i].trip);

    ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, 1, &error), 0);
    ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, now, &error), 0);
    ck_assert(cases[_i].attempt == 1 || error == ETIMEDOUT);
    (void)close(accept(fd, NULL, NULL));
    ck_assert_uint_eq(await_greeting(dialer, fd, now + 0.1).attempt, cases[_i].attempt);
    (void)close(first);
    (void)close(fd);
    mtree_tcp_dialer_destroy(dialer);
}

/* Packets that ask for a connection are lost on their way: the round ends. */
UNIT_TEST(who_gets_no_answer_at_all_has_none)
{
    uint16_t port;
    int first, error = 0, fd = loop_listen_to_one(&first, &port);
    mtree_tcp_dialer_t *dialer = dial_one(port, 0);
    double now = 1;

    ck_assert_int_eq(dial_round(dialer, &now, &error), -1);
    ck_assert_int_eq(error, ETIMEDOUT);
    (void)close(first);
    (void)close(fd);
    mtree_tcp_dialer_destroy(dialer);
}

UNIT_TEST(strangers_do_not_disturb)
{
    static const char *const said[] = {"", "GET / HTTP/1.1\r\n\r\n",
                                       "what is longer than a greeting and says nothing"};
    mtree_tcp_greeting_t wrong = {.rank = 7, .number = 0};
    int strangers[FLOOD], error;
    mtree_tcp_dialer_t *dialer;

    mtree_tcp_greeting_prove(&wrong, &secret);
    wrong.proof[0] ^= 1;
    for (int i = 0; i < FLOOD; i++) {
        strangers[i] = connect_stranger();
        while (mtree_tcp_socket_connected(strangers[i]) == 0) {}
        if (i % 4 == 3) {
            ck_assert(mtree_tcp_greeting_send(strangers[i], &wrong));
        } else {
            (void)send(strangers[i], said[i % 4], strlen(said[i % 4]), MSG_NOSIGNAL);
        }
        mtree_tcp_listener_poll(listener);
    }
    dialer = dial("127.0.0.1");
    ck_assert_int_eq(meet(dialer, &error), MTREE_TCP_HEARD);
    ck_assert_int_eq(num_admitted, CONNECTIONS);
    /* Some that say nothing, among the last ones, may stay; these go with the listener.
     * Half of them say too much. */
    for (int i = 0; i < FLOOD - 2 * (MTREE_TCP_STRANGERS + CONNECTIONS); i++) {
        ck_assert(is_closed(strangers[i]));
    }
    mtree_tcp_listener_destroy(listener);
    listener = NULL;
    for (int i = 0; i < FLOOD; i++) {
        ck_assert(is_closed(strangers[i]));
        (void)close(strangers[i]);
    }
    mtree_tcp_dialer_destroy(dialer);
}

/* Whoever answers does not learn the secret, nor may it say another rank's, number's or
 * attempt's greeting. */
UNIT_TEST(a_greeting_gives_no_secret_away)
{
    const mtree_tcp_greeting_t said = {.rank = 7, .number = 1, .attempt = 2};
    mtree_tcp_greeting_t greetings[] = {said, said, said, said};

    for (int i = 0; i < 4; i++) {
        mtree_tcp_greeting_prove(&greetings[i], &secret);
    }
    greetings[1].rank++;
    greetings[2].number++;
    greetings[3].attempt++;
    ck_assert(mtree_tcp_greeting_is_proved(&greetings[0], &secret));
    if (mtree_crypto_is_supported()) {
        ck_assert_mem_ne(greetings[0].proof, secret.bytes, MTREE_TCP_SECRET);
        for (int i = 1; i < 4; i++) {
            ck_assert(!mtree_tcp_greeting_is_proved(&greetings[i], &secret));
        }
    }
}

/* A greeting may come a byte at a time. */
UNIT_TEST(a_slow_greeting_is_read)
{
    mtree_tcp_greeting_t greeting = {.rank = 7, .number = 0};
    unsigned char bytes[MTREE_TCP_GREETING];
    int pair[2], slow = connect_stranger();

    mtree_tcp_greeting_prove(&greeting, &secret);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert(mtree_tcp_greeting_send(pair[0], &greeting));
    ck_assert_int_eq(recv(pair[1], bytes, sizeof(bytes), 0), sizeof(bytes));
    while (mtree_tcp_socket_connected(slow) == 0) {}
    for (size_t i = 0; i < sizeof(bytes); i++) {
        ck_assert_int_eq(num_admitted, 0);
        ck_assert_int_eq(send(slow, bytes + i, 1, 0), 1);
        (void)usleep(500);
        mtree_tcp_listener_poll(listener);
    }
    for (int i = 0; i < 2000 && num_admitted == 0; i++) {
        mtree_tcp_listener_poll(listener);
        (void)usleep(500);
    }
    ck_assert_int_eq(num_admitted, 1);
    (void)close(slow);
    (void)close(pair[0]);
    (void)close(pair[1]);
}

/* Who listens there is no peer: it does not know what is said, or nobody listens. */
UNIT_LOOP(a_stranger_is_not_taken_for_the_peer, 0, 2)
{
    mtree_tcp_dialer_t *dialer;
    int error = 0;

    if (_i == 0) {
        secret.bytes[0] ^= 1; /* what the dialer will say */
    }
    dialer = dial("127.0.0.1");
    if (_i == 1) {
        mtree_tcp_listener_destroy(listener);
        secret.bytes[0] ^= 1;
        listener =
            mtree_tcp_listener_create(&(mtree_tcp_ports_t){0, 0}, &secret, admit, NULL);
    }
    ck_assert_int_eq(meet(dialer, &error), MTREE_TCP_DIAL_NO_MORE);
    ck_assert_int_eq(num_admitted, 0);
    ck_assert(_i == 0 || error == ECONNREFUSED);
    mtree_tcp_dialer_destroy(dialer);
}

/* One that is closed, or of an attempt that is given up, is not one that stands. */
UNIT_TEST(all_of_the_newest_attempts_are_heard)
{
    const uint32_t said[] = {3, 2};
    mtree_tcp_greeting_t greeting = {.rank = 7, .number = 0, .attempt = 2};
    int fds[4];

    hearing.num_connections = 2;
    for (int i = 0; i < 4; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM, 0);
    }
    ck_assert(mtree_tcp_hearing_admit(&hearing, &greeting, fds[0]));
    mtree_tcp_hearing_ask(&hearing, said);
    greeting.number = 1;
    ck_assert(mtree_tcp_hearing_admit(&hearing, &greeting, fds[1]));
    ck_assert_int_eq(mtree_tcp_hearing_poll(&hearing, 1), MTREE_TCP_NOT_HEARD);
    greeting.attempt = 1;
    ck_assert(!mtree_tcp_hearing_admit(&hearing, &greeting, fds[2]));
    greeting = (mtree_tcp_greeting_t){.rank = 7, .number = 0, .attempt = 3};
    ck_assert(mtree_tcp_hearing_admit(&hearing, &greeting, fds[3]));
    greeting.number = MTREE_TCP_CONNECTIONS;
    ck_assert(!mtree_tcp_hearing_admit(&hearing, &greeting, fds[2]));
    ck_assert_int_eq(mtree_tcp_hearing_poll(&hearing, 2), MTREE_TCP_HEARD);
    ck_assert_int_eq(mtree_tcp_hearing_poll(&hearing, 3), MTREE_TCP_NOT_HEARD);
    (void)close(fds[2]);
}

/* A stranger that has one of the peer's addresses may connect and say nothing. */
UNIT_TEST(each_address_has_its_turn)
{
    const uint32_t said[] = {1, 1, 1, 1, 1};
    double now = 1;

    hearing.num_addresses = 3;
    for (int round = 1; round <= 4; round++) {
        mtree_tcp_verdict_t verdict = MTREE_TCP_NOT_HEARD;
        int polls = 0;

        mtree_tcp_hearing_ask(&hearing, said);
        while (verdict == MTREE_TCP_NOT_HEARD) {
            verdict = mtree_tcp_hearing_poll(&hearing, now += STEP);
            polls++;
        }
        ck_assert_int_eq(verdict,
                         round <= 3 ? MTREE_TCP_DIAL_AGAIN : MTREE_TCP_DIAL_NO_MORE);
        ck_assert_int_ge(polls, (int)(MTREE_TCP_HEARING_SECONDS / STEP));
    }
}

UNIT_TEST(the_first_free_port_is_taken)
{
    uint16_t taken = mtree_tcp_listener_port(listener);
    const mtree_tcp_ports_t only = {taken, taken};

    ck_assert_ptr_null(mtree_tcp_listener_create(&only, &secret, admit, NULL));
    if (taken < UINT16_MAX) {
        const mtree_tcp_ports_t more = {taken, UINT16_MAX};
        mtree_tcp_listener_t *next =
            mtree_tcp_listener_create(&more, &secret, admit, NULL);

        ck_assert_ptr_nonnull(next);
        ck_assert_uint_gt(mtree_tcp_listener_port(next), taken);
        mtree_tcp_listener_destroy(next);
    }
}

UNIT_FIXTURE(start, stop)

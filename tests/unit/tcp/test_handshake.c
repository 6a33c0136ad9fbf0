/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How connections are made over the loopback interface, and who is turned away.  Clocks
 * are the test's own, so that nothing waits for a deadline.
 */
#include "tcp/dialer.h"
#include "tcp/listener.h"
#include "tcp/socket.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 5, FLOOD = 3 * MTREE_TCP_PENDING };

static mtree_tcp_secret_t secrets[2]; /* of who dials, and who listens */
static int admitted[CONNECTIONS];
static int num_admitted;

/* Who listens: it welcomes connections of rank 7. */
static bool admit(void *arg, const mtree_tcp_greeting_t *greeting, int socket)
{
    const mtree_tcp_greeting_t welcome = {.secret = secrets[0]};

    (void)arg;
    if (greeting->rank != 7 || greeting->number >= CONNECTIONS ||
        !mtree_tcp_greeting_send(socket, &welcome)) {
        return false;
    }
    admitted[greeting->number] = socket;
    num_admitted++;
    return true;
}

static mtree_tcp_listener_t *listener;

static void start(void)
{
    const mtree_tcp_ports_t any = {0, 0};

    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(mtree_tcp_secret_draw(&secrets[i]), MTREE_OK);
    }
    ck_assert(!mtree_tcp_secret_equals(&secrets[0], &secrets[1]));
    num_admitted = 0;
    listener = mtree_tcp_listener_create(&any, &secrets[1], admit, NULL);
    ck_assert_ptr_nonnull(listener);
    ck_assert_uint_ne(mtree_tcp_listener_port(listener), 0);
}

static void stop(void)
{
    mtree_tcp_listener_destroy(listener);
    for (int i = 0; i < num_admitted; i++) {
        (void)close(admitted[i]);
    }
}

static mtree_tcp_dialer_t *dial(const char *address, double now)
{
    mtree_tcp_dial_t call = {.rank = 7,
                             .mine = secrets[0],
                             .theirs = secrets[1],
                             .num_addresses = 1,
                             .port = mtree_tcp_listener_port(listener),
                             .num_connections = CONNECTIONS};

    call.addresses[0] = mtree_address_parse(address);
    return mtree_tcp_dialer_create(&call, now);
}

/* Poll both ends at @a now until the dialer is done; what it says. */
static int meet(mtree_tcp_dialer_t *dialer, double now)
{
    int stands = 0;

    for (int i = 0; i < 2000 && stands == 0; i++) {
        stands = mtree_tcp_dialer_poll(dialer, now);
        mtree_tcp_listener_poll(listener, now);
        (void)usleep(stands == 0 ? 500 : 0);
    }
    return stands;
}

/* A connection of a stranger. */
static int connect_stranger(void)
{
    mtree_address_t address = mtree_address_parse("127.0.0.1");
    int fd = mtree_tcp_socket_connect(&address, mtree_tcp_listener_port(listener));

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

static const char *const addresses[] = {"127.0.0.1", "::1"};

START_TEST(all_connections_stand)
{
    mtree_tcp_dialer_t *dialer = dial(addresses[_i], 0);
    int sockets[CONNECTIONS];
    char byte = 0;

    ck_assert_int_eq(meet(dialer, 0), 1);
    ck_assert_int_eq(num_admitted, CONNECTIONS);
    mtree_tcp_dialer_sockets(dialer, sockets);
    mtree_tcp_dialer_destroy(dialer);
    /* Each is connected to the one of its number. */
    for (int i = 0; i < CONNECTIONS; i++) {
        char number = (char)i;

        ck_assert(mtree_tcp_socket_tune(sockets[i], NULL));
        ck_assert_int_eq(send(sockets[i], &number, 1, 0), 1);
        while (recv(admitted[i], &byte, 1, 0) != 1) {
            (void)usleep(500);
        }
        ck_assert_int_eq(byte, number);
        (void)close(sockets[i]);
    }
}
END_TEST

/* A listener whose queue is full loses the packets that ask for connections. */
static int listen_to_one(int *first, uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, length), 0);
    ck_assert_int_eq(listen(fd, 0), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&address, &length), 0);
    *first = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(*first, (struct sockaddr *)&address, length), 0);
    *port = ntohs(address.sin_port);
    return fd;
}

/* The next connection to @a fd while @a dialer dials at @a now; negative: none comes
 * before the kernel asks again. */
static int await_connection(mtree_tcp_dialer_t *dialer, int fd, double now)
{
    int accepted = -1;

    for (int i = 0; i < 1000 && accepted < 0; i++) {
        ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, now), 0);
        accepted = accept(fd, NULL, NULL);
        (void)usleep(accepted < 0 ? 500 : 0);
    }
    return accepted;
}

/* The greeting that comes over @a fd while @a dialer dials at @a now. */
static mtree_tcp_greeting_t await_greeting(mtree_tcp_dialer_t *dialer, int fd, double now)
{
    mtree_tcp_greeting_reader_t reader = {.count = 0};
    mtree_tcp_greeting_t greeting = {.rank = 0};
    int received = 0;

    for (int i = 0; i < 2000 && received == 0; i++) {
        ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, now), 0);
        received = mtree_tcp_greeting_receive(fd, &reader, &greeting);
        (void)usleep(received == 0 ? 500 : 0);
    }
    ck_assert_int_eq(received, 1);
    return greeting;
}

/* The kernel connects for a process that is away.  When that comes back it finds all
 * attempts, and each says which one it is. */
START_TEST(attempts_are_numbered)
{
    const mtree_tcp_ports_t any = {0, 0};
    mtree_tcp_dial_t call = {.rank = 7, .num_addresses = 1, .num_connections = 1};
    int fd = mtree_tcp_socket_listen(&any, &call.port);
    mtree_tcp_dialer_t *dialer;

    call.addresses[0] = mtree_address_parse("127.0.0.1");
    dialer = mtree_tcp_dialer_create(&call, 0);
    for (int attempt = 0; attempt < 2; attempt++) {
        double now = 4 * attempt;
        int accepted = await_connection(dialer, fd, now);
        mtree_tcp_greeting_t greeting = await_greeting(dialer, accepted, now);

        ck_assert_uint_eq(greeting.rank, 7);
        ck_assert_uint_eq(greeting.attempt, (uint32_t)attempt + 1);
        (void)close(accepted);
        ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, now + 3.1), 0);
    }
    mtree_tcp_dialer_destroy(dialer);
    (void)close(fd);
}
END_TEST

/* The kernel asks again after a second, which a call of less would wait for. */
START_TEST(who_gets_no_answer_soon_dials_again)
{
    mtree_tcp_dial_t call = {.rank = 7, .num_addresses = 1, .num_connections = 1};
    int first, accepted, fd = listen_to_one(&first, &call.port);
    mtree_tcp_dialer_t *dialer;

    call.addresses[0] = mtree_address_parse("127.0.0.1");
    dialer = mtree_tcp_dialer_create(&call, 0);
    ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, 0), 0);
    (void)close(accept(fd, NULL, NULL));
    ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, 0.3), 0);
    accepted = await_connection(dialer, fd, 0.4);
    ck_assert_int_ge(accepted, 0);
    (void)close(accepted);
    (void)close(first);
    (void)close(fd);
    mtree_tcp_dialer_destroy(dialer);
}
END_TEST

START_TEST(strangers_do_not_disturb)
{
    static const char *const said[] = {"", "GET / HTTP/1.1\r\n\r\n",
                                       "what is longer than a greeting and says nothing"};
    mtree_tcp_greeting_t wrong = {.rank = 7, .number = 0, .secret = secrets[0]};
    int strangers[FLOOD], num_closed = 0;
    mtree_tcp_dialer_t *dialer;

    for (int i = 0; i < FLOOD; i++) {
        strangers[i] = connect_stranger();
        while (mtree_tcp_socket_connected(strangers[i]) == 0) {}
        if (i % 4 == 3) {
            ck_assert(mtree_tcp_greeting_send(strangers[i], &wrong));
        } else {
            (void)send(strangers[i], said[i % 4], strlen(said[i % 4]), MSG_NOSIGNAL);
        }
        mtree_tcp_listener_poll(listener, 0);
    }
    dialer = dial("127.0.0.1", 0);
    ck_assert_int_eq(meet(dialer, 0), 1);
    ck_assert_int_eq(num_admitted, CONNECTIONS);
    /* Nobody stays for longer than allowed. */
    mtree_tcp_listener_poll(listener, MTREE_TCP_PENDING_SECONDS + 1);
    for (int i = 0; i < FLOOD; i++) {
        num_closed += is_closed(strangers[i]);
        (void)close(strangers[i]);
    }
    ck_assert_int_eq(num_closed, FLOOD);
    mtree_tcp_dialer_destroy(dialer);
}
END_TEST

/* A greeting may come a byte at a time. */
START_TEST(a_slow_greeting_is_read)
{
    const mtree_tcp_greeting_t greeting = {.rank = 7, .number = 0, .secret = secrets[1]};
    unsigned char bytes[MTREE_TCP_GREETING];
    int pair[2], slow = connect_stranger();

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    ck_assert(mtree_tcp_greeting_send(pair[0], &greeting));
    ck_assert_int_eq(recv(pair[1], bytes, sizeof(bytes), 0), sizeof(bytes));
    while (mtree_tcp_socket_connected(slow) == 0) {}
    for (size_t i = 0; i < sizeof(bytes); i++) {
        ck_assert_int_eq(num_admitted, 0);
        ck_assert_int_eq(send(slow, bytes + i, 1, 0), 1);
        (void)usleep(500);
        mtree_tcp_listener_poll(listener, 0);
    }
    for (int i = 0; i < 2000 && num_admitted == 0; i++) {
        mtree_tcp_listener_poll(listener, 0);
        (void)usleep(500);
    }
    ck_assert_int_eq(num_admitted, 1);
    (void)close(slow);
    (void)close(pair[0]);
    (void)close(pair[1]);
}
END_TEST

/* Who listens there is no peer: it does not say the secret, or nobody listens. */
START_TEST(a_stranger_is_not_taken_for_the_peer)
{
    mtree_tcp_dialer_t *dialer;

    if (_i == 0) {
        secrets[0].bytes[0] ^= 1; /* what the listener will say */
    }
    dialer = dial("127.0.0.1", 0);
    secrets[0].bytes[0] ^= 1;
    if (_i == 1) {
        mtree_tcp_dialer_destroy(dialer);
        secrets[1].bytes[0] ^= 1; /* what the dialer will say */
        dialer = dial("127.0.0.1", 0);
    }
    for (double now = 0; now < MTREE_TCP_DIAL_SECONDS; now += 0.25) {
        for (int i = 0; i < 5; i++) {
            ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, now), 0);
            mtree_tcp_listener_poll(listener, now);
        }
    }
    ck_assert_int_eq(mtree_tcp_dialer_poll(dialer, MTREE_TCP_DIAL_SECONDS + 1), -1);
    mtree_tcp_dialer_destroy(dialer);
}
END_TEST

START_TEST(the_first_free_port_is_taken)
{
    uint16_t taken = mtree_tcp_listener_port(listener);
    const mtree_tcp_ports_t only = {taken, taken};

    ck_assert_ptr_null(mtree_tcp_listener_create(&only, &secrets[0], admit, NULL));
    if (taken < UINT16_MAX) {
        const mtree_tcp_ports_t more = {taken, UINT16_MAX};
        mtree_tcp_listener_t *next =
            mtree_tcp_listener_create(&more, &secrets[0], admit, NULL);

        ck_assert_ptr_nonnull(next);
        ck_assert_uint_gt(mtree_tcp_listener_port(next), taken);
        mtree_tcp_listener_destroy(next);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("handshake");
    TCase *tcase = tcase_create("connections");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, start, stop);
    tcase_add_loop_test(tcase, all_connections_stand, 0, 2);
    tcase_add_test(tcase, attempts_are_numbered);
    tcase_add_test(tcase, who_gets_no_answer_soon_dials_again);
    tcase_add_test(tcase, strangers_do_not_disturb);
    tcase_add_test(tcase, a_slow_greeting_is_read);
    tcase_add_loop_test(tcase, a_stranger_is_not_taken_for_the_peer, 0, 2);
    tcase_add_test(tcase, the_first_free_port_is_taken);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is turned away by the end that listens, and who is kept. */
#include "base/clock.h"
#include "tcp/crypto.h"
#include "tcp/dialer.h"
#include "tcp/listener.h"
#include "tests/unit/runner.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RANK = 7, AWAITED = 5, ROOM = AWAITED + MTREE_TCP_STRANGERS };
enum { MANY = 3 * MTREE_TCP_STRANGERS, FLOOD = 10 * MTREE_TCP_STRANGERS };

static const unsigned char words[MTREE_TCP_SAID] = {RANK}; /* of a peer's hello */
static mtree_tcp_secret_t secret, other; /* of who listens; and of another one */
static mtree_tcp_listener_t *listener;
static bool is_expected;
static int num_admitted;
static const char *reason; /* the last one that somebody was turned away for */

static mtree_tcp_admission_t admit(void *arg, mtree_tcp_greeting_t *greeting, int socket)
{
    (void)arg;
    if (!is_expected) {
        return MTREE_TCP_UNEXPECTED;
    }
    if (greeting->said[0] != RANK) {
        return MTREE_TCP_REFUSED;
    }
    num_admitted++;
    (void)close(socket);
    return MTREE_TCP_ADMITTED;
}

static void turn_away(void *arg, int socket, const char *why)
{
    (void)arg;
    ck_assert_int_ge(socket, 0);
    reason = why;
}

static mtree_tcp_reception_t reception = {
    .num_awaited = AWAITED, .secret = &secret, .admit = admit, .turn_away = turn_away};

static void start(void)
{
    unit_ok(mtree_crypto_draw(&secret, sizeof(secret)));
    unit_ok(mtree_crypto_draw(&other, sizeof(other)));
    ck_assert_mem_ne(&secret, &other, sizeof(secret));
    num_admitted = 0;
    is_expected = true;
    reception.seconds = 0;
    listener = mtree_tcp_listener_create(&(mtree_tcp_ports_t){0, 0});
    ck_assert_ptr_nonnull(listener);
    ck_assert_uint_ne(mtree_tcp_listener_port(listener), 0);
}

static void stop(void)
{
    mtree_tcp_listener_destroy(listener);
}

static void poll_once(void)
{
    mtree_tcp_listener_poll(listener, &reception, mtree_clock_seconds());
}

/* Poll so many times, with a pause each. */
static void poll_for(int polls, unsigned microseconds)
{
    for (int i = 0; i < polls; i++) {
        poll_once();
        (void)usleep(microseconds);
    }
}

/* A connection from @a host, over which nothing is said. */
static int dial_from(const char *host)
{
    mtree_address_t source = mtree_address_parse(host);
    mtree_address_t address = mtree_address_parse("127.0.0.1");
    int fd =
        mtree_tcp_socket_connect(&source, &address, mtree_tcp_listener_port(listener), 0);

    ck_assert_int_ge(fd, 0);
    while (mtree_tcp_socket_connected(fd) == 0) {}
    return fd;
}

static int dial(void)
{
    return dial_from("127.0.0.1");
}

/* So many connections from @a host, each of which the listener polls. */
static void dial_all(int *fds, int count, const char *host)
{
    for (int i = 0; i < count; i++) {
        fds[i] = dial_from(host);
        poll_once();
    }
}

/* One over which a peer that knows @a known says the hello, while the listener polls. */
static mtree_tcp_dialer_t dial_and_greet(const mtree_tcp_secret_t *known)
{
    mtree_tcp_dialer_t dialer = {.socket = dial()};

    (void)mtree_tcp_dialer_connect(&dialer, 0);
    ck_assert(dialer.is_connected);
    while (!dialer.has_said) {
        poll_once();
        ck_assert_int_eq(mtree_tcp_dialer_poll(&dialer, known, words, 0), 0);
    }
    return dialer;
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

static void end_all(mtree_tcp_dialer_t *dialers, int count)
{
    for (int i = 0; i < count; i++) {
        mtree_tcp_dialer_end(&dialers[i]);
    }
}

/* Has the other end closed @a fd? */
static bool is_closed(int fd)
{
    char bytes[MTREE_TCP_CHALLENGE + MTREE_TCP_ANSWER];

    for (int i = 0; i < 2000; i++) {
        ssize_t count = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);

        if (count == 0 || (count < 0 && errno == ECONNRESET)) {
            return true;
        }
        (void)usleep(count > 0 ? 0 : 500);
    }
    return false;
}

UNIT_TEST(strangers_do_not_disturb)
{
    static const char *const said[] = {
        "", "GET / HTTP/1.1\r\n\r\n",
        "what is longer than a greeting, of which there are"
        " some hundred bytes, and says nothing",
        ""};
    static int strangers[FLOOD];
    mtree_tcp_dialer_t peers[AWAITED];

    for (int i = 0; i < FLOOD; i++) {
        strangers[i] = i % 4 == 3 ? dial_and_greet(&other).socket : dial();
        (void)send(strangers[i], said[i % 4], strlen(said[i % 4]), MSG_NOSIGNAL);
        poll_once();
    }
    for (int i = 0; i < AWAITED; i++) {
        peers[i] = dial_and_greet(&secret);
    }
    hear(AWAITED);
    /* Some that say nothing, among the last ones, may stay; these go with the listener.
     * Three of four say too much. */
    for (int i = 0; i < FLOOD - 4 * (MTREE_TCP_STRANGERS + AWAITED); i++) {
        ck_assert(is_closed(strangers[i]));
    }
    mtree_tcp_listener_destroy(listener);
    listener = NULL;
    for (int i = 0; i < FLOOD; i++) {
        ck_assert(is_closed(strangers[i]));
    }
    close_all(strangers, FLOOD);
    end_all(peers, AWAITED);
}

/* Whoever is turned away is for what it did. */
UNIT_LOOP(a_reason_is_given, 0, 4)
{
    static const char *const reasons[] = {
        "what it sends is no greeting of mtree", "it is of another version of mtree",
        "it closed the connection before its greeting was complete",
        "it has another secret"};
    unsigned char bytes[MTREE_TCP_HELLO] = {0};
    int fd = _i == 3 ? dial_and_greet(&other).socket : dial();

    mtree_tcp_magic_write(bytes);
    bytes[_i == 0 ? 0 : MTREE_TCP_MAGIC - 1]++;
    if (_i < 2) {
        ck_assert(mtree_tcp_socket_send(fd, bytes, MTREE_TCP_MAGIC));
    } else if (_i == 2) {
        (void)shutdown(fd, SHUT_WR);
    }
    reason = NULL;
    for (int i = 0; i < 2000 && reason == NULL; i++) {
        poll_for(1, 500);
    }
    ck_assert_str_eq(reason, reasons[_i]);
    ck_assert_int_eq(mtree_tcp_listener_pending(listener), 0);
    (void)close(fd);
}

/* Who computes has all the time, if it has no deadline. */
UNIT_LOOP(greetings_have_a_deadline_or_none, 0, 2)
{
    const double now = mtree_clock_seconds();
    int fd = dial();

    reception.seconds = _i == 0 ? 0 : 3;
    for (int i = 0; i < 2000 && mtree_tcp_listener_pending(listener) == 0; i++) {
        poll_for(1, 500);
    }
    mtree_tcp_listener_poll(listener, &reception, now + 1);
    ck_assert_int_eq(mtree_tcp_listener_pending(listener), 1);
    mtree_tcp_listener_poll(listener, &reception, now + 1e6);
    ck_assert_int_eq(mtree_tcp_listener_pending(listener), _i == 0);
    (void)close(fd);
}

/* The challenge that comes over @a fd. */
static void hear_challenge(int fd, mtree_tcp_piece_t *challenge)
{
    mtree_tcp_piece_expect(challenge, MTREE_TCP_CHALLENGE);
    while (mtree_tcp_piece_receive(challenge, fd) == 0) {
        poll_once();
    }
    ck_assert_ptr_null(mtree_tcp_magic_fault(challenge->bytes));
}

/* The hello of who knows the secret, to @a challenge. */
static void write_hello(const mtree_tcp_piece_t *challenge,
                        unsigned char bytes[MTREE_TCP_HELLO])
{
    const ssize_t length = MTREE_TCP_HELLO - MTREE_TCP_MAGIC;
    mtree_tcp_greeting_t greeting = {.secret = secret, .said = {RANK}};
    int pair[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    mtree_tcp_magic_write(bytes);
    ck_assert(mtree_tcp_hello_send(&greeting, challenge->bytes, pair[0]));
    ck_assert_int_eq(recv(pair[1], bytes + MTREE_TCP_MAGIC, (size_t)length, 0), length);
    close_all(pair, 2);
}

/* A greeting may come a byte at a time, and the challenge is there before its first. */
UNIT_TEST(a_slow_greeting_is_read)
{
    unsigned char bytes[MTREE_TCP_HELLO];
    mtree_tcp_piece_t challenge;
    int slow = dial();

    hear_challenge(slow, &challenge);
    write_hello(&challenge, bytes);
    for (size_t i = 0; i < sizeof(bytes); i++) {
        ck_assert_int_eq(num_admitted, 0);
        ck_assert_int_eq(send(slow, bytes + i, 1, 0), 1);
        poll_for(1, 500);
    }
    hear(1);
    (void)close(slow);
}

/* Who has heard all that was said on one connection says it on the next one. */
UNIT_TEST(a_greeting_that_is_repeated_is_none)
{
    unsigned char bytes[MTREE_TCP_HELLO];
    mtree_tcp_piece_t challenges[2];
    int fds[2];

    for (int i = 0; i < 2; i++) {
        fds[i] = dial();
        hear_challenge(fds[i], &challenges[i]);
        write_hello(&challenges[0], bytes);
        ck_assert(mtree_tcp_socket_send(fds[i], bytes, sizeof(bytes)));
        hear(1);
    }
    poll_for(20, 500);
    ck_assert(is_closed(fds[1]));
    ck_assert_str_eq(reason, "it has another secret");
    ck_assert_int_eq(num_admitted, 1);
    close_all(fds, 2);
}

/* Who knows the secret may be early; strangers do not push it out. */
UNIT_TEST(who_is_early_is_kept)
{
    mtree_tcp_dialer_t peers[AWAITED];
    int strangers[MANY];

    is_expected = false;
    for (int i = 0; i < AWAITED; i++) {
        peers[i] = dial_and_greet(&secret);
    }
    poll_for(20, 500);
    dial_all(strangers, MANY, "127.0.0.1");
    is_expected = true;
    hear(AWAITED);
    end_all(peers, AWAITED);
    close_all(strangers, MANY);
}

/* It has yet to hear the challenge when they come, from another host. */
UNIT_TEST(who_is_slow_is_kept)
{
    mtree_tcp_dialer_t peer = {.socket = dial()};
    int strangers[MANY];

    ck_assert_int_eq(mtree_tcp_dialer_connect(&peer, 0), 1);
    poll_for(20, 500);
    dial_all(strangers, MANY, "127.0.0.2");
    ck_assert_int_eq(mtree_tcp_listener_pending(listener), ROOM);
    ck_assert_int_eq(mtree_tcp_dialer_poll(&peer, &secret, words, 0), 0);
    hear(1);
    mtree_tcp_dialer_end(&peer);
    close_all(strangers, MANY);
}

/* Its hello is there already when so many come, from its own host, that one has to go. */
UNIT_TEST(who_has_said_hello_is_heard_first)
{
    mtree_tcp_dialer_t peer = {.socket = dial()};
    int strangers[ROOM];

    ck_assert_int_eq(mtree_tcp_dialer_connect(&peer, 0), 1);
    dial_all(strangers, ROOM - 1, "127.0.0.1");
    ck_assert_int_eq(mtree_tcp_listener_pending(listener), ROOM);
    while (!peer.has_said) {
        ck_assert_int_eq(mtree_tcp_dialer_poll(&peer, &secret, words, 0), 0);
    }
    strangers[ROOM - 1] = dial();
    hear(1);
    mtree_tcp_dialer_end(&peer);
    close_all(strangers, ROOM);
}

UNIT_TEST(an_attempt_that_has_ended_has_no_secret)
{
    const mtree_tcp_secret_t none = {{0}};
    mtree_tcp_dialer_t peer = dial_and_greet(&secret);

    ck_assert_mem_eq(&peer.greeting.secret, &secret, sizeof(secret));
    mtree_tcp_dialer_end(&peer);
    ck_assert_mem_eq(&peer.greeting.secret, &none, sizeof(secret));
}

/* They may say nothing for long, but not where the next one has no descriptor. */
UNIT_TEST(strangers_do_not_keep_all_descriptors)
{
    enum { FEW = 4 };
    struct rlimit limit, low;
    mtree_tcp_dialer_t peer;
    int strangers[FEW], next[FEW];
    double now;

    end_all((mtree_tcp_dialer_t[]){dial_and_greet(&secret)}, 1); /* libcrypto is open */
    hear(1);
    for (int i = 0; i < FEW; i++) {
        strangers[i] = dial();
    }
    peer = (mtree_tcp_dialer_t){.socket = dial()};
    for (int i = 0; i < FEW; i++) {
        next[i] = dup(peer.socket);
    }
    close_all(next, FEW);
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &limit), 0);
    low = limit;
    low.rlim_cur = (rlim_t)next[FEW - 1] + 1;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &low), 0);
    now = mtree_clock_seconds();
    for (int i = 0; i < 3; i++) {
        mtree_tcp_listener_poll(listener, &reception, now + i);
        ck_assert_int_eq(mtree_tcp_listener_error(listener), EMFILE);
        ck_assert_int_eq(mtree_tcp_listener_pending(listener), FEW);
    }
    mtree_tcp_listener_poll(listener, &reception, now + 10);
    ck_assert_int_eq(mtree_tcp_listener_error(listener), 0);
    ck_assert_str_eq(reason, "its greeting did not come in time");
    while (!peer.has_said) {
        ck_assert_int_eq(mtree_tcp_dialer_poll(&peer, &secret, words, 0), 0);
    }
    hear(2);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    mtree_tcp_dialer_end(&peer);
    close_all(strangers, FEW);
}

/* Of two hosts that of most connections loses them, whichever of these has come first,
 * and those that have gone do not count. */
UNIT_TEST(the_host_of_most_connections_loses_them)
{
    enum { FEW = ROOM / 3 };
    int few[FEW], many[ROOM], gone[ROOM - FEW];

    dial_all(gone, ROOM - FEW, "127.0.0.1");
    close_all(gone, ROOM - FEW);
    for (int i = 0; i < 2000 && mtree_tcp_listener_pending(listener) > 0; i++) {
        poll_for(1, 500);
    }
    dial_all(few, FEW, "127.0.0.1");
    dial_all(many, ROOM, "127.0.0.2");
    ck_assert_int_eq(mtree_tcp_listener_pending(listener), ROOM);
    for (int i = 0; i < FEW; i++) {
        ck_assert(is_closed(many[i]));
        poll_once();
    }
    ck_assert_int_eq(mtree_tcp_listener_pending(listener), ROOM);
    close_all(many, ROOM);
    for (int i = 0; i < 2000 && mtree_tcp_listener_pending(listener) > FEW; i++) {
        poll_for(1, 500);
    }
    ck_assert_int_eq(mtree_tcp_listener_pending(listener), FEW);
    close_all(few, FEW);
}

UNIT_TEST(the_first_free_port_is_taken)
{
    uint16_t taken = mtree_tcp_listener_port(listener);
    const mtree_tcp_ports_t only = {taken, taken};

    ck_assert_ptr_null(mtree_tcp_listener_create(&only));
    if (taken < UINT16_MAX) {
        const mtree_tcp_ports_t more = {taken, UINT16_MAX};
        mtree_tcp_listener_t *next = mtree_tcp_listener_create(&more);

        ck_assert_ptr_nonnull(next);
        ck_assert_uint_gt(mtree_tcp_listener_port(next), taken);
        mtree_tcp_listener_destroy(next);
    }
}

UNIT_FIXTURE(start, stop)
UNIT_SECONDS(30)

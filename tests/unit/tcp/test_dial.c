/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How two ends meet over the loopback interface, and who is waited for.  Clocks are the
 * test's own where deadlines count, so that nothing waits for them.
 */
#include "base/clock.h"
#include "tcp/private.h"
#include "tcp/socket.h"
#include "tests/unit/tcp/dial_pair.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

enum { COUNT = 5 };

/* Seconds between two polls of a process that is there. */
#define STEP 0.05

static mtree_tcp_peer_t *dialer, *listener;

static void start(void)
{
    pair_begin(COUNT);
    dialer = loop.ends[0].peer;
    listener = loop.ends[1].peer;
}

/* The end that dials, alone, polls from *now on, STEP at a time, until it has met the
 * other one or that takes too long; how. */
static int meet(double *now, int *error_p)
{
    int met = 0;

    for (int i = 0; i < 2000 && met == 0; i++) {
        mtree_tcp_peer_make_again(dialer, *now);
        met = mtree_tcp_peer_meet(dialer, *now, error_p);
        *now += STEP;
        (void)usleep(met == 0 ? 500 : 0);
    }
    return met;
}

/* So many connections stand, and each is connected to the one of its number. */
static void check_connections(int count)
{
    struct sockaddr_in from[2], to[2];

    ck_assert_int_eq(dialer->num_connections, count);
    ck_assert_int_eq(listener->num_connections, count);
    for (int i = 0; i < count; i++) {
        ck_assert(pair_ends(dialer->connections[i].socket, from));
        ck_assert(pair_ends(listener->connections[i].socket, to));
        ck_assert_uint_eq(from[0].sin_port, to[1].sin_port);
        ck_assert_uint_eq(from[1].sin_port, to[0].sin_port);
    }
    pair_pass(0);
    pair_pass(1);
}

BOTH_LOOP(all_connections_stand, 0, 2)
{
    pair.dials[0].addresses[0] = mtree_address_parse(_i == 0 ? "127.0.0.1" : "::1");
    pair_meet();
    check_connections(COUNT);
    ck_assert_int_eq(dialer->tcp->num_lost + listener->tcp->num_lost, 0);
}

/* As many as both may have, whoever may have fewer; the others are closed. */
BOTH_LOOP(the_answer_says_how_many_connections_there_are, 0, 2)
{
    pair.dials[_i].num_connections = 2;
    pair_meet();
    check_connections(2);
    ck_assert_int_eq(dialer->tcp->num_lost + listener->tcp->num_lost, 0);
    for (int i = 2; i < pair.dials[0].num_connections; i++) {
        ck_assert_int_lt(dialer->connections[i].attempt.dialer.socket, 0);
    }
}

/* What is sent before the two have met waits. */
BOTH_TEST(messages_wait_for_connections)
{
    static loop_message_t sent;
    char byte = 1;

    pair_dial(0);
    loop_send(0, &byte, 1, true, &sent);
    loop_poll(0);
    ck_assert(!sent.has_ended);
    ck_assert_int_eq(dialer->tcp->num_unacknowledged, 0);
    pair_dial(1);
    pair_await(&sent);
    unit_ok(sent.status);
}

/* The kernel is not to hold short links to their rates, which nobody knows of a
 * connection that is not made, nor is it decided over such a one what controls
 * congestion. */
UNIT_TEST(what_is_not_made_decides_nothing)
{
    pair.dials[0].tuning = MTREE_TCP_TUNING_CONTROL;
    pair_dial(0);
    ck_assert_ptr_nonnull(mtree_tcp_session_begin(dialer, &loop_key, 1, 1e9, NULL));
    ck_assert_double_eq(dialer->pace, 0);
    pair_meet();
    ck_assert_double_eq(dialer->pace, INFINITY);
    dialer->connections[0].is_lost = true;
    dialer->part = 0.1;
    mtree_tcp_peer_tune(dialer, mtree_clock_seconds() + 1);
    ck_assert_int_eq(dialer->tuning, MTREE_TCP_TUNING_CONTROL);
    dialer->connections[0].is_lost = false;
}

/* A firewall may let so many connections through: the others carry what there is. */
UNIT_LOOP(one_that_is_never_made_ends_nothing, 0, 2)
{
    mtree_tcp_connection_t *connection = &dialer->connections[1];

    pair_meet();
    (void)mtree_tcp_connection_lose(connection);
    connection->made = _i;
    connection->attempt.lost.seconds = MTREE_TCP_LOST_SECONDS + 1;
    dialer->num_running++;
    mtree_tcp_peer_make_again(dialer, mtree_clock_seconds());
    dialer->num_running--;
    ck_assert_int_eq(dialer->has_failed, _i != 0);
}

/* The end that dials, alone, polls at the moment @a now until something @a holds, so many
 * times at most. */
#define DIAL_UNTIL(now, polls, pause_us, holds)                                          \
    for (int dials = 0; dials < (polls) && !(holds); dials++) {                          \
        mtree_tcp_peer_make_again(dialer, now);                                          \
        (void)usleep(pause_us);                                                          \
    }

static void expect_ends(int fd, const char *from, const char *to)
{
    struct sockaddr_in ends[2];

    ck_assert(pair_ends(fd, ends));
    ck_assert_uint_eq(ends[0].sin_addr.s_addr, inet_addr(from));
    ck_assert_uint_eq(ends[1].sin_addr.s_addr, inet_addr(to));
}

/* Connections that are spread take the pairs of addresses in turn. */
UNIT_TEST(connections_go_from_their_sources)
{
    mtree_tcp_dial_t *dial = &pair.dials[0];

    dial->num_first = 2;
    dial->is_spread = true;
    for (int i = 0; i < 2; i++) {
        dial->sources[i] = mtree_address_parse(i == 0 ? "127.0.1.1" : "127.0.2.1");
        dial->addresses[i] = mtree_address_parse(i == 0 ? "127.0.1.2" : "127.0.2.2");
    }
    pair_meet();
    for (int i = 0; i < COUNT; i++) {
        expect_ends(dialer->connections[i].socket, i % 2 == 0 ? "127.0.1.1" : "127.0.2.1",
                    i % 2 == 0 ? "127.0.1.2" : "127.0.2.2");
    }
}

/* What has no such address cannot dial from it. */
UNIT_TEST(a_source_that_is_not_here_is_refused)
{
    double now = 1;
    int error;

    pair.dials[0].sources[0] = mtree_address_parse("192.0.2.1");
    pair_dial(0);
    ck_assert_int_eq(meet(&now, &error), -1);
    ck_assert_int_eq(error, EADDRNOTAVAIL);
}

/* The kernel connects for a process that computes for an hour.  Who has dialed waits for
 * its answer, and so do both, whoever is away, and however often. */
UNIT_TEST(who_is_away_is_waited_for)
{
    double now = mtree_clock_seconds();
    int error = 1;

    pair_dial(0);
    for (int i = 0; i < 20 || error != 0; i++) {
        ck_assert_int_eq(mtree_tcp_peer_meet(dialer, now, &error), 0);
        mtree_tcp_peer_make_again(dialer, now);
        now += 3600;
        (void)usleep(500);
    }
    pair_dial(1);
    for (int i = 0; i < 20; i++) {
        ck_assert_int_eq(mtree_tcp_peer_meet(listener, now, &error), 0);
        now += 3600;
    }
    pair_meet();
    check_connections(COUNT);
}

/* Where the peer can be reached is known better now. */
UNIT_TEST(other_addresses_may_be_dialed_instead)
{
    double now = mtree_clock_seconds();
    int error;

    pair.dials[0].port = 1;
    pair_dial(0);
    ck_assert_int_eq(meet(&now, &error), -1);
    ck_assert_int_eq(error, ECONNREFUSED);
    pair.dials[0].port = mtree_tcp_listener_port(pair.listeners[1]);
    pair_meet();
    check_connections(COUNT);
}

/* A stranger that has one of the peer's addresses may connect and say nothing. */
UNIT_TEST(each_address_has_its_turn)
{
    double now = mtree_clock_seconds(), began = now;
    struct sockaddr_in mute = {.sin_family = AF_INET,
                               .sin_port = htons(pair.dials[0].port),
                               .sin_addr.s_addr = inet_addr("127.0.0.3")};
    int error, fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), yes = 1;

    /* The other end has ended. */
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    pair.dials[0].addresses[0] = mtree_address_parse("127.0.0.3");
    pair.dials[0].num_first = 2;
    mtree_tcp_listener_destroy(pair.listeners[1]);
    pair.listeners[1] = NULL;
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&mute, sizeof(mute)), 0);
    ck_assert_int_eq(listen(fd, COUNT), 0);
    pair_dial(0);
    ck_assert_int_eq(meet(&now, &error), -1);
    ck_assert_int_eq(error, 0);
    ck_assert_double_gt(now, began + MTREE_TCP_ANSWER_SECONDS);
    mtree_tcp_peer_dial_next(dialer);
    ck_assert_int_eq(mtree_tcp_peer_meet(dialer, now, &error), 0);
    mtree_tcp_peer_make_again(dialer, now);
    for (int i = 0; i < COUNT; i++) {
        ck_assert_int_eq(dialer->connections[i].attempt.at, 1);
    }
    (void)close(fd);
}

/* At all addresses, and once more where no kernel answers: it may have had no room. */
UNIT_TEST(it_is_dialed_so_many_times)
{
    for (int rounds = 1; rounds <= 4; rounds++) {
        ck_assert(mtree_tcp_may_dial_again(rounds, 0, 3) == (rounds <= 3));
    }
    ck_assert(mtree_tcp_may_dial_again(1, 1, 1));
    ck_assert(!mtree_tcp_may_dial_again(2, 2, 3));
}

/* What who listens has heard, and what it is to answer. */
static mtree_tcp_greeting_t heard;

/* The next connection to @a fd, while the end that dials does at @a now, and what that
 * says in its greeting. */
static int accept_greeting(int fd, double now, mtree_tcp_resumption_t *said)
{
    mtree_tcp_piece_t piece;
    int accepted = -1, received = 0;

    heard.secret = pair.dials[0].secret;
    mtree_tcp_piece_expect(&piece, MTREE_TCP_HELLO);
    for (int i = 0; i < 2000 && received == 0; i++) {
        mtree_tcp_peer_make_again(dialer, now);
        if (accepted < 0 && (accepted = mtree_tcp_socket_accept(fd)) >= 0) {
            ck_assert(mtree_tcp_challenge_send(&heard, accepted));
        }
        received = accepted < 0 ? 0 : mtree_tcp_piece_receive(&piece, accepted);
        (void)usleep(received == 0 ? 500 : 0);
    }
    ck_assert_int_eq(received, 1);
    mtree_tcp_hello_read(&heard, piece.bytes);
    ck_assert(mtree_tcp_hello_is_proved(&heard, piece.bytes));
    *said = mtree_tcp_resumption_read(heard.said);
    return accepted;
}

static void answer_greeting(int fd, const mtree_tcp_resumption_t *answer)
{
    unsigned char said[MTREE_TCP_SAID];

    mtree_tcp_resumption_write(answer, said);
    ck_assert(mtree_tcp_answer_send(&heard, said, fd));
}

/* Dial @a count connections to a socket that listens; that. */
static int dial_to_socket(int count)
{
    const mtree_tcp_ports_t any = {0, 0};
    int fd = mtree_tcp_socket_listen(&any, &pair.dials[0].port);

    pair.dials[0].num_connections = count;
    pair_dial(0);
    return fd;
}

/* The kernel connects for a process that is away.  When that comes back it finds all
 * attempts, and each says which one it is. */
UNIT_TEST(attempts_are_numbered)
{
    mtree_tcp_resumption_t greeting;
    int fd = dial_to_socket(1);

    for (uint32_t attempt = 1; attempt <= 2; attempt++) {
        (void)close(accept_greeting(fd, attempt, &greeting));
        ck_assert_uint_eq(greeting.rank, 0);
        ck_assert_uint_eq(greeting.attempt, attempt);
        ck_assert_uint_eq(greeting.count, 1);
        mtree_tcp_peer_dial_next(dialer);
    }
    (void)close(fd);
}

/* Of another process, attempt or number of connections, or of one without the secret. */
UNIT_LOOP(another_answer_is_none, 0, 6)
{
    mtree_tcp_resumption_t answer;
    int fd = dial_to_socket(2), accepted = accept_greeting(fd, 1, &answer);

    answer.rank = 1 + (_i == 0);
    answer.attempt += _i == 1;
    answer.count = _i == 2 ? 3 : _i == 4 ? answer.number : 2;
    heard.secret.bytes[0] ^= _i == 3;
    answer_greeting(accepted, &answer);
    DIAL_UNTIL(1, 4000, 500,
               !dialer->connections[answer.number].attempt.dialer.is_connected ||
                   dialer->has_met)
    ck_assert_int_eq(dialer->has_met, _i == 5);
    (void)close(accepted);
    (void)close(fd);
}

/* The other end has given the connection up, and what it said of that is lost: who waits
 * has nothing to send.  Without the right to have a connection vanish nothing is seen. */
UNIT_TEST(a_connection_that_vanishes_has_no_answer)
{
    mtree_tcp_resumption_t greeting;
    int yes = 1, fd = dial_to_socket(1), accepted = accept_greeting(fd, 1, &greeting);

    if (setsockopt(accepted, IPPROTO_TCP, TCP_REPAIR, &yes, sizeof(yes)) == 0) {
        (void)close(accepted);
        DIAL_UNTIL(1, 1500, 10000, !dialer->connections[0].attempt.dialer.is_connected)
        ck_assert(!dialer->connections[0].attempt.dialer.is_connected);
    }
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
    mtree_tcp_resumption_t greeting;
    int first, fd = loop_listen_to_one(&first, &pair.dials[0].port);

    pair.dials[0].num_connections = 1;
    pair.dials[0].trip = cases[_i].trip;
    pair_dial(0);
    mtree_tcp_peer_make_again(dialer, 1);
    mtree_tcp_peer_make_again(dialer, now);
    ck_assert_int_eq(dialer->connections[0].attempt.dialer.error,
                     cases[_i].attempt == 1 ? 0 : ETIMEDOUT);
    (void)close(accept(fd, NULL, NULL));
    (void)close(accept_greeting(fd, now + 0.1, &greeting));
    ck_assert_uint_eq(greeting.attempt, cases[_i].attempt);
    (void)close(first);
    (void)close(fd);
}

/* After so many attempts, too, whose times are beyond all numbers. */
UNIT_LOOP(the_system_refuses_by_errno, 0, 2)
{
    mtree_tcp_dialer_t attempts = {.socket = -1, .tries = _i == 0 ? 0 : 5000};

    errno = EMFILE;
    mtree_tcp_dialer_begin(&attempts, -1, 0, 1);
    ck_assert_int_eq(attempts.error, EMFILE);
    ck_assert(attempts.until > 1 && attempts.until < 2);
}

/* Packets that ask for a connection are lost on their way. */
UNIT_TEST(who_gets_no_answer_at_all_has_none)
{
    int first, error = 0, fd = loop_listen_to_one(&first, &pair.dials[0].port);
    double now = 1;

    pair_dial(0);
    ck_assert_int_eq(meet(&now, &error), -1);
    ck_assert_int_eq(error, ETIMEDOUT);
    (void)close(first);
    (void)close(fd);
}

/* Who listens there is no peer, since it does not know what is said. */
UNIT_TEST(a_stranger_is_not_taken_for_the_peer)
{
    pair.dials[0].secret.bytes[0] ^= 1;
    pair_dial(0);
    pair_dial(1);
    pair_poll_for(PAIR_BOTH, 0.5);
    ck_assert(!dialer->has_met && !listener->has_met);
    ck_assert_uint_gt(dialer->connections[0].attempt.number, 1);
}

/* One of an attempt that is given up, or of a number that there is not, is none. */
static mtree_tcp_admission_t admit(const mtree_tcp_resumption_t *said, int socket)
{
    mtree_tcp_greeting_t greeting = {.secret = {{0}}};

    mtree_tcp_resumption_write(said, greeting.said);
    return mtree_tcp_peer_admit(listener, &greeting, socket);
}

UNIT_TEST(the_newest_attempt_counts)
{
    mtree_tcp_resumption_t greeting = {.number = 1, .attempt = 2, .count = 2};
    int fds[4];

    for (int i = 0; i < 4; i += 2) {
        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, &fds[i]), 0);
    }
    ck_assert_int_eq(admit(&greeting, fds[0]), MTREE_TCP_UNEXPECTED);
    pair_dial(1);
    ck_assert_int_eq(admit(&greeting, fds[0]), MTREE_TCP_ADMITTED);
    ck_assert(listener->has_met);
    for (uint32_t attempt = 1; attempt <= 2; attempt++) {
        greeting.attempt = attempt;
        ck_assert_int_eq(admit(&greeting, fds[2]), MTREE_TCP_REFUSED);
    }
    greeting = (mtree_tcp_resumption_t){.number = 2, .attempt = 3, .count = 3};
    ck_assert_int_eq(admit(&greeting, fds[2]), MTREE_TCP_REFUSED);
    greeting.number = 1;
    ck_assert_int_eq(admit(&greeting, fds[2]), MTREE_TCP_ADMITTED);
    ck_assert_int_eq(listener->connections[1].socket, fds[2]);
    (void)close(fds[1]);
    (void)close(fds[3]);
}

/* A connection that is not wanted has failed by then: another has its descriptor. */
UNIT_TEST(connections_that_are_not_wanted_are_closed_once)
{
    enum { OTHERS = 4 };
    mtree_tcp_resumption_t answer;
    int others[OTHERS], fd = dial_to_socket(2), accepted;

    do {
        accepted = accept_greeting(fd, 1, &answer);
    } while (answer.number != 0);
    DIAL_UNTIL(1, 100, 500, dialer->connections[1].attempt.dialer.is_connected)
    (void)shutdown(dialer->connections[1].attempt.dialer.socket, SHUT_RDWR);
    mtree_tcp_peer_make_again(dialer, 1);
    for (int i = 0; i < OTHERS; i++) {
        others[i] = dup(accepted);
    }
    answer = (mtree_tcp_resumption_t){.rank = 1, .attempt = answer.attempt, .count = 1};
    answer_greeting(accepted, &answer);
    DIAL_UNTIL(1, 1000, 500, dialer->has_met)
    ck_assert_int_eq(dialer->num_connections, 1);
    for (int i = 0; i < OTHERS; i++) {
        ck_assert_int_eq(close(others[i]), 0);
    }
    (void)close(accepted);
    (void)close(fd);
}

BOTH_FIXTURE(start, pair_destroy)

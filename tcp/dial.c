/* SPDX-License-Identifier: BSD-3-Clause */
/* Attempts at connections, from either end. */
#include "tcp/private.h"
#include "tcp/socket.h"

#include "base/clock.h"
#include "base/memory.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds from a failed attempt to the next one: the first, and at most. */
#define PAUSE      0.05
#define MOST_PAUSE 0.5

/* Seconds until the peer's kernel answers: of the first attempt, and at most.  Where the
 * first packet is lost the own kernel waits for a second before it sends another one. */
#define ANSWER      0.25
#define MOST_ANSWER 2.0

/* Round trips in which an answer that is not lost has come, through queues as well. */
#define TRIPS 2

/* Attempts at an address before the next one has its turn, once the ends have met. */
#define TRIES 2

/* Rounds without a connection until there will be none: who listens has polled between
 * them, so it was not a queue of connections that was full while it was away. */
#define FAILED_ROUNDS 2

/* Times that what makes a connection doubted is made longer (tcp/redial.c). */
#define MOST_DOUBTS 3

/* Seconds in which the peer's kernel takes a greeting. */
#define GREETING 5

static uint32_t number_of(const mtree_tcp_connection_t *connection)
{
    return (uint32_t)(connection - connection->peer->connections);
}

/* All connections have yet to be made, each first over its own address. */
static void begin_lost(mtree_tcp_peer_t *peer)
{
    const mtree_tcp_dial_t *dial = peer->dial;

    peer->num_connections = dial->num_connections;
    peer->tcp->num_lost += dial->num_connections;
    for (int i = 0; i < dial->num_connections; i++) {
        mtree_tcp_connection_t *connection = &peer->connections[i];

        mtree_tcp_connection_init(peer, i, -1);
        connection->is_lost = true;
        connection->home = dial->is_spread ? i % dial->num_first : 0;
        connection->rate = dial->rates[connection->home];
    }
}

void mtree_tcp_peer_dial(mtree_tcp_peer_t *peer, const mtree_tcp_dial_t *dial)
{
    if (peer->dial != NULL && !peer->has_met) {
        *peer->dial = *dial;
        mtree_tcp_peer_dial_next(peer);
    }
    if (peer->dial == NULL) {
        peer->dial = mtree_malloc(sizeof(*peer->dial));
        *peer->dial = *dial;
        begin_lost(peer);
    }
}

/* There are @a count connections to @a peer, if none has been made by now. */
static void keep_first(mtree_tcp_peer_t *peer, int count)
{
    if (peer->width > 0) {
        return;
    }
    for (int i = count; i < peer->num_connections; i++) {
        mtree_tcp_attempt_end(&peer->connections[i]);
        peer->tcp->num_lost--;
    }
    peer->num_connections = count;
}

/* The key of @a connection after the present attempt, which no other one has, nor one
 * from other positions; NULL: it is not encrypted. */
static const mtree_tls_key_t *make_key(const mtree_tcp_connection_t *connection,
                                       uint64_t theirs, mtree_tls_key_t *key)
{
    const mtree_tcp_dial_t *dial = connection->peer->dial;
    const uint64_t words[] = {htobe64(number_of(connection)),
                              htobe64(connection->attempt.number),
                              htobe64(dial->dials ? connection->received : theirs),
                              htobe64(dial->dials ? theirs : connection->received)};

    if (!dial->is_encrypted) {
        return NULL;
    }
    key->is_client = dial->dials;
    mtree_crypto_code(dial->key, sizeof(dial->key), words, sizeof(words), key->bytes);
    return key;
}

/* The address of the next attempt: its own, then the next ones. */
static int address_of(const mtree_tcp_connection_t *connection)
{
    const mtree_tcp_peer_t *peer = connection->peer;
    const int tries = connection->attempt.tries;

    return peer->has_met ? (connection->home + tries / TRIES) % peer->dial->num_addresses
                         : (connection->home + tries) % peer->dial->num_first;
}

static void set_up_socket(const mtree_tcp_connection_t *connection, int socket)
{
    const mtree_tcp_peer_t *peer = connection->peer;

    (void)mtree_tcp_socket_tune(socket, peer->has_bbr && connection == peer->connections
                                            ? MTREE_TCP_BBR
                                            : peer->dial->congestion);
}

/* The first connection that is made tells the others which address has an answer. */
static void share_home(const mtree_tcp_connection_t *connection)
{
    mtree_tcp_peer_t *peer = connection->peer;

    for (int i = 0; i < peer->num_connections; i++) {
        if (!peer->has_met && !peer->dial->is_spread) {
            peer->connections[i].home = connection->home;
        }
    }
}

/* Both ends know where @a connection goes on, over @a socket, which is taken over. */
static void resume(mtree_tcp_connection_t *connection, int socket, uint64_t theirs)
{
    mtree_tcp_peer_t *peer = connection->peer;
    mtree_tls_key_t key;

    set_up_socket(connection, socket);
    connection->has_failed_over = peer->dial->dials && peer->dial->is_spread &&
                                  connection->attempt.at != connection->home;
    connection->failed_over = (mtree_tcp_polled_time_t){.seconds = 0};
    connection->home = peer->dial->is_spread ? connection->home : connection->attempt.at;
    connection->is_lost = false;
    connection->attempt.until = 0;
    peer->tcp->num_lost--;
    share_home(connection);
    peer->has_met = true;
    if (mtree_tcp_connection_open(connection, socket,
                                  make_key(connection, theirs, &key))) {
        if (peer->width == 0) {
            mtree_tcp_peer_use(peer, peer->dial->tuning);
        }
        peer->is_active = peer->tcp->has_more = true;
        mtree_tcp_peer_pump(peer);
    } else {
        mtree_tcp_peer_fail(peer, connection->reason);
    }
    explicit_bzero(&key, sizeof(key));
}

static bool is_rewound(mtree_tcp_connection_t *connection, uint64_t theirs)
{
    if (!mtree_tcp_connection_rewind(connection, theirs)) {
        mtree_tcp_peer_fail(connection->peer,
                            theirs == UINT64_MAX
                                ? "it has given this process up"
                                : "what was lost on the way is not kept any more");
        return false;
    }
    return true;
}

/* What this end says on a connection that it makes, or takes. */
static bool greet(const mtree_tcp_connection_t *connection, int socket,
                  const mtree_tcp_secret_t *secret)
{
    const mtree_tcp_peer_t *peer = connection->peer;
    mtree_tcp_greeting_t greeting = {.rank = peer->dial->own_rank,
                                     .number = number_of(connection),
                                     .attempt = connection->attempt.number,
                                     .count = (uint32_t)peer->num_connections,
                                     .position = connection->received};

    return mtree_tcp_greeting_send(socket, &greeting, secret);
}

/* The peer has failed here: its process is told by a position that it cannot go on at. */
static void refuse(const mtree_tcp_peer_t *peer, mtree_tcp_greeting_t greeting,
                   int socket)
{
    greeting.rank = peer->dial->own_rank;
    greeting.position = UINT64_MAX;
    (void)mtree_tcp_greeting_send(socket, &greeting, &peer->dial->own_secret);
}

/* The other end has lost a connection that stands here. */
static void hear_of_loss(mtree_tcp_connection_t *connection, uint32_t attempt)
{
    if (!connection->is_lost && connection->attempt.number == attempt) {
        (void)mtree_tcp_connection_lose(connection);
    }
}

/* How many connections there are, where the other end greets with @a theirs: as many as
 * both may have. */
static int agree_on_count(const mtree_tcp_peer_t *peer, uint32_t theirs)
{
    return peer->width > 0 || theirs >= (uint32_t)peer->num_connections
               ? peer->num_connections
               : (int)theirs;
}

/* Take @a socket as @a connection, which is not made. */
static bool take(mtree_tcp_connection_t *connection, const mtree_tcp_greeting_t *greeting,
                 int socket)
{
    mtree_tcp_attempt_end(connection);
    connection->attempt.number = greeting->attempt;
    if (!is_rewound(connection, greeting->position) ||
        !greet(connection, socket, &connection->peer->dial->own_secret)) {
        return false;
    }
    resume(connection, socket, greeting->position);
    return true;
}

mtree_tcp_admission_t mtree_tcp_peer_admit(mtree_tcp_peer_t *peer,
                                           const mtree_tcp_greeting_t *greeting,
                                           int socket)
{
    mtree_tcp_connection_t *connection;
    int count;

    if (peer->dial == NULL) {
        return MTREE_TCP_UNEXPECTED;
    }
    if (peer->has_failed) {
        refuse(peer, *greeting, socket);
        return MTREE_TCP_REFUSED;
    }
    count = agree_on_count(peer, greeting->count);
    if (greeting->number >= (uint32_t)count) {
        return MTREE_TCP_REFUSED;
    }
    connection = &peer->connections[greeting->number];
    if (peer->dial->dials) {
        hear_of_loss(connection, greeting->attempt);
        return MTREE_TCP_REFUSED;
    }
    if (greeting->attempt <= connection->attempt.number ||
        (!connection->is_lost && !mtree_tcp_connection_lose(connection))) {
        return MTREE_TCP_REFUSED;
    }
    keep_first(peer, count);
    return take(connection, greeting, socket) ? MTREE_TCP_ADMITTED : MTREE_TCP_REFUSED;
}

void mtree_tcp_attempt_end(mtree_tcp_connection_t *connection)
{
    mtree_tcp_attempt_t *attempt = &connection->attempt;

    if (attempt->socket >= 0) {
        (void)close(attempt->socket);
    }
    attempt->socket = -1;
    attempt->is_greeted = false;
}

static void attempt_fail(mtree_tcp_connection_t *connection, int error, double now)
{
    mtree_tcp_attempt_t *attempt = &connection->attempt;

    mtree_tcp_attempt_end(connection);
    attempt->error = error;
    /* Where packets are lost, too, there may be a peer, and a firewall that refuses. */
    attempt->is_refused =
        error != ETIMEDOUT && (attempt->is_refused || error == ECONNREFUSED);
    attempt->refused.seconds = attempt->is_refused ? attempt->refused.seconds : 0;
    attempt->until = now + fmin(ldexp(PAUSE, attempt->tries), MOST_PAUSE);
}

static void attempt_connect(mtree_tcp_connection_t *connection, double now)
{
    const mtree_tcp_dial_t *dial = connection->peer->dial;
    const double trips = TRIPS * dial->trip;
    mtree_tcp_attempt_t *attempt = &connection->attempt;

    attempt->at = address_of(connection);
    attempt->piece = (mtree_tcp_piece_t){.count = 0};
    attempt->socket = mtree_tcp_socket_connect(&dial->sources[attempt->at],
                                               &dial->addresses[attempt->at], dial->port,
                                               connection->mss);
    if (attempt->socket < 0) {
        attempt->tries++;
        attempt_fail(connection, errno, now);
        return;
    }
    attempt->until = now + fmin(ldexp(fmax(ANSWER, trips), attempt->tries++),
                                fmax(MOST_ANSWER, trips));
}

/* The peer's kernel has answered the attempt, and a connection that stands has no answer:
 * it is lost.  False: the peer has failed. */
static bool give_way(mtree_tcp_connection_t *connection)
{
    const int socket = connection->attempt.socket, doubts = connection->doubts;

    connection->attempt.socket = -1;
    if (!mtree_tcp_connection_lose(connection)) {
        (void)close(socket);
        return false;
    }
    connection->doubts = doubts < MOST_DOUBTS ? doubts + 1 : doubts;
    connection->attempt.number += connection->peer->dial->dials;
    connection->attempt.socket = socket;
    connection->attempt.tries = 1;
    return true;
}

/* The peer's kernel has answered, or will not. */
static void attempt_greet(mtree_tcp_connection_t *connection, double now)
{
    mtree_tcp_attempt_t *attempt = &connection->attempt;
    int connected = mtree_tcp_socket_connected(attempt->socket);

    if (connected == 1 && !connection->is_lost && !give_way(connection)) {
        return;
    }
    if (connected == 1 &&
        greet(connection, attempt->socket, &connection->peer->dial->secret)) {
        attempt->is_refused = false;
        attempt->refused = (mtree_tcp_polled_time_t){.seconds = 0};
        attempt->is_greeted = true;
        mtree_tcp_socket_keep(attempt->socket, GREETING, true);
    } else if (connected != 0) {
        attempt_fail(connection, errno, now);
    } else if (now > attempt->until) {
        attempt_fail(connection, ETIMEDOUT, now);
    }
}

/* Is @a answer that of the peer to the present attempt? */
static bool is_answer(const mtree_tcp_connection_t *connection,
                      const mtree_tcp_greeting_t *answer)
{
    const mtree_tcp_peer_t *peer = connection->peer;

    return answer->rank == peer->dial->rank && answer->number == number_of(connection) &&
           answer->attempt == connection->attempt.number &&
           answer->count > answer->number &&
           answer->count <= (uint32_t)peer->num_connections;
}

/* The other end computes, or answers.  One that is to dial closes this when it has heard,
 * and answers only that it has failed. */
static void attempt_hear(mtree_tcp_connection_t *connection, double now)
{
    mtree_tcp_attempt_t *attempt = &connection->attempt;
    mtree_tcp_greeting_t answer;
    int socket = attempt->socket;
    int heard = mtree_tcp_greeting_receive(socket, &attempt->piece,
                                           &connection->peer->dial->secret, &answer);

    if (heard == 0) {
        return;
    }
    if (heard < 0 || !is_answer(connection, &answer)) {
        attempt_fail(connection, ECONNRESET, now);
        return;
    }
    if (is_rewound(connection, answer.position)) {
        attempt->socket = -1;
        mtree_tcp_attempt_end(connection);
        keep_first(connection->peer, (int)answer.count);
        resume(connection, socket, answer.position);
    }
}

void mtree_tcp_attempt_poll(mtree_tcp_connection_t *connection, double now)
{
    mtree_tcp_attempt_t *attempt = &connection->attempt;

    if (attempt->socket < 0 && now >= attempt->until &&
        connection->peer->dial->num_addresses > 0) {
        attempt->number += connection->is_lost && connection->peer->dial->dials;
        attempt_connect(connection, now);
    }
    if (attempt->socket >= 0 && !attempt->is_greeted) {
        attempt_greet(connection, now);
    }
    if (attempt->is_greeted) {
        attempt_hear(connection, now);
    }
}

int mtree_tcp_peer_meet(mtree_tcp_peer_t *peer, double now, int *error_p)
{
    double patience = MTREE_TCP_DIAL_SECONDS;

    if (peer->has_met || peer->has_failed) {
        return 1;
    }
    *error_p = ETIMEDOUT;
    for (int i = 0; i < peer->num_connections && *error_p != 0; i++) {
        const mtree_tcp_attempt_t *attempt = &peer->connections[i].attempt;

        if (attempt->is_greeted) {
            patience = MTREE_TCP_ANSWER_SECONDS + TRIPS * peer->dial->trip;
            *error_p = 0;
        } else if (attempt->error != 0) {
            *error_p = attempt->error;
        }
    }
    mtree_tcp_polled_time_add(&peer->meeting, now);
    return peer->meeting.seconds > patience ? -1 : 0;
}

void mtree_tcp_peer_dial_next(mtree_tcp_peer_t *peer)
{
    for (int i = 0; i < peer->num_connections && !peer->has_met; i++) {
        mtree_tcp_connection_t *connection = &peer->connections[i];

        /* An answer may have come meanwhile, and the peer relies on it. */
        if (connection->attempt.is_greeted) {
            attempt_hear(connection, mtree_clock_seconds());
        }
        if (!peer->has_met) {
            mtree_tcp_attempt_end(connection);
            connection->attempt.until = 0;
        }
    }
    peer->meeting = (mtree_tcp_polled_time_t){.seconds = 0};
}

bool mtree_tcp_may_dial_again(int rounds, int failed, int num_addresses)
{
    return failed < FAILED_ROUNDS && rounds <= num_addresses;
}

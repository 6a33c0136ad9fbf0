/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/redial.h"

#include "tcp/private.h"
#include "tcp/socket.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Seconds from a failed attempt to the next one: the first, and at most. */
#define PAUSE      0.05
#define MOST_PAUSE 0.5

/* Seconds until the peer's kernel answers: of the first attempt, and at most. */
#define ANSWER      0.25
#define MOST_ANSWER 2.0

/* Attempts at an address before the next one has its turn. */
#define TRIES 2

/* Seconds in which the peer's kernel acknowledges nothing until a connection is doubted,
 * twice as many after each time that it was made again, until all is acknowledged; and
 * how often they are doubled at most. */
#define DOUBT       1.5
#define MOST_DOUBTS 3

/* Times in a row that a connection is made again in vain until it is given up. */
#define MOST_STALLS 10

/* Seconds in which the peer's kernel takes a greeting. */
#define GREETING 5

mtree_status_t mtree_tcp_peer_redial(mtree_tcp_peer_t *peer,
                                     const mtree_tcp_redial_t *redial)
{
    peer->redial = malloc(sizeof(*peer->redial));
    if (peer->redial == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    *peer->redial = *redial;
    return MTREE_OK;
}

static uint32_t number_of(const mtree_tcp_connection_t *connection)
{
    return (uint32_t)(connection - connection->peer->connections);
}

/* Read what the socket of @a connection has, to the end that it has by now.  False: that
 * breaks the rules, or there is no memory for it. */
static bool drain(mtree_tcp_connection_t *connection)
{
    bool is_sound;

    connection->is_cut = false;
    connection->is_ending = connection->is_readable = true;
    connection->peer->is_draining = true;
    do {
        is_sound = mtree_tcp_connection_read(connection);
    } while (is_sound && connection->is_readable);
    connection->peer->is_draining = false;
    return is_sound || connection->is_cut;
}

bool mtree_tcp_connection_lose(mtree_tcp_connection_t *connection)
{
    mtree_tcp_attempt_end(connection);
    /* From now on the kernel acknowledges nothing that is not read here. */
    (void)shutdown(connection->socket, SHUT_RDWR);
    if (!drain(connection)) {
        mtree_tcp_peer_fail(connection->peer, connection->status, connection->reason);
        return false;
    }
    mtree_tcp_connection_close(connection);
    connection->is_cut = false;
    connection->is_lost = true;
    connection->peer->tcp->num_lost++;
    connection->attempt =
        (mtree_tcp_attempt_t){.number = connection->attempt.number, .socket = -1};
    return true;
}

/* The key of @a connection after the present attempt, which no other one has, nor one
 * from other positions; NULL: it is not encrypted. */
static const mtree_tls_key_t *renew_key(const mtree_tcp_connection_t *connection,
                                        uint64_t theirs, mtree_tls_key_t *key)
{
    const bool dials = connection->peer->redial->dials;
    const uint64_t words[] = {htobe64(connection->attempt.number),
                              htobe64(dials ? connection->received : theirs),
                              htobe64(dials ? theirs : connection->received)};

    if (!connection->is_encrypted) {
        return NULL;
    }
    key->is_client = dials;
    mtree_crypto_code(connection->key.bytes, sizeof(connection->key.bytes), words,
                      sizeof(words), key->bytes);
    return key;
}

/* The address of attempt @a tries (from 0) since a loss: its own, then the next ones. */
static uint32_t address_of(const mtree_tcp_connection_t *connection, int tries)
{
    const mtree_tcp_redial_t *redial = connection->peer->redial;
    const uint32_t number = number_of(connection);
    const uint32_t own =
        (redial->attempts[number] - 1 + (redial->dial.is_spread ? number : 0)) %
        (uint32_t)redial->num_first;

    return (own + (uint32_t)(tries / TRIES)) % (uint32_t)redial->dial.num_addresses;
}

/* Both ends know where @a connection goes on, over @a socket, which is taken over. */
static void resume(mtree_tcp_connection_t *connection, int socket, uint64_t theirs)
{
    mtree_tcp_peer_t *peer = connection->peer;
    mtree_tls_key_t key;

    (void)mtree_tcp_socket_tune(socket, peer->redial->congestion);
    if (peer->pace > 0) {
        mtree_tcp_socket_pace(socket, peer->pace);
    }
    if (peer->has_bbr && connection == peer->connections) {
        (void)mtree_tcp_socket_use_bbr(socket);
    }
    connection->has_failed_over = peer->redial->dials && peer->redial->dial.is_spread &&
                                  address_of(connection, connection->attempt.tries - 1) !=
                                      address_of(connection, 0);
    connection->failed_over = (mtree_tcp_polled_time_t){.seconds = 0};
    connection->is_lost = false;
    connection->attempt.until = 0;
    peer->tcp->num_lost--;
    mtree_tcp_socket_give_up(socket, 0);
    if (mtree_tcp_connection_open(connection, socket,
                                  renew_key(connection, theirs, &key))) {
        peer->is_active = peer->tcp->has_more = true;
        mtree_tcp_peer_pump(peer);
    } else {
        mtree_tcp_peer_fail(peer, connection->status, connection->reason);
    }
    explicit_bzero(&key, sizeof(key));
}

static bool is_rewound(mtree_tcp_connection_t *connection, uint64_t theirs)
{
    if (!mtree_tcp_connection_rewind(connection, theirs)) {
        mtree_tcp_peer_fail(connection->peer, MTREE_ERR_TRANSPORT,
                            theirs == UINT64_MAX
                                ? "it has given this process up"
                                : "what was lost on the way is not kept any more");
        return false;
    }
    return true;
}

/* What this end says on a connection that it makes again. */
static bool greet(const mtree_tcp_connection_t *connection, int socket,
                  const mtree_tcp_secret_t *secret)
{
    mtree_tcp_greeting_t greeting = {.rank = connection->peer->redial->dial.rank,
                                     .number = number_of(connection),
                                     .attempt = connection->attempt.number,
                                     .position = connection->received};

    mtree_tcp_greeting_prove(&greeting, secret);
    return mtree_tcp_greeting_send(socket, &greeting);
}

/* The peer has failed here: its process is told by a position that it cannot go on at. */
static void refuse(const mtree_tcp_peer_t *peer, mtree_tcp_greeting_t greeting,
                   int socket)
{
    greeting.rank = peer->redial->dial.rank;
    greeting.position = UINT64_MAX;
    mtree_tcp_greeting_prove(&greeting, &peer->redial->secret);
    (void)mtree_tcp_greeting_send(socket, &greeting);
}

/* The other end has lost a connection that stands here. */
static void hear_of_loss(mtree_tcp_connection_t *connection, uint32_t attempt)
{
    if (!connection->is_lost && connection->attempt.number == attempt) {
        (void)mtree_tcp_connection_lose(connection);
    }
}

bool mtree_tcp_peer_admit(mtree_tcp_peer_t *peer, const mtree_tcp_greeting_t *greeting,
                          int socket)
{
    mtree_tcp_connection_t *connection;

    if (peer->redial != NULL && peer->status != MTREE_OK) {
        refuse(peer, *greeting, socket);
    }
    if (peer->redial == NULL || greeting->number >= (uint32_t)peer->num_connections) {
        return false;
    }
    connection = &peer->connections[greeting->number];
    if (peer->redial->dials) {
        hear_of_loss(connection, greeting->attempt);
        return false;
    }
    if (greeting->attempt <= connection->attempt.number ||
        (!connection->is_lost && !mtree_tcp_connection_lose(connection))) {
        return false;
    }
    mtree_tcp_attempt_end(connection);
    connection->attempt.number = greeting->attempt;
    if (!is_rewound(connection, greeting->position) ||
        !greet(connection, socket, &peer->redial->secret)) {
        return false;
    }
    resume(connection, socket, greeting->position);
    return true;
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
    const mtree_tcp_redial_t *redial = connection->peer->redial;
    mtree_tcp_attempt_t *attempt = &connection->attempt;
    const uint32_t at = address_of(connection, attempt->tries);

    attempt->reader = (mtree_tcp_greeting_reader_t){.count = 0};
    attempt->socket =
        mtree_tcp_socket_connect(&redial->dial.sources[at], &redial->dial.addresses[at],
                                 redial->dial.port, connection->mss);
    if (attempt->socket < 0) {
        attempt->tries++;
        attempt_fail(connection, errno, now);
        return;
    }
    attempt->until = now + fmin(ldexp(mtree_tcp_dial_patience(&redial->dial, ANSWER),
                                      attempt->tries++),
                                mtree_tcp_dial_patience(&redial->dial, MOST_ANSWER));
}

static void attempt_begin(mtree_tcp_connection_t *connection, double now)
{
    connection->attempt.number += connection->peer->redial->dials;
    attempt_connect(connection, now);
}

/* The peer's kernel has answered, or will not. */
static void attempt_greet(mtree_tcp_connection_t *connection, double now)
{
    const mtree_tcp_redial_t *redial = connection->peer->redial;
    mtree_tcp_attempt_t *attempt = &connection->attempt;
    int connected = mtree_tcp_socket_connected(attempt->socket);

    if (connected == 1 && greet(connection, attempt->socket, &redial->dial.secret)) {
        attempt->is_refused = false;
        attempt->refused = (mtree_tcp_polled_time_t){.seconds = 0};
        attempt->is_greeted = true;
        mtree_tcp_socket_keep(attempt->socket, GREETING);
        mtree_tcp_socket_give_up(attempt->socket, GREETING);
    } else if (connected != 0) {
        attempt_fail(connection, errno, now);
    } else if (now > attempt->until) {
        attempt_fail(connection, ETIMEDOUT, now);
    }
}

/* The other end computes, or answers.  One that is to dial closes this when it has heard,
 * and answers only that it has failed. */
static void attempt_hear(mtree_tcp_connection_t *connection, double now)
{
    const mtree_tcp_redial_t *redial = connection->peer->redial;
    mtree_tcp_attempt_t *attempt = &connection->attempt;
    mtree_tcp_greeting_t answer;
    int socket = attempt->socket;
    int heard = mtree_tcp_greeting_receive(socket, &attempt->reader, &answer);

    if (heard == 0) {
        return;
    }
    if (heard < 0 || answer.rank != redial->rank ||
        answer.number != number_of(connection) || answer.attempt != attempt->number ||
        !mtree_tcp_greeting_is_proved(&answer, &redial->dial.secret)) {
        attempt_fail(connection, ECONNRESET, now);
        return;
    }
    if (is_rewound(connection, answer.position)) {
        attempt->socket = -1;
        mtree_tcp_attempt_end(connection);
        resume(connection, socket, answer.position);
    }
}

/* Is @a connection lost for too long, or too often in vain, and wanted? */
static bool is_gone(mtree_tcp_connection_t *connection, double now)
{
    mtree_tcp_attempt_t *attempt = &connection->attempt;

    if (attempt->is_greeted) {
        attempt->lost.last = now;
        return false;
    }
    mtree_tcp_polled_time_add(&attempt->lost, now);
    if (attempt->is_refused && connection->peer->redial->dials) {
        mtree_tcp_polled_time_add(&attempt->refused, now);
    }
    return connection->peer->num_running > 0 &&
           (connection->stalls > MOST_STALLS ||
            attempt->lost.seconds > MTREE_TCP_LOST_SECONDS ||
            attempt->refused.seconds > MTREE_TCP_REFUSED_SECONDS);
}

static void connection_redial(mtree_tcp_connection_t *connection, double now)
{
    mtree_tcp_attempt_t *attempt = &connection->attempt;

    if (is_gone(connection, now)) {
        mtree_tcp_peer_fail(connection->peer, MTREE_ERR_TRANSPORT,
                            strerror(attempt->error == 0 ? ETIMEDOUT : attempt->error));
        return;
    }
    if (attempt->socket < 0 && now >= attempt->until) {
        attempt_begin(connection, now);
    }
    if (attempt->socket >= 0 && !attempt->is_greeted) {
        attempt_greet(connection, now);
    }
    if (attempt->is_greeted) {
        attempt_hear(connection, now);
    }
}

/* A new socket has an answer, and the old one has none: go on over the new one. */
static void take_over(mtree_tcp_connection_t *connection, double now)
{
    const int socket = connection->attempt.socket, doubts = connection->doubts;

    connection->attempt.socket = -1;
    if (!mtree_tcp_connection_lose(connection)) {
        (void)close(socket);
        return;
    }
    connection->doubts = doubts < MOST_DOUBTS ? doubts + 1 : doubts;
    connection->attempt.number += connection->peer->redial->dials;
    connection->attempt.socket = socket;
    connection->attempt.tries = 1;
    connection->attempt.until = now + MOST_ANSWER;
}

static bool own_link_is_gone(const mtree_tcp_connection_t *connection)
{
    return connection->has_failed_over &&
           connection->failed_over.seconds > MTREE_TCP_FAILBACK_SECONDS;
}

mtree_link_state_t mtree_tcp_peer_links(const mtree_tcp_peer_t *peer)
{
    unsigned gone = 0;
    bool is_waited_for = false;

    if (peer->redial == NULL) {
        return MTREE_LINK_CARRIES;
    }
    for (int i = 0; i < peer->num_connections; i++) {
        const mtree_tcp_connection_t *connection = &peer->connections[i];

        if (own_link_is_gone(connection)) {
            gone |= 1U << address_of(connection, 0);
        } else if (connection->has_failed_over) {
            is_waited_for = true;
        }
    }
    return gone == (1U << peer->redial->num_first) - 1 ? MTREE_LINK_GONE
           : is_waited_for                             ? MTREE_LINK_LOST
                                                       : MTREE_LINK_CARRIES;
}

/* @a connection stands.  Where it may be dead, or its link be back before the own kernel
 * sends again, its peer is dialed beside it, over its own link, since another may carry
 * less for ever. */
static void connection_doubt(mtree_tcp_connection_t *connection, double now)
{
    const bool may_return = connection->has_failed_over && !own_link_is_gone(connection);
    mtree_tcp_attempt_t *attempt = &connection->attempt;
    int connected;

    if (may_return) {
        mtree_tcp_polled_time_add(&connection->failed_over, now);
    }
    if (attempt->socket < 0 && now < attempt->until) {
        return;
    }
    if (!may_return && !mtree_tcp_connection_is_silent(
                           connection, ldexp(DOUBT, connection->doubts), now)) {
        mtree_tcp_attempt_end(connection);
        return;
    }
    if (attempt->socket < 0) {
        attempt->tries = 0;
        attempt_connect(connection, now);
        return;
    }
    connected = mtree_tcp_socket_connected(attempt->socket);
    if (connected == 1) {
        take_over(connection, now);
    } else if (connected != 0 || now > attempt->until) {
        mtree_tcp_attempt_end(connection);
        attempt->until = now + PAUSE;
    }
}

void mtree_tcp_peer_make_again(mtree_tcp_peer_t *peer, double now)
{
    for (int i = 0; i < peer->num_connections; i++) {
        mtree_tcp_connection_t *connection = &peer->connections[i];

        if (connection->is_lost) {
            connection_redial(connection, now);
        } else if (peer->redial != NULL &&
                   (connection->unacknowledged > 0 || connection->attempt.socket >= 0 ||
                    connection->has_failed_over)) {
            connection_doubt(connection, now);
        }
    }
}

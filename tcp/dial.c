/* SPDX-License-Identifier: BSD-3-Clause */
/* Attempts at connections, from either end. */
#include "tcp/private.h"
#include "tcp/socket.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Attempts at an address before the next one has its turn, once the ends have met. */
#define TRIES 2

/* Rounds without a connection until there will be none: who listens has polled between
 * them, so it was not a queue of connections that was full while it was away. */
#define FAILED_ROUNDS 2

/* Times that what makes a connection doubted is made longer (tcp/redial.c). */
#define MOST_DOUBTS 3

_Static_assert(MTREE_TCP_SAID == 24, "what is said of a connection");

void mtree_tcp_resumption_write(const mtree_tcp_resumption_t *resumption,
                                unsigned char said[MTREE_TCP_SAID])
{
    mtree_put32(said, resumption->rank);
    mtree_put32(said + 4, resumption->number);
    mtree_put32(said + 8, resumption->attempt);
    mtree_put32(said + 12, resumption->count);
    mtree_put64(said + 16, resumption->position);
}

mtree_tcp_resumption_t mtree_tcp_resumption_read(const unsigned char said[MTREE_TCP_SAID])
{
    return (mtree_tcp_resumption_t){.rank = mtree_get32(said),
                                    .number = mtree_get32(said + 4),
                                    .attempt = mtree_get32(said + 8),
                                    .count = mtree_get32(said + 12),
                                    .position = mtree_get64(said + 16)};
}

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
        mtree_tcp_dialer_end(&peer->connections[i].attempt.dialer);
        peer->tcp->num_lost--;
    }
    peer->num_connections = count;
}

/* The address of the next attempt: its own, then the next ones. */
static int address_of(const mtree_tcp_connection_t *connection)
{
    const mtree_tcp_peer_t *peer = connection->peer;
    const int tries = connection->attempt.dialer.tries;

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
static void resume(mtree_tcp_connection_t *connection, int socket,
                   const mtree_tcp_greeting_t *greeting)
{
    mtree_tcp_peer_t *peer = connection->peer;
    const mtree_tcp_secret_t *secret = peer->dial->is_encrypted ? &peer->dial->key : NULL;
    mtree_tls_key_t key;

    set_up_socket(connection, socket);
    connection->has_failed_over = peer->dial->dials && peer->dial->is_spread &&
                                  connection->attempt.at != connection->home;
    connection->failed_over = (mtree_tcp_polled_time_t){.seconds = 0};
    connection->home = peer->dial->is_spread ? connection->home : connection->attempt.at;
    connection->is_lost = false;
    connection->attempt.dialer.until = 0;
    peer->tcp->num_lost--;
    share_home(connection);
    peer->has_met = true;
    if (mtree_tcp_connection_open(
            connection, socket,
            mtree_tcp_greeting_key(greeting, secret, peer->dial->dials, &key))) {
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
static void say(const mtree_tcp_connection_t *connection,
                unsigned char said[MTREE_TCP_SAID])
{
    const mtree_tcp_peer_t *peer = connection->peer;
    const mtree_tcp_resumption_t own = {.rank = peer->dial->own_rank,
                                        .number = number_of(connection),
                                        .attempt = connection->attempt.number,
                                        .count = (uint32_t)peer->num_connections,
                                        .position = connection->received};

    mtree_tcp_resumption_write(&own, said);
}

/* The peer has failed here: its process is told by a position that it cannot go on at. */
static void refuse(const mtree_tcp_peer_t *peer, mtree_tcp_resumption_t theirs,
                   mtree_tcp_greeting_t *greeting, int socket)
{
    unsigned char said[MTREE_TCP_SAID];

    theirs.rank = peer->dial->own_rank;
    theirs.position = UINT64_MAX;
    mtree_tcp_resumption_write(&theirs, said);
    (void)mtree_tcp_answer_send(greeting, said, socket);
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
static bool take(mtree_tcp_connection_t *connection, const mtree_tcp_resumption_t *theirs,
                 mtree_tcp_greeting_t *greeting, int socket)
{
    unsigned char said[MTREE_TCP_SAID];

    mtree_tcp_dialer_end(&connection->attempt.dialer);
    connection->attempt.number = theirs->attempt;
    say(connection, said);
    if (!is_rewound(connection, theirs->position) ||
        !mtree_tcp_answer_send(greeting, said, socket)) {
        return false;
    }
    resume(connection, socket, greeting);
    return true;
}

mtree_tcp_admission_t mtree_tcp_peer_admit(mtree_tcp_peer_t *peer,
                                           mtree_tcp_greeting_t *greeting, int socket)
{
    mtree_tcp_resumption_t theirs = mtree_tcp_resumption_read(greeting->said);
    mtree_tcp_connection_t *connection;
    int count;

    if (peer->dial == NULL) {
        return MTREE_TCP_UNEXPECTED;
    }
    if (peer->has_failed) {
        refuse(peer, theirs, greeting, socket);
        return MTREE_TCP_REFUSED;
    }
    count = agree_on_count(peer, theirs.count);
    if (theirs.number >= (uint32_t)count) {
        return MTREE_TCP_REFUSED;
    }
    connection = &peer->connections[theirs.number];
    if (peer->dial->dials) {
        hear_of_loss(connection, theirs.attempt);
        return MTREE_TCP_REFUSED;
    }
    if (theirs.attempt <= connection->attempt.number ||
        (!connection->is_lost && !mtree_tcp_connection_lose(connection))) {
        return MTREE_TCP_REFUSED;
    }
    keep_first(peer, count);
    return take(connection, &theirs, greeting, socket) ? MTREE_TCP_ADMITTED
                                                       : MTREE_TCP_REFUSED;
}

static void attempt_begin(mtree_tcp_connection_t *connection, double now)
{
    const mtree_tcp_dial_t *dial = connection->peer->dial;
    const int at = connection->attempt.at = address_of(connection);
    int socket = mtree_tcp_socket_connect(&dial->sources[at], &dial->addresses[at],
                                          dial->port, connection->mss);

    mtree_tcp_dialer_begin(&connection->attempt.dialer, socket, dial->trip, now);
}

/* The peer's kernel has answered the attempt, and a connection that stands has no answer:
 * it is lost, or the peer has failed. */
static void give_way(mtree_tcp_connection_t *connection)
{
    mtree_tcp_dialer_t dialer = connection->attempt.dialer;
    const int doubts = connection->doubts;

    connection->attempt.dialer = (mtree_tcp_dialer_t){.socket = -1};
    if (!mtree_tcp_connection_lose(connection)) {
        mtree_tcp_dialer_end(&dialer);
        return;
    }
    connection->doubts = doubts < MOST_DOUBTS ? doubts + 1 : doubts;
    connection->attempt.number += connection->peer->dial->dials;
    connection->attempt.dialer = dialer;
    connection->attempt.dialer.tries = 1;
}

/* Is @a answer that of the peer to the present attempt? */
static bool is_answer(const mtree_tcp_connection_t *connection,
                      const mtree_tcp_resumption_t *answer)
{
    const mtree_tcp_peer_t *peer = connection->peer;

    return answer->rank == peer->dial->rank && answer->number == number_of(connection) &&
           answer->attempt == connection->attempt.number &&
           answer->count > answer->number &&
           answer->count <= (uint32_t)peer->num_connections;
}

/* The other end computes, or answers.  One that is to dial closes this when it has heard,
 * and answers only that it has failed. */
static void attempt_greet(mtree_tcp_connection_t *connection, double now)
{
    mtree_tcp_dialer_t *dialer = &connection->attempt.dialer;
    unsigned char said[MTREE_TCP_SAID];
    mtree_tcp_resumption_t answer;

    say(connection, said);
    if (mtree_tcp_dialer_poll(dialer, &connection->peer->dial->secret, said, now) != 1) {
        return;
    }
    answer = mtree_tcp_resumption_read(dialer->greeting.answer);
    if (!is_answer(connection, &answer)) {
        mtree_tcp_dialer_fail(dialer, ECONNRESET, now);
    } else if (is_rewound(connection, answer.position)) {
        keep_first(connection->peer, (int)answer.count);
        resume(connection, mtree_tcp_dialer_take(dialer), &dialer->greeting);
    }
}

void mtree_tcp_attempt_poll(mtree_tcp_connection_t *connection, double now)
{
    mtree_tcp_dialer_t *dialer = &connection->attempt.dialer;

    if (dialer->socket < 0 && now >= dialer->until &&
        connection->peer->dial->num_addresses > 0) {
        connection->attempt.number +=
            connection->is_lost && connection->peer->dial->dials;
        attempt_begin(connection, now);
    }
    if (dialer->socket >= 0 && !dialer->is_connected &&
        mtree_tcp_dialer_connect(dialer, now) == 1 && !connection->is_lost) {
        give_way(connection);
    }
    if (dialer->is_connected) {
        attempt_greet(connection, now);
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

        if (attempt->dialer.is_connected) {
            /* The challenge comes, and then the answer. */
            patience = MTREE_TCP_ANSWER_SECONDS + 2 * MTREE_TCP_TRIPS * peer->dial->trip;
            *error_p = 0;
        } else if (attempt->dialer.error != 0) {
            *error_p = attempt->dialer.error;
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
        if (connection->attempt.dialer.has_said) {
            attempt_greet(connection, mtree_clock_seconds());
        }
        if (!peer->has_met) {
            mtree_tcp_dialer_end(&connection->attempt.dialer);
            connection->attempt.dialer.until = 0;
        }
    }
    peer->meeting = (mtree_tcp_polled_time_t){.seconds = 0};
}

bool mtree_tcp_may_dial_again(int rounds, int failed, int num_addresses)
{
    return failed < FAILED_ROUNDS && rounds <= num_addresses;
}

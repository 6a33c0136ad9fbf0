/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/dialer.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* Seconds from a failed attempt to the next one: the first, and at most. */
#define PAUSE      0.05
#define MOST_PAUSE 0.5

/* Seconds until the peer's kernel answers: of the first attempt, and at most.  Where the
 * first packet is lost the own kernel waits for a second before it sends another one. */
#define ANSWER      0.25
#define MOST_ANSWER 2.0

/* Seconds in which the peer's kernel takes what is said. */
#define GREETING 5

void mtree_tcp_dialer_begin(mtree_tcp_dialer_t *dialer, int socket, double trip,
                            double now)
{
    const double trips = MTREE_TCP_TRIPS * trip;
    const int before = dialer->tries++;

    dialer->socket = socket;
    if (socket < 0) {
        mtree_tcp_dialer_fail(dialer, errno, now);
    } else {
        dialer->until =
            now + fmin(ldexp(fmax(ANSWER, trips), before), fmax(MOST_ANSWER, trips));
    }
}

int mtree_tcp_dialer_connect(mtree_tcp_dialer_t *dialer, double now)
{
    int connected = mtree_tcp_socket_connected(dialer->socket);
    unsigned char magic[MTREE_TCP_MAGIC];

    mtree_tcp_magic_write(magic);
    if (connected == 1 && mtree_tcp_socket_send(dialer->socket, magic, sizeof(magic))) {
        dialer->is_connected = true;
        dialer->is_refused = false;
        mtree_tcp_piece_expect(&dialer->received, MTREE_TCP_CHALLENGE);
        mtree_tcp_socket_keep(dialer->socket, GREETING, true);
        return 1;
    }
    if (connected == 0 && now <= dialer->until) {
        return 0;
    }
    mtree_tcp_dialer_fail(dialer, connected == 0 ? ETIMEDOUT : errno, now);
    return -1;
}

/* As mtree_tcp_piece_receive().  Who is of another version says its own, or nothing. */
static int receive_challenge(mtree_tcp_dialer_t *dialer)
{
    int received = mtree_tcp_piece_receive(&dialer->received, dialer->socket);

    if (dialer->received.count >= MTREE_TCP_MAGIC) {
        const char *fault = mtree_tcp_magic_fault(dialer->received.bytes);

        dialer->is_other = fault != NULL;
        dialer->reason = fault;
        return fault != NULL ? -1 : received;
    }
    if (received < 0) {
        dialer->reason = "it takes no greeting of this version of mtree";
    }
    return received;
}

/* The rest of the hello, whose version was sent; as mtree_tcp_piece_receive(). */
static int say_hello(mtree_tcp_dialer_t *dialer, const mtree_tcp_secret_t *secret,
                     const unsigned char said[MTREE_TCP_SAID])
{
    mtree_tcp_greeting_t *greeting = &dialer->greeting;
    int received = receive_challenge(dialer);

    if (received != 1) {
        return received;
    }
    greeting->secret = *secret;
    memcpy(greeting->said, said, MTREE_TCP_SAID);
    if (!mtree_tcp_hello_send(greeting, dialer->received.bytes, dialer->socket)) {
        return -1;
    }
    mtree_tcp_piece_expect(&dialer->received, MTREE_TCP_ANSWER);
    dialer->has_said = true;
    return 1;
}

int mtree_tcp_dialer_poll(mtree_tcp_dialer_t *dialer, const mtree_tcp_secret_t *secret,
                          const unsigned char said[MTREE_TCP_SAID], double now)
{
    int result = dialer->is_connected ? 1 : mtree_tcp_dialer_connect(dialer, now);

    if (result != 1) {
        return result;
    }
    if (!dialer->has_said) {
        result = say_hello(dialer, secret, said);
    }
    if (result == 1) {
        result = mtree_tcp_piece_receive(&dialer->received, dialer->socket);
    }
    if (result == 1 &&
        !mtree_tcp_answer_read(&dialer->greeting, dialer->received.bytes)) {
        dialer->is_other = true;
        dialer->reason = "it has another secret";
        result = -1;
    }
    if (result < 0) {
        mtree_tcp_dialer_fail(dialer, ECONNRESET, now);
    }
    return result;
}

void mtree_tcp_dialer_fail(mtree_tcp_dialer_t *dialer, int error, double now)
{
    mtree_tcp_dialer_end(dialer);
    dialer->error = error;
    /* Where packets are lost, too, there may be a peer, and a firewall that refuses. */
    dialer->is_refused =
        error != ETIMEDOUT && (dialer->is_refused || error == ECONNREFUSED);
    dialer->until = now + fmin(ldexp(PAUSE, dialer->tries), MOST_PAUSE);
}

int mtree_tcp_dialer_take(mtree_tcp_dialer_t *dialer)
{
    int socket = dialer->socket;

    mtree_tcp_socket_keep(socket, 0, false);
    dialer->socket = -1;
    mtree_tcp_dialer_end(dialer);
    return socket;
}

void mtree_tcp_dialer_end(mtree_tcp_dialer_t *dialer)
{
    if (dialer->socket >= 0) {
        mtree_tcp_socket_close(dialer->socket);
    }
    dialer->socket = -1;
    dialer->is_connected = dialer->has_said = false;
    explicit_bzero(&dialer->greeting.secret, sizeof(dialer->greeting.secret));
}

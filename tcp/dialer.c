/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/dialer.h"

#include "tcp/socket.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds that one attempt may take, and from a failed one to the next. */
#define ATTEMPT 3.0
#define PAUSE   0.05

/* Seconds of the first attempt until the peer's kernel answers, and twice as many of each
 * that follows.  Where the first packet is lost the own kernel waits for a second before
 * it sends another one. */
#define ANSWER 0.25

typedef enum { IDLE, CONNECTING, GREETED, READY } attempt_state_t;

typedef struct {
    attempt_state_t state;
    int socket, tries;
    double until; /* the end of the pause, or of the attempt */
    mtree_tcp_greeting_reader_t reader;
} attempt_t;

struct mtree_tcp_dialer {
    mtree_tcp_dial_t dial;
    double deadline;
    attempt_t attempts[MTREE_TCP_CONNECTIONS];
};

mtree_tcp_dialer_t *mtree_tcp_dialer_create(const mtree_tcp_dial_t *dial, double now)
{
    mtree_tcp_dialer_t *dialer = calloc(1, sizeof(*dialer));

    if (dialer == NULL) {
        return NULL;
    }
    dialer->dial = *dial;
    dialer->deadline = now + MTREE_TCP_DIAL_SECONDS;
    return dialer;
}

static void attempt_begin(const mtree_tcp_dialer_t *dialer, attempt_t *attempt,
                          double now)
{
    const mtree_tcp_dial_t *dial = &dialer->dial;
    double answer = fmin(ATTEMPT, ldexp(ANSWER, attempt->tries));

    attempt->socket = mtree_tcp_socket_connect(
        &dial->addresses[attempt->tries % dial->num_addresses], dial->port);
    attempt->state = attempt->socket < 0 ? IDLE : CONNECTING;
    attempt->until = now + (attempt->socket < 0 ? PAUSE : answer);
    attempt->tries++;
    attempt->reader = (mtree_tcp_greeting_reader_t){.count = 0};
}

static void attempt_fail(attempt_t *attempt, double now)
{
    (void)close(attempt->socket);
    attempt->state = IDLE;
    attempt->until = now + PAUSE;
}

/* 1: it goes on; 0: it waits; -1: it has failed. */
static int attempt_greet(const mtree_tcp_dialer_t *dialer, attempt_t *attempt, double now)
{
    mtree_tcp_greeting_t greeting = {.rank = dialer->dial.rank,
                                     .number = (uint32_t)(attempt - dialer->attempts),
                                     .attempt = (uint32_t)attempt->tries,
                                     .secret = dialer->dial.theirs};
    int connected = mtree_tcp_socket_connected(attempt->socket);

    if (connected == 1) {
        connected = mtree_tcp_greeting_send(attempt->socket, &greeting) ? 1 : -1;
        attempt->state = GREETED;
        attempt->until = now + ATTEMPT;
    }
    return connected;
}

static int attempt_receive(const mtree_tcp_dialer_t *dialer, attempt_t *attempt)
{
    mtree_tcp_greeting_t greeting;
    int received =
        mtree_tcp_greeting_receive(attempt->socket, &attempt->reader, &greeting);

    if (received == 1) {
        attempt->state = READY;
        return mtree_tcp_secret_equals(&greeting.secret, &dialer->dial.mine) ? 1 : -1;
    }
    return received;
}

static void attempt_poll(const mtree_tcp_dialer_t *dialer, attempt_t *attempt, double now)
{
    int result = 0;

    if (attempt->state == IDLE && now >= attempt->until) {
        attempt_begin(dialer, attempt, now);
    }
    if (attempt->state == CONNECTING) {
        result = attempt_greet(dialer, attempt, now);
    }
    if (attempt->state == GREETED && result >= 0) {
        result = attempt_receive(dialer, attempt);
    }
    if (result < 0 || ((attempt->state == CONNECTING || attempt->state == GREETED) &&
                       now > attempt->until)) {
        attempt_fail(attempt, now);
    }
}

int mtree_tcp_dialer_poll(mtree_tcp_dialer_t *dialer, double now)
{
    int ready = 0;

    if (dialer->dial.num_addresses == 0 || dialer->dial.port == 0) {
        return -1;
    }
    for (int i = 0; i < dialer->dial.num_connections; i++) {
        attempt_poll(dialer, &dialer->attempts[i], now);
        ready += dialer->attempts[i].state == READY;
    }
    if (ready == dialer->dial.num_connections) {
        return 1;
    }
    return now > dialer->deadline ? -1 : 0;
}

void mtree_tcp_dialer_sockets(mtree_tcp_dialer_t *dialer, int *sockets)
{
    for (int i = 0; i < dialer->dial.num_connections; i++) {
        sockets[i] = dialer->attempts[i].socket;
        dialer->attempts[i].state = IDLE;
    }
}

void mtree_tcp_dialer_destroy(mtree_tcp_dialer_t *dialer)
{
    if (dialer == NULL) {
        return;
    }
    for (int i = 0; i < MTREE_TCP_CONNECTIONS; i++) {
        if (dialer->attempts[i].state != IDLE) {
            (void)close(dialer->attempts[i].socket);
        }
    }
    free(dialer);
}

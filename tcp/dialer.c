/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/dialer.h"

#include "tcp/polled_time.h"
#include "tcp/socket.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds from a failed attempt to the next one. */
#define PAUSE 0.05

/* Seconds of a round's first attempt until the peer's kernel answers, and twice as many
 * of each that follows.  Where the first packet is lost the own kernel waits for a second
 * before it sends another one. */
#define ANSWER 0.25

/* Round trips in which an answer that is not lost has come, through queues as well. */
#define TRIPS 2

/* Seconds in which the kernel of a peer that was greeted says nothing until the
 * connection has failed: what is awaited over it may be lost with the peer's end. */
#define SILENCE 15

typedef enum { IDLE, CONNECTING, GREETED } attempt_state_t;

typedef struct {
    attempt_state_t state;
    int socket;
    uint32_t number; /* of the attempt, from 1 */
    int tries;       /* in this round */
    double until;    /* the end of the pause, or of the attempt */
} attempt_t;

struct mtree_tcp_dialer {
    mtree_tcp_dial_t dial;
    mtree_tcp_polled_time_t time; /* of the round */
    int error;                    /* the last one; errno */
    attempt_t attempts[MTREE_TCP_CONNECTIONS];
    mtree_tcp_greeting_reader_t reader; /* of the answer */
};

double mtree_tcp_dial_patience(const mtree_tcp_dial_t *dial, double least)
{
    return fmax(least, TRIPS * dial->trip);
}

mtree_tcp_dialer_t *mtree_tcp_dialer_create(const mtree_tcp_dial_t *dial)
{
    mtree_tcp_dialer_t *dialer = calloc(1, sizeof(*dialer));

    if (dialer != NULL) {
        dialer->dial = *dial;
    }
    return dialer;
}

static void attempt_fail(mtree_tcp_dialer_t *dialer, attempt_t *attempt, int error,
                         double now)
{
    dialer->error = error;
    if (attempt->state != IDLE) {
        (void)close(attempt->socket);
    }
    attempt->state = IDLE;
    attempt->until = now + PAUSE;
}

static void attempt_begin(mtree_tcp_dialer_t *dialer, attempt_t *attempt, double now)
{
    const mtree_tcp_dial_t *dial = &dialer->dial;
    uint32_t turn =
        attempt->number + (dial->is_spread ? (uint32_t)(attempt - dialer->attempts) : 0);
    uint32_t at = turn % (uint32_t)dial->num_addresses;

    attempt->socket =
        mtree_tcp_socket_connect(&dial->sources[at], &dial->addresses[at], dial->port, 0);
    attempt->number++;
    if (attempt->socket < 0) {
        attempt_fail(dialer, attempt, errno, now);
        return;
    }
    attempt->state = CONNECTING;
    attempt->until = now + ldexp(mtree_tcp_dial_patience(dial, ANSWER), attempt->tries++);
}

/* The peer's kernel has answered, or will not. */
static void attempt_greet(mtree_tcp_dialer_t *dialer, attempt_t *attempt, double now)
{
    mtree_tcp_greeting_t greeting = {.rank = dialer->dial.rank,
                                     .number = (uint32_t)(attempt - dialer->attempts),
                                     .attempt = attempt->number,
                                     .position = (uint64_t)dialer->dial.num_connections};
    int connected = mtree_tcp_socket_connected(attempt->socket);

    mtree_tcp_greeting_prove(&greeting, &dialer->dial.secret);
    if (connected == 1 && mtree_tcp_greeting_send(attempt->socket, &greeting)) {
        attempt->state = GREETED;
        mtree_tcp_socket_keep(attempt->socket, SILENCE);
    } else if (connected != 0) {
        attempt_fail(dialer, attempt, errno, now);
    } else if (now > attempt->until) {
        attempt_fail(dialer, attempt, ETIMEDOUT, now);
    }
}

int mtree_tcp_dialer_poll(mtree_tcp_dialer_t *dialer, double now, int *error_p)
{
    int greeted = 0;

    for (int i = 0; i < dialer->dial.num_connections; i++) {
        attempt_t *attempt = &dialer->attempts[i];

        if (attempt->state == IDLE && now >= attempt->until) {
            attempt_begin(dialer, attempt, now);
        }
        if (attempt->state == CONNECTING) {
            attempt_greet(dialer, attempt, now);
        }
        greeted += attempt->state == GREETED;
    }
    if (greeted == dialer->dial.num_connections) {
        return 1;
    }
    mtree_tcp_polled_time_add(&dialer->time, now);
    *error_p = dialer->error != 0 ? dialer->error : ETIMEDOUT;
    return dialer->time.seconds > MTREE_TCP_DIAL_SECONDS ? -1 : 0;
}

/* From the attempt @a first on. */
static void close_from(mtree_tcp_dialer_t *dialer, int first)
{
    for (int i = first; i < MTREE_TCP_CONNECTIONS; i++) {
        attempt_t *attempt = &dialer->attempts[i];

        if (attempt->state != IDLE) {
            (void)close(attempt->socket);
        }
        *attempt = (attempt_t){.number = attempt->number};
    }
}

void mtree_tcp_dialer_keep(mtree_tcp_dialer_t *dialer, int count)
{
    close_from(dialer, count);
    dialer->dial.num_connections = count;
}

void mtree_tcp_dialer_redial(mtree_tcp_dialer_t *dialer)
{
    close_from(dialer, 0);
    dialer->reader = (mtree_tcp_greeting_reader_t){.count = 0};
    dialer->time = (mtree_tcp_polled_time_t){.seconds = 0};
}

void mtree_tcp_dialer_change(mtree_tcp_dialer_t *dialer, const mtree_tcp_dial_t *dial)
{
    mtree_tcp_dialer_redial(dialer);
    dialer->dial = *dial;
}

bool mtree_tcp_dialer_reply(int socket, uint32_t rank, uint32_t attempt, int count,
                            const mtree_tcp_secret_t *secret)
{
    mtree_tcp_greeting_t answer = {
        .rank = rank, .attempt = attempt, .position = (uint64_t)count};

    mtree_tcp_greeting_prove(&answer, secret);
    return mtree_tcp_greeting_send(socket, &answer);
}

int mtree_tcp_dialer_answer(mtree_tcp_dialer_t *dialer, uint32_t rank, int *count_p)
{
    const attempt_t *first = &dialer->attempts[0];
    mtree_tcp_greeting_t answer;
    int heard = mtree_tcp_greeting_receive(first->socket, &dialer->reader, &answer);

    if (heard != 1) {
        return heard;
    }
    if (answer.rank != rank || answer.number != 0 || answer.attempt != first->number ||
        answer.position < 1 || answer.position > (uint64_t)dialer->dial.num_connections ||
        !mtree_tcp_greeting_is_proved(&answer, &dialer->dial.secret)) {
        return -1;
    }
    *count_p = (int)answer.position;
    mtree_tcp_dialer_keep(dialer, *count_p);
    return 1;
}

void mtree_tcp_dialer_attempts(const mtree_tcp_dialer_t *dialer, uint32_t *attempts)
{
    for (int i = 0; i < dialer->dial.num_connections; i++) {
        attempts[i] = dialer->attempts[i].number;
    }
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
    if (dialer != NULL) {
        close_from(dialer, 0);
        free(dialer);
    }
}

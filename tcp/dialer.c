/* SPDX-License-Identifier: BSD-3-Clause */
#include "tcp/dialer.h"

#include "tcp/socket.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Seconds that one attempt may take, and from a failed one to the next. */
#define ATTEMPT 3.0
#define PAUSE   0.05

typedef enum { IDLE, CONNECTING, GREETED, READY } line_state_t;

typedef struct {
    line_state_t state;
    int socket, attempt;
    double until; /* the end of the pause, or of the attempt */
    mtree_tcp_greeting_reader_t reader;
} line_t;

struct mtree_tcp_dialer {
    mtree_tcp_dial_t dial;
    double deadline;
    line_t lines[MTREE_TCP_CONNECTIONS];
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

static void line_begin(const mtree_tcp_dialer_t *dialer, line_t *line, double now)
{
    const mtree_tcp_dial_t *dial = &dialer->dial;

    line->socket = mtree_tcp_socket_connect(
        &dial->addresses[line->attempt++ % dial->num_addresses], dial->port);
    line->state = line->socket < 0 ? IDLE : CONNECTING;
    line->until = now + (line->socket < 0 ? PAUSE : ATTEMPT);
    line->reader = (mtree_tcp_greeting_reader_t){.count = 0};
}

static void line_fail(line_t *line, double now)
{
    (void)close(line->socket);
    line->state = IDLE;
    line->until = now + PAUSE;
}

/* 1: it goes on; 0: it waits; -1: it has failed. */
static int line_greet(const mtree_tcp_dialer_t *dialer, line_t *line)
{
    mtree_tcp_greeting_t greeting = {.rank = dialer->dial.rank,
                                     .number = (uint32_t)(line - dialer->lines),
                                     .secret = dialer->dial.theirs};
    int connected = mtree_tcp_socket_connected(line->socket);

    if (connected == 1) {
        connected = mtree_tcp_greeting_send(line->socket, &greeting) ? 1 : -1;
        line->state = GREETED;
    }
    return connected;
}

static int line_hear(const mtree_tcp_dialer_t *dialer, line_t *line)
{
    mtree_tcp_greeting_t greeting;
    int heard = mtree_tcp_greeting_receive(line->socket, &line->reader, &greeting);

    if (heard == 1) {
        line->state = READY;
        return mtree_tcp_secret_equals(&greeting.secret, &dialer->dial.mine) ? 1 : -1;
    }
    return heard;
}

static void line_poll(const mtree_tcp_dialer_t *dialer, line_t *line, double now)
{
    int went = 0;

    if (line->state == IDLE && now >= line->until) {
        line_begin(dialer, line, now);
    }
    if (line->state == CONNECTING) {
        went = line_greet(dialer, line);
    }
    if (line->state == GREETED && went >= 0) {
        went = line_hear(dialer, line);
    }
    if (went < 0 ||
        ((line->state == CONNECTING || line->state == GREETED) && now > line->until)) {
        line_fail(line, now);
    }
}

int mtree_tcp_dialer_poll(mtree_tcp_dialer_t *dialer, double now)
{
    int ready = 0;

    if (dialer->dial.num_addresses == 0 || dialer->dial.port == 0) {
        return -1;
    }
    for (int i = 0; i < dialer->dial.num_connections; i++) {
        line_poll(dialer, &dialer->lines[i], now);
        ready += dialer->lines[i].state == READY;
    }
    if (ready == dialer->dial.num_connections) {
        return 1;
    }
    return now > dialer->deadline ? -1 : 0;
}

void mtree_tcp_dialer_sockets(mtree_tcp_dialer_t *dialer, int *sockets)
{
    for (int i = 0; i < dialer->dial.num_connections; i++) {
        sockets[i] = dialer->lines[i].socket;
        dialer->lines[i].state = IDLE;
    }
}

void mtree_tcp_dialer_destroy(mtree_tcp_dialer_t *dialer)
{
    if (dialer == NULL) {
        return;
    }
    for (int i = 0; i < MTREE_TCP_CONNECTIONS; i++) {
        if (dialer->lines[i].state != IDLE) {
            (void)close(dialer->lines[i].socket);
        }
    }
    free(dialer);
}

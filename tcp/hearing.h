/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the end that listens has heard of the peer's dialing (tcp/dialer.h), round by
 * round.  The peer says, on another way, which attempts stand; what they carried is here,
 * or comes while this process polls, or another round is due.  A process may be away for
 * as long as it likes: who dials waits for its word.
 */
#ifndef MTREE_TCP_HEARING_H
#define MTREE_TCP_HEARING_H

#include "tcp/greeting.h"
#include "tcp/polled_time.h"
#include "tcp/tcp.h"

/* Seconds of polling in which greetings come that have been sent. */
#define MTREE_TCP_HEARING_SECONDS 3.0

typedef enum {
    MTREE_TCP_NOT_HEARD, /* yet */
    MTREE_TCP_HEARD,     /* of all connections, which stand */
    MTREE_TCP_DIAL_AGAIN,
    MTREE_TCP_DIAL_NO_MORE /* they cannot stand */
} mtree_tcp_verdict_t;

typedef struct {
    int num_addresses; /* that the peer may dial at */
    int num_connections;
    int rounds, failed;           /* so far; of these, those that connected nothing */
    bool is_asked;                /* a round has ended for the peer, and not here */
    mtree_tcp_polled_time_t time; /* since */
    uint32_t said[MTREE_TCP_CONNECTIONS];     /* the attempts that stand there */
    int sockets[MTREE_TCP_CONNECTIONS];       /* -1: it is not there */
    uint32_t attempts[MTREE_TCP_CONNECTIONS]; /* of the sockets that are there */
} mtree_tcp_hearing_t;

void mtree_tcp_hearing_init(mtree_tcp_hearing_t *hearing);

/* Close the sockets that nobody has taken. */
void mtree_tcp_hearing_cleanup(mtree_tcp_hearing_t *hearing);

/* @a greeting has come over @a socket.  True: that is the callee's. */
bool mtree_tcp_hearing_admit(mtree_tcp_hearing_t *hearing,
                             const mtree_tcp_greeting_t *greeting, int socket);

/* The peer's round has ended: with the attempts @a said; NULL: without connections. */
void mtree_tcp_hearing_ask(mtree_tcp_hearing_t *hearing, const uint32_t *said);

/* At @a now, mtree_clock_seconds(), after the listener was polled; each verdict once. */
mtree_tcp_verdict_t mtree_tcp_hearing_poll(mtree_tcp_hearing_t *hearing, double now);

/* The sockets that stand, [num_connections]; the caller takes them over. */
void mtree_tcp_hearing_sockets(mtree_tcp_hearing_t *hearing, int *sockets);

#endif

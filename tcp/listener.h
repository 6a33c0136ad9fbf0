/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of connections that listens.
 *
 * A connection is pending until its greeting has proved the secret (tcp/greeting.h).  A
 * stranger costs a socket and a nonce, and no MAC before it has said as much as a
 * greeting of this version.  When too many are pending the oldest one is closed of the
 * host that most of them come from, so who does not know the secret takes no place from
 * other hosts.
 *
 * One that has proved the secret stays until somebody expects it: only those that know it
 * can greet, and nobody can say again what they have said.
 */
#ifndef MTREE_TCP_LISTENER_H
#define MTREE_TCP_LISTENER_H

#include "tcp/greeting.h"
#include "tcp/socket.h"

#include <poll.h>

/* Pending connections beyond those that are awaited. */
#define MTREE_TCP_STRANGERS 64

typedef struct mtree_tcp_listener mtree_tcp_listener_t;

typedef enum {
    MTREE_TCP_REFUSED,
    MTREE_TCP_ADMITTED,  /* the socket is the callee's */
    MTREE_TCP_UNEXPECTED /* to be asked about again: nobody expects it yet */
} mtree_tcp_admission_t;

/* Who receives connections. */
typedef struct {
    void *arg;       /* of the functions */
    int num_awaited; /* connections that are */
    double seconds;  /* that a greeting may take; 0: as long as the peer computes, while
                        there are descriptors for others */
    /* The secret of all who dial; NULL: it is found by what each of them says. */
    const mtree_tcp_secret_t *secret;
    void (*find_secret)(void *arg, const unsigned char said[MTREE_TCP_SAID],
                        mtree_tcp_secret_t *secret);
    /* Who dials has proved the secret over @a socket, and has yet to be answered. */
    mtree_tcp_admission_t (*admit)(void *arg, mtree_tcp_greeting_t *greeting, int socket);
    /* The peer of @a socket, which is closed then, has proved nothing, for a @a reason to
     * follow its name and a colon; NULL: nobody wants to know. */
    void (*turn_away)(void *arg, int socket, const char *reason);
} mtree_tcp_reception_t;

/* Listen on the first of @a ports that is free; NULL: none is. */
mtree_tcp_listener_t *mtree_tcp_listener_create(const mtree_tcp_ports_t *ports);

/* With its pending connections.  Here and below NULL is allowed: nobody listens. */
void mtree_tcp_listener_destroy(mtree_tcp_listener_t *listener);

uint16_t mtree_tcp_listener_port(const mtree_tcp_listener_t *listener);

/* Why the last connection that the kernel had was not accepted, and was left to it; 0:
 * all were. */
int mtree_tcp_listener_error(const mtree_tcp_listener_t *listener);

/* Connections that are pending. */
int mtree_tcp_listener_pending(const mtree_tcp_listener_t *listener);

/* Read greetings, accept connections, and challenge them, at @a now,
 * mtree_clock_seconds(). */
void mtree_tcp_listener_poll(mtree_tcp_listener_t *listener,
                             const mtree_tcp_reception_t *reception, double now);

/* What the next poll is to wait for, at @a now, goes to @a fds, of which there are at
 * most one and those that are pending; their number. *is_timed_p: it has deadlines, too.
 */
int mtree_tcp_listener_wait(const mtree_tcp_listener_t *listener, double now,
                            struct pollfd *fds, bool *is_timed_p);

#endif

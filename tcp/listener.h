/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The end of connections that listens.
 *
 * A connection is pending until its greeting has proved the secret.  A peer may compute
 * before it says that, for as long as it likes.  So the oldest one is closed only when
 * more are pending than those that are awaited and some strangers.  One that has proved
 * it stays until somebody expects it, once for each greeting: only members of the job can
 * greet, and whoever sees that on the way can say it again.
 */
#ifndef MTREE_TCP_LISTENER_H
#define MTREE_TCP_LISTENER_H

#include "tcp/greeting.h"

/* Pending connections beyond those that are awaited. */
#define MTREE_TCP_STRANGERS 16

typedef struct mtree_tcp_listener mtree_tcp_listener_t;

typedef enum {
    MTREE_TCP_REFUSED,
    MTREE_TCP_ADMITTED,  /* the socket is the callee's */
    MTREE_TCP_UNEXPECTED /* to be asked about again: nobody expects it yet */
} mtree_tcp_admission_t;

/* Who has proved the secret over @a socket. */
typedef mtree_tcp_admission_t (*mtree_tcp_admit_t)(const mtree_tcp_greeting_t *greeting,
                                                   int socket);

/* Listen on the first of @a ports that is free; NULL: none is. */
mtree_tcp_listener_t *mtree_tcp_listener_create(const mtree_tcp_ports_t *ports,
                                                const mtree_tcp_secret_t *secret);

/* With its pending connections.  Here and below NULL is allowed: nobody listens. */
void mtree_tcp_listener_destroy(mtree_tcp_listener_t *listener);

uint16_t mtree_tcp_listener_port(const mtree_tcp_listener_t *listener);

/* Why the last connection that the kernel had was not accepted, and was left to it; 0:
 * all were. */
int mtree_tcp_listener_error(const mtree_tcp_listener_t *listener);

/* Accept connections, of which @a num_awaited are awaited, and read greetings, of which
 * those that are proved go to @a admit. */
void mtree_tcp_listener_poll(mtree_tcp_listener_t *listener, int num_awaited,
                             mtree_tcp_admit_t admit);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Greetings: the first bytes on a connection, from the end that dials, and those that the
 * other end answers (tcp/dial.h).
 *
 * Each process has a secret, which its peers know.  Who dials proves that it knows the
 * secret of who listens, by a code of what it says.  Whoever else answers learns no
 * secret, and what it has heard is taken once at most.  There is no challenge, since
 * either end may compute for as long as it likes.
 */
#ifndef MTREE_TCP_GREETING_H
#define MTREE_TCP_GREETING_H

#include "tcp/socket.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MTREE_TCP_SECRET   16
#define MTREE_TCP_GREETING 44

typedef struct {
    unsigned char bytes[MTREE_TCP_SECRET];
} mtree_tcp_secret_t;

typedef struct {
    uint32_t rank;     /* of the process that greets */
    uint32_t number;   /* of the connection between the two, from 0 */
    uint32_t attempt;  /* at that connection; those with lower numbers are given up */
    uint32_t count;    /* connections that it may have to the other one; in an answer how
                          many there are */
    uint64_t position; /* bytes of frames that it has read of the connection so far */
} mtree_tcp_greeting_t;

/* Send @a greeting, the first bytes on @a socket, and prove what it says by the @a secret
 * of who listens; false: the socket refuses. */
bool mtree_tcp_greeting_send(int socket, const mtree_tcp_greeting_t *greeting,
                             const mtree_tcp_secret_t *secret);

/* Read what has come, and nothing behind the greeting.  All of @a piece are zeros at
 * first.  1: *greeting is complete, and proved by the @a secret, which takes as long
 * whichever bytes differ; 0: not yet; -1: the connection has ended, it is no greeting of
 * this version, or it is not proved. */
int mtree_tcp_greeting_receive(int socket, mtree_tcp_piece_t *piece,
                               const mtree_tcp_secret_t *secret,
                               mtree_tcp_greeting_t *greeting);

#endif

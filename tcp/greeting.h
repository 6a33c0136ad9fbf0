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

#include "base/status.h"
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
    unsigned char proof[MTREE_TCP_SECRET];
} mtree_tcp_greeting_t;

/* A new secret; MTREE_ERR_IO: the kernel gives no random bytes. */
mtree_status_t mtree_tcp_secret_draw(mtree_tcp_secret_t *secret);

/* Prove what @a greeting says, by the @a secret of who listens; and is it proved?  That
 * takes as long whichever bytes differ. */
void mtree_tcp_greeting_prove(mtree_tcp_greeting_t *greeting,
                              const mtree_tcp_secret_t *secret);
bool mtree_tcp_greeting_is_proved(const mtree_tcp_greeting_t *greeting,
                                  const mtree_tcp_secret_t *secret);

/* Send @a greeting, the first bytes on @a socket; false: the socket refuses. */
bool mtree_tcp_greeting_send(int socket, const mtree_tcp_greeting_t *greeting);

/* Read what has come, and nothing behind the greeting.  All of @a piece are zeros at
 * first.  1: *greeting is complete; 0: not yet; -1: the connection has ended, or it is no
 * greeting of this version. */
int mtree_tcp_greeting_receive(int socket, mtree_tcp_piece_t *piece,
                               mtree_tcp_greeting_t *greeting);

#endif

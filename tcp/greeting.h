/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Greetings: the first bytes on a connection, each way.
 *
 * Each process has a secret, which its peers know.  Who dials says the secret of who
 * listens, and hears its own.  So neither takes a stranger for its peer.
 */
#ifndef MTREE_TCP_GREETING_H
#define MTREE_TCP_GREETING_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MTREE_TCP_SECRET   16
#define MTREE_TCP_GREETING 32

typedef struct {
    unsigned char bytes[MTREE_TCP_SECRET];
} mtree_tcp_secret_t;

typedef struct {
    uint32_t rank;    /* of the process that dials */
    uint32_t number;  /* of the connection between the two, from 0 */
    uint32_t attempt; /* at that connection; those with lower numbers are given up */
    mtree_tcp_secret_t secret;
} mtree_tcp_greeting_t;

/* A new secret; MTREE_ERR_IO: the kernel gives no random bytes. */
mtree_status_t mtree_tcp_secret_draw(mtree_tcp_secret_t *secret);

/* Are they the same?  Takes as long whichever bytes differ. */
bool mtree_tcp_secret_equals(const mtree_tcp_secret_t *a, const mtree_tcp_secret_t *b);

/* Send @a greeting, the first bytes on @a socket; false: the socket refuses. */
bool mtree_tcp_greeting_send(int socket, const mtree_tcp_greeting_t *greeting);

/* A greeting while it comes; zeros are its initial value. */
typedef struct {
    unsigned char bytes[MTREE_TCP_GREETING];
    size_t count;
} mtree_tcp_greeting_reader_t;

/* Read what has come, and nothing behind the greeting.  1: *greeting is complete; 0: not
 * yet; -1: the connection has ended, or it is no greeting of this version. */
int mtree_tcp_greeting_receive(int socket, mtree_tcp_greeting_reader_t *reader,
                               mtree_tcp_greeting_t *greeting);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* A piece of a greeting, of known length, while it is received. */
#ifndef MTREE_RELAY_RECEIVED_H
#define MTREE_RELAY_RECEIVED_H

#include "relay/greeting.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>

typedef struct {
    unsigned char bytes[MTREE_RELAY_CHALLENGE];
    size_t count, wanted;
} mtree_relay_received_t;

_Static_assert(MTREE_RELAY_CHALLENGE >= MTREE_RELAY_HELLO, "room for every piece");

/* The next piece has @a length bytes. */
static inline void mtree_relay_expect(mtree_relay_received_t *received, size_t length)
{
    received->count = 0;
    received->wanted = length;
}

/* 1: the piece is complete; 0: not yet; -1: the connection is closed.  Nothing behind it
 * is read. */
static inline int mtree_relay_receive(int socket, mtree_relay_received_t *received)
{
    ssize_t count = recv(socket, received->bytes + received->count,
                         received->wanted - received->count, 0);

    if (count <= 0) {
        return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)
                   ? 0
                   : -1;
    }
    received->count += (size_t)count;
    return received->count == received->wanted ? 1 : 0;
}

/* Send a piece, which a new connection takes at once; false: it did not. */
static inline bool mtree_relay_send_piece(int socket, const void *bytes, size_t length)
{
    return send(socket, bytes, length, MSG_NOSIGNAL) == (ssize_t)length;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames: what goes over mtree's own TCP connections.
 *
 * A frame is a header, and the bytes of one message behind it.  Numbers are in network
 * order.  A reader takes nothing for granted: a header that no writer of this version
 * makes is an error.
 */
#ifndef MTREE_TCP_FRAME_H
#define MTREE_TCP_FRAME_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of a header. */
#define MTREE_TCP_HEADER 36

/* Bytes of the longest message: no object in memory is longer. */
#define MTREE_TCP_LONGEST ((size_t)PTRDIFF_MAX)

/* Tags of a session, from 0. */
#define MTREE_TCP_TAGS 2048

typedef enum {
    MTREE_TCP_MESSAGE,   /* of a session; its bytes follow */
    MTREE_TCP_OPEN,      /* the sender of this frame has begun the session */
    MTREE_TCP_TAIL_PROBE /* of no session, and nothing follows (mtree_tail_probe_t) */
} mtree_tcp_kind_t;

/* What two processes do together at a time, such as one call of a communicator.  Both
 * ends give it the same key. */
typedef struct {
    uint32_t context;    /* the communicator */
    uint32_t first_tag;  /* distinguishes what runs at the same time */
    uint32_t generation; /* and what runs one after the other */
} mtree_tcp_key_t;

typedef struct {
    mtree_tcp_kind_t kind;
    mtree_tcp_key_t key;
    uint32_t tag;
    uint32_t sequence; /* of the messages with this tag in this session, from 0 */
    size_t length;     /* bytes that follow */
} mtree_tcp_frame_t;

void mtree_tcp_frame_write(const mtree_tcp_frame_t *frame,
                           unsigned char header[MTREE_TCP_HEADER]);

/* MTREE_ERR_INVALID: no header of this version.  Nothing is logged. */
mtree_status_t mtree_tcp_frame_read(const unsigned char header[MTREE_TCP_HEADER],
                                    mtree_tcp_frame_t *frame);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control channels: rank 0 of a job sends a relay plans and calls, and the relay answers.
 * No function waits.
 */
#ifndef MTREE_RELAY_CHANNEL_H
#define MTREE_RELAY_CHANNEL_H

#include "base/status.h"
#include "tcp/tls.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest message, with its header. */
#define MTREE_RELAY_LONGEST ((size_t)16 << 20)

typedef enum {
    MTREE_RELAY_PLAN,   /* relay/plan.h */
    MTREE_RELAY_START,  /* a call begins: relay/plan.h */
    MTREE_RELAY_CANCEL, /* a call has failed elsewhere: the numbers of its plan and its
                           own */
    MTREE_RELAY_PING,   /* empty; the answer is MTREE_RELAY_PONG */
    MTREE_RELAY_PONG,
    MTREE_RELAY_REFUSED,   /* by the relay: a call cannot begin, or has failed; content as
                              of CANCEL */
    MTREE_RELAY_UNREACHED, /* by the relay: it cannot reach another relay; that one's
                              number in the job */
    MTREE_RELAY_NUM_KINDS
} mtree_relay_kind_t;

/* Bytes of CANCEL and REFUSED: two numbers. */
#define MTREE_RELAY_CALL_BYTES 8

/* Bytes of UNREACHED: one number. */
#define MTREE_RELAY_UNREACHED_BYTES 4

typedef struct {
    mtree_relay_kind_t kind;
    const unsigned char *bytes; /* the channel's, until it is polled again */
    size_t length;
} mtree_relay_message_t;

typedef struct {
    int socket;
    mtree_tls_t *tls; /* NULL: its messages travel as they are */
    unsigned char *in, *out;
    int in_length, in_capacity, out_length, out_capacity;
    int taken; /* bytes of `in` of the message that was handed out */
} mtree_relay_channel_t;

/* Take over @a socket, which is nonblocking, and encrypt messages with @a key (NULL:
 * they are not encrypted). */
void mtree_relay_channel_init(mtree_relay_channel_t *channel, int socket,
                              const mtree_tls_key_t *key);

/* Close it. */
void mtree_relay_channel_cleanup(mtree_relay_channel_t *channel);

/* Send a message, now or with the next polls.  MTREE_ERR_IO: the connection is closed, or
 * the other end has not read for long. */
mtree_status_t mtree_relay_channel_send(mtree_relay_channel_t *channel,
                                        mtree_relay_kind_t kind, const void *bytes,
                                        size_t length);

/* 1: *message has come; 0: none; -1: the connection is closed, or its bytes are no
 * message. */
int mtree_relay_channel_poll(mtree_relay_channel_t *channel,
                             mtree_relay_message_t *message);

/* Read the message at the beginning of @a length bytes.  1: *message, of *taken_p bytes;
 * 0: it is not complete; -1: they are no message.  Any bytes may be given. */
int mtree_relay_message_read(const unsigned char *bytes, size_t length,
                             mtree_relay_message_t *message, size_t *taken_p);

#endif

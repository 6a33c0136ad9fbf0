/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Control channels: rank 0 of a job tells a relay what it needs to know, and the relay
 * answers.  Nothing waits.
 */
#ifndef MTREE_RELAY_CHANNEL_H
#define MTREE_RELAY_CHANNEL_H

#include "base/status.h"
#include "tcp/sealed.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes of the longest message, its header included. */
#define MTREE_RELAY_LONGEST ((size_t)16 << 20)

typedef enum {
    MTREE_RELAY_PLAN,   /* relay/plan.h */
    MTREE_RELAY_START,  /* a call begins: relay/start.h */
    MTREE_RELAY_CANCEL, /* it has failed elsewhere: the number of its plan, and its own */
    MTREE_RELAY_PING,   /* empty; the answer is MTREE_RELAY_PONG */
    MTREE_RELAY_PONG,
    MTREE_RELAY_REFUSED, /* by the relay: a call cannot be, or has failed; as of CANCEL */
    MTREE_RELAY_UNREACHED, /* by the relay: it cannot reach another; that one's number in
                              the job */
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
    mtree_sealed_t *sealed; /* NULL: its messages travel as they are */
    unsigned char *in, *out;
    int in_length, in_capacity, out_length, out_capacity;
    int taken; /* bytes of `in` of the message that was handed out */
} mtree_relay_channel_t;

/* Take over @a socket, which never waits, and encrypt what it carries with @a keys (NULL:
 * it is not encrypted).  Without memory for that the other end is gone. */
void mtree_relay_channel_init(mtree_relay_channel_t *channel, int socket,
                              const mtree_record_keys_t *keys);

/* Close it. */
void mtree_relay_channel_cleanup(mtree_relay_channel_t *channel);

/* Send a message, now or with the next polls.  MTREE_ERR_IO: the other end is gone, or
 * has not read for long; MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_relay_channel_send(mtree_relay_channel_t *channel,
                                        mtree_relay_kind_t kind, const void *bytes,
                                        size_t length);

/* 1: *message has come; 0: none; -1: the other end is gone, or says what is none. */
int mtree_relay_channel_poll(mtree_relay_channel_t *channel,
                             mtree_relay_message_t *message);

/* Read the message at the beginning of @a length bytes.  1: *message, of *taken_p bytes;
 * 0: it is not complete; -1: it is none.  Any bytes may be given. */
int mtree_relay_message_read(const unsigned char *bytes, size_t length,
                             mtree_relay_message_t *message, size_t *taken_p);

#endif

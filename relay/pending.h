/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pending connections: those whose peer has yet to prove that it knows the key of its
 * job.
 */
#ifndef MTREE_RELAY_PENDING_H
#define MTREE_RELAY_PENDING_H

#include "base/address.h"
#include "relay/greeting.h"
#include "tcp/socket.h"

/* Seconds that a greeting may take. */
#define MTREE_RELAY_PENDING_SECONDS 3.0

typedef struct {
    int socket;
    mtree_address_t from; /* of IPv6 the network, since a host there has many addresses */
    double deadline;
    mtree_tcp_piece_t received;
    mtree_relay_hello_t hello;
    mtree_relay_greeting_t greeting;
} mtree_relay_pending_t;

/* Challenge who connects over @a socket, accepted at @a now (mtree_clock_seconds()).
 * False: the socket does not take it, or the kernel gives no random bytes. */
bool mtree_relay_pending_init(mtree_relay_pending_t *pending, int socket, double now);

/* Read what has come.  1: the peer has proved that it knows the key; 0: not yet; -1: it
 * will not, for *reason_p, and one of another key was sent a welcome of zeros: it hears
 * nothing from which the secret could be guessed. */
int mtree_relay_pending_greet(mtree_relay_pending_t *pending,
                              const mtree_relay_key_t *secret, double now,
                              const char **reason_p);

/* The last word to who has proved it; false: the socket does not take it. */
bool mtree_relay_pending_welcome(const mtree_relay_pending_t *pending,
                                 mtree_relay_answer_t what, uint64_t memory);

/* Of @a num connections, the oldest first, the oldest one from where most come. */
int mtree_relay_pending_dispensable(const mtree_relay_pending_t *pending, int num);

#endif

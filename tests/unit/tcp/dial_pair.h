/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTREE_TESTS_UNIT_TCP_DIAL_PAIR_H
#define MTREE_TESTS_UNIT_TCP_DIAL_PAIR_H

#include "base/clock.h"
#include "tcp/dial.h"
#include "tests/unit/tcp/loop.h"

#include <netinet/in.h>

/* Beside the two ends, of which the first one dials. */
extern struct pair {
    mtree_tcp_listener_t *listeners[2];
    mtree_tcp_dial_t dials[2]; /* of each end */
} pair;

/* Both listen.  They may have @a count connections, to 127.0.0.1, and to 127.0.0.2 where
 * that fails when they have met. */
void pair_begin(int count);

/* From now on an end dials, or is dialed. */
void pair_dial(int end);

/* Both do, until all connections stand. */
void pair_meet(void);

/* All of that. */
void pair_create(int count);

void pair_destroy(void);

/* Poll one end, or both. */
enum { PAIR_BOTH = 2 };
void pair_poll(int end);
void pair_poll_for(int end, double seconds);

/* The same until something @a holds, for some seconds at most. */
#define PAIR_UNTIL(end, holds)                                                           \
    do {                                                                                 \
        const double pair_end = mtree_clock_seconds() + 20;                              \
                                                                                         \
        while (!(holds)) {                                                               \
            ck_assert(mtree_clock_seconds() < pair_end);                                 \
            pair_poll(end);                                                              \
        }                                                                                \
    } while (0)

/* Poll both until @a message has ended. */
void pair_await(const loop_message_t *message);

/* The own and the other address of a socket; false: it is not connected. */
bool pair_ends(int fd, struct sockaddr_in ends[2]);

/* A message from @a end arrives at the other one. */
void pair_pass(int end);

#endif

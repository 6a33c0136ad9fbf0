/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTREE_TESTS_UNIT_TCP_DIAL_PAIR_H
#define MTREE_TESTS_UNIT_TCP_DIAL_PAIR_H

#include "base/clock.h"
#include "tcp/dial.h"
#include "tests/unit/tcp/loop.h"

/* Two ends, of which the first one dials. */
typedef struct {
    loop_t loop;
    mtree_tcp_listener_t *listeners[2];
    mtree_tcp_dial_t dials[2]; /* of each end */
} pair_t;

/* Both listen.  They may have @a count connections, to 127.0.0.1, and to 127.0.0.2 where
 * that fails when they have met. */
void pair_begin(pair_t *pair, int count);

/* From now on an end dials, or is dialed. */
void pair_dial(pair_t *pair, int end);

/* Both do, until all connections stand. */
void pair_meet(pair_t *pair);

/* All of that. */
void pair_create(pair_t *pair, int count);

void pair_destroy(pair_t *pair);

/* Poll one end, or both. */
enum { PAIR_BOTH = 2 };
void pair_poll(pair_t *pair, int end);

/* The same until something @a holds, for some seconds at most. */
#define PAIR_UNTIL(pair, end, holds)                                                     \
    do {                                                                                 \
        const double pair_end = mtree_clock_seconds() + 20;                              \
                                                                                         \
        while (!(holds)) {                                                               \
            ck_assert(mtree_clock_seconds() < pair_end);                                 \
            pair_poll(pair, end);                                                        \
        }                                                                                \
    } while (0)

/* Poll both until @a message has ended. */
void pair_await(pair_t *pair, const loop_message_t *message);

/* A message from @a end arrives at the other one. */
void pair_pass(pair_t *pair, int end);

#endif

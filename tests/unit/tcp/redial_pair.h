/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MTREE_TESTS_UNIT_TCP_REDIAL_PAIR_H
#define MTREE_TESTS_UNIT_TCP_REDIAL_PAIR_H

#include "tcp/listener.h"
#include "tests/unit/tcp/loop.h"

/* Two ends that can be dialed again; the first one dials. */
typedef struct {
    loop_t loop;
    mtree_tcp_listener_t *listeners[2];
} pair_t;

/* With @a count connections, to 127.0.0.1, and to 127.0.0.2 where that fails. */
void pair_create(pair_t *pair, int count);

void pair_destroy(pair_t *pair);

/* Poll one end. */
void pair_poll(pair_t *pair, int end);

/* Poll both until @a message has ended. */
void pair_await(pair_t *pair, const loop_message_t *message);

/* A message from @a end arrives at the other one. */
void pair_pass(pair_t *pair, int end);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages that both ends send each other, with tags, lengths and times drawn at random.
 */
#ifndef MTREE_TESTS_UNIT_TCP_RANDOM_MESSAGES_H
#define MTREE_TESTS_UNIT_TCP_RANDOM_MESSAGES_H

#include "tests/unit/tcp/loop.h"

typedef struct {
    int messages; /* of each end */
    int tags, sessions;
    size_t longest;
} random_messages_t;

/* A number below @a below; random_seed() begins anew. */
unsigned long random_draw(unsigned long below);
void random_seed(int seed);

/* Draw messages as @a how says, which stays, for sessions that begin at both ends of @a
 * loop. */
void random_messages_begin(loop_t *loop, const random_messages_t *how);

/* Send or receive the next message of an end that is drawn.  What a send that has ended
 * was sent from is used for other things. */
void random_messages_step(void);

bool random_messages_have_ended(void);

/* Every byte has arrived, and sessions end. */
void random_messages_verify(void);

#endif

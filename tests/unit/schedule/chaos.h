/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A transport for tests: all ranks live in one process, messages take any time and
 * completions come in any order, drawn from a seed.  Only what schedule/transport.h
 * promises holds: messages of one (sender, receiver, tag) are matched in order.
 */
#ifndef MTREE_TESTS_UNIT_SCHEDULE_CHAOS_H
#define MTREE_TESTS_UNIT_SCHEDULE_CHAOS_H

#include "schedule/transport.h"

#include <stdbool.h>

typedef struct chaos chaos_t;

/* A network of @a num_ranks ranks whose units are @a unit bytes apart. */
chaos_t *chaos_create(int num_ranks, size_t unit, unsigned seed);
void chaos_destroy(chaos_t *chaos);

/* The transport of @a rank; belongs to @a chaos. */
mtree_transport_t *chaos_transport(chaos_t *chaos, int rank);

/* Let one thing happen; false when nothing is left that could. */
bool chaos_step(chaos_t *chaos);

/* True when every send has met its receive and every receive its send. */
bool chaos_is_quiet(const chaos_t *chaos);

/*
 * For those who try every order: nothing is told at once any more, and what may be told
 * next is chosen by the caller, one of chaos_num_pending() completions.
 */
void chaos_be_patient(chaos_t *chaos);
size_t chaos_num_pending(const chaos_t *chaos);
const mtree_completion_t *chaos_pending(const chaos_t *chaos, size_t i);
void chaos_complete(chaos_t *chaos, size_t i);

/* A fold that adds 32-bit numbers. */
void chaos_fold_add(void *arg, const void *a, const void *b, void *out, size_t count);

/* The packed data of a vector of bytes, @a arg, is as the vector. */
void chaos_pack(void *arg, int rank, size_t offset, void *bytes, size_t length);
void chaos_unpack(void *arg, int rank, size_t offset, const void *bytes, size_t length);

/* Units of the longest message that was sent. */
size_t chaos_longest(const chaos_t *chaos);

/* Make the send after @a messages more fail. */
void chaos_fail_after(chaos_t *chaos, size_t messages);

/* Give up all that waits for its other half: it fails. */
void chaos_give_up(chaos_t *chaos);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes that tell the states of running operations apart: equal states have equal
 * hashes, whatever memory they are in.
 */
#ifndef MTREE_TESTS_UNIT_SCHEDULE_STATE_HASH_H
#define MTREE_TESTS_UNIT_SCHEDULE_STATE_HASH_H

#include "schedule/operation_private.h"

#include <stdint.h>

/* The states that an exhaustive test has been in, by their hashes. */
typedef struct {
    uint64_t *slots; /* [2 * max]; 0: free */
    size_t max, count;
} visited_t;

/* Room for @a max states. */
void visited_init(visited_t *visited, size_t max);
void visited_cleanup(visited_t *visited);

/* Add a state; false when it was there.  There must be room. */
bool visited_add(visited_t *visited, uint64_t hash);

/* @a hash with one more number in it; the order of the numbers matters. */
uint64_t visited_mix(uint64_t hash, uint64_t number);

/* Where one rank's operation stands. */
uint64_t state_hash_operation(const mtree_operation_t *operation);

/*
 * Which completion of which rank this is: by its place in the operation, or, the send
 * operation being elsewhere, by channel and chunk.  operations[rank] is NULL where the
 * rank has not begun; one of them owns @a completion.
 */
uint64_t state_hash_completion(mtree_operation_t *const *operations,
                               const mtree_completion_t *completion);

#endif

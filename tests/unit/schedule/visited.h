/* SPDX-License-Identifier: BSD-3-Clause */
/* The states that an exhaustive test has been in, by their hashes. */
#ifndef MTREE_TESTS_UNIT_SCHEDULE_VISITED_H
#define MTREE_TESTS_UNIT_SCHEDULE_VISITED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif

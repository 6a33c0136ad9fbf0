/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the ranks of a job give of a vector of 32-bit numbers, and what each has to have:
 * all add in the order of the ranks, or compose functions where the order counts.
 */
#ifndef MTREE_TESTS_UNIT_SCHEDULE_VECTORS_H
#define MTREE_TESTS_UNIT_SCHEDULE_VECTORS_H

#include "schedule/layout.h"
#include "tests/unit/schedule/random_parts.h"

#include <stdint.h>

typedef struct {
    mtree_collective_t collective;
    int root, ranks;
    size_t units; /* in all */
    bool in_place, is_exclusive;
    bool rounds;                     /* the numbers are floats */
    size_t blocks[RANDOM_RANKS + 1]; /* where the block of each rank begins */
    ptrdiff_t shift[RANDOM_RANKS];   /* bytes by which it is behind there; grows */
    uint32_t *input[RANDOM_RANKS], *output[RANDOM_RANKS];
    uint32_t *wanted; /* [units] by all ranks, but in a scan */
} vectors_t;

/* What a rank gives at @a unit; and what two give together. */
uint32_t vectors_value(const vectors_t *vectors, int rank, size_t unit);
uint32_t vectors_combine(const vectors_t *vectors, uint32_t a, uint32_t b);

/* Make the vectors of all ranks: data is in the output where it is in place, or a rank's
 * own part of what is gathered or broadcast.  vectors_free() frees them. */
void vectors_fill(vectors_t *vectors);
void vectors_free(vectors_t *vectors);

/* The output of @a rank is right, and nothing else is written. */
void vectors_verify(const vectors_t *vectors, int rank);

#endif

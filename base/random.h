/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pseudo-random numbers that are the same on every machine (SplitMix64: Steele, Lea,
 * Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
 */
#ifndef MTREE_BASE_RANDOM_H
#define MTREE_BASE_RANDOM_H

#include <stdint.h>

typedef struct {
    uint64_t state;
} mtree_random_t;

/* Start the sequence of @a seed. */
void mtree_random_init(mtree_random_t *random, uint64_t seed);

/* The next 64 bits. */
uint64_t mtree_random_next(mtree_random_t *random);

/* A number from 0 to @a count - 1, all equally likely; @a count is at least 1. */
uint64_t mtree_random_below(mtree_random_t *random, uint64_t count);

/* A number in [0, 1). */
double mtree_random_fraction(mtree_random_t *random);

#endif

/*
 * Random numbers that are the same everywhere for the same seed (the splitmix64
 * sequence).
 */
#ifndef MTREE_PLANNER_RANDOM_H
#define MTREE_PLANNER_RANDOM_H

#include <stdint.h>

typedef struct {
    uint64_t state; /* the seed to begin with */
} mtree_random_t;

/* The next 64 bits. */
static inline uint64_t mtree_random_next(mtree_random_t *random)
{
    uint64_t x = random->state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* One of 0 .. n - 1, n > 0; the bias of n / 2^64 does not matter here. */
static inline int mtree_random_below(mtree_random_t *random, int n)
{
    return (int)(mtree_random_next(random) % (uint64_t)n);
}

/* At least 0 and less than 1. */
static inline double mtree_random_unit(mtree_random_t *random)
{
    return (double)(mtree_random_next(random) >> 11) * 0x1p-53;
}

#endif

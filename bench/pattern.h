/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data to move: every element depends on the rank, the iteration and the position, and
 * the sum over all ranks is known without asking them.
 *
 * Values are small integers held in floats, so that every order of additions gives the
 * same bits (up to 65793 ranks); bytes, never 0xff, are for operations that only move
 * data.
 */
#ifndef MTREE_BENCH_PATTERN_H
#define MTREE_BENCH_PATTERN_H

#include "base/status.h"

#include <stddef.h>

typedef struct bench_pattern bench_pattern_t;

typedef enum {
    BENCH_PATTERN_BYTES,  /* bytes that one rank sends */
    BENCH_PATTERN_VALUES, /* floats that one rank sends */
    BENCH_PATTERN_SUMS,   /* floats: the sum over all ranks of what they send */
    BENCH_PATTERN_PREFIX  /* floats: the sum over one rank and those before it */
} bench_pattern_kind_t;

/* Names a run of elements; `rank` is not used by BENCH_PATTERN_SUMS. */
typedef struct {
    bench_pattern_kind_t kind;
    int rank;
    int iteration;
    size_t first; /* position of the first element */
} bench_pattern_run_t;

/* The data of @a num_ranks ranks, the same in every process.  Owned by the caller. */
mtree_status_t bench_pattern_create(int num_ranks, bench_pattern_t **pattern_p);

/* Free; NULL is allowed. */
void bench_pattern_destroy(bench_pattern_t *pattern);

/* Bytes of one element: 1 or sizeof(float). */
size_t bench_pattern_unit(bench_pattern_kind_t kind);

/* Write @a count elements of @a run to @a buffer. */
void bench_pattern_fill(const bench_pattern_t *pattern, bench_pattern_run_t run,
                        void *buffer, size_t count);

/*
 * The position in @a buffer of the first element that is not bit for bit what @a run
 * says, or @a count when all
 * @a count elements are right.
 */
size_t bench_pattern_mismatch(const bench_pattern_t *pattern, bench_pattern_run_t run,
                              const void *buffer, size_t count);

#endif

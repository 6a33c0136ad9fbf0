/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/pattern.h"
#include "base/log.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * All data repeats with this period.  It is prime, so no chunk size of a collective
 * divides it and a chunk that lands in another's place is seen.
 */
#define PERIOD         65521
#define RANK_STEP      7919
#define ITERATION_STEP 10007

/* Each cycle is stored twice in a row: a run of up to one period is contiguous from any
 * start. */
struct bench_pattern {
    unsigned char *bytes;
    float *values;
    float *sums;
};

static uint32_t next_random(uint32_t *state_p)
{
    *state_p = *state_p * 1664525u + 1013904223u;
    return *state_p >> 24;
}

static void fill_cycles(bench_pattern_t *pattern, int num_ranks)
{
    uint32_t state = 20240101u;
    size_t i;
    int rank;

    for (i = 0; i < PERIOD; i++) {
        pattern->bytes[i] = (unsigned char)(next_random(&state) % 0xff);
        pattern->values[i] = (float)next_random(&state);
    }
    for (rank = 0; rank < num_ranks; rank++) {
        for (i = 0; i < PERIOD; i++) {
            pattern->sums[i] += pattern->values[(i + (size_t)rank * RANK_STEP) % PERIOD];
        }
    }
    memcpy(pattern->bytes + PERIOD, pattern->bytes, PERIOD);
    memcpy(pattern->values + PERIOD, pattern->values, PERIOD * sizeof(float));
    memcpy(pattern->sums + PERIOD, pattern->sums, PERIOD * sizeof(float));
}

mtree_status_t bench_pattern_create(int num_ranks, bench_pattern_t **pattern_p)
{
    bench_pattern_t *pattern = calloc(1, sizeof(*pattern));

    if (pattern == NULL) {
        goto err;
    }
    pattern->bytes = calloc(2 * PERIOD, 1);
    pattern->values = calloc(2 * PERIOD, sizeof(float));
    pattern->sums = calloc(2 * PERIOD, sizeof(float));
    if (pattern->bytes == NULL || pattern->values == NULL || pattern->sums == NULL) {
        goto err_destroy;
    }
    fill_cycles(pattern, num_ranks);
    *pattern_p = pattern;
    return MTREE_OK;

err_destroy:
    bench_pattern_destroy(pattern);
err:
    mtree_error("no memory for the benchmark's data pattern");
    return MTREE_ERR_NO_MEMORY;
}

void bench_pattern_destroy(bench_pattern_t *pattern)
{
    if (pattern == NULL) {
        return;
    }
    free(pattern->bytes);
    free(pattern->values);
    free(pattern->sums);
    free(pattern);
}

size_t bench_pattern_unit(bench_pattern_kind_t kind)
{
    return (kind == BENCH_PATTERN_BYTES) ? 1 : sizeof(float);
}

/* Up to one period of the run's data, from its element @a done on. */
static const unsigned char *cycle_at(const bench_pattern_t *pattern,
                                     bench_pattern_run_t run, size_t done)
{
    size_t start = run.first + done + (size_t)run.iteration * ITERATION_STEP;
    const void *cycle;

    if (run.kind == BENCH_PATTERN_SUMS) {
        cycle = pattern->sums;
    } else {
        start += (size_t)run.rank * RANK_STEP;
        cycle = (run.kind == BENCH_PATTERN_BYTES) ? (const void *)pattern->bytes
                                                  : (const void *)pattern->values;
    }
    return (const unsigned char *)cycle + (start % PERIOD) * bench_pattern_unit(run.kind);
}

static size_t piece_length(size_t done, size_t count)
{
    return (count - done < PERIOD) ? count - done : PERIOD;
}

void bench_pattern_fill(const bench_pattern_t *pattern, bench_pattern_run_t run,
                        void *buffer, size_t count)
{
    size_t unit = bench_pattern_unit(run.kind);
    size_t done, length;

    for (done = 0; done < count; done += length) {
        length = piece_length(done, count);
        memcpy((unsigned char *)buffer + done * unit, cycle_at(pattern, run, done),
               length * unit);
    }
}

/* The first of @a count elements that is not the sum of what rank run.rank and those
 * before it send. */
static size_t prefix_mismatch(const bench_pattern_t *pattern, bench_pattern_run_t run,
                              const float *buffer, size_t count)
{
    size_t start = run.first + (size_t)run.iteration * ITERATION_STEP;

    for (size_t i = 0; i < count; i++) {
        float sum = 0;

        for (int rank = 0; rank <= run.rank; rank++) {
            sum += pattern->values[(start + i + (size_t)rank * RANK_STEP) % PERIOD];
        }
        if (memcmp(&sum, &buffer[i], sizeof(sum)) != 0) {
            return i;
        }
    }
    return count;
}

static size_t first_difference(const unsigned char *left, const unsigned char *right,
                               size_t unit)
{
    size_t i = 0;

    while (memcmp(left + i * unit, right + i * unit, unit) == 0) {
        i++;
    }
    return i;
}

size_t bench_pattern_mismatch(const bench_pattern_t *pattern, bench_pattern_run_t run,
                              const void *buffer, size_t count)
{
    size_t unit = bench_pattern_unit(run.kind);
    const unsigned char *have, *want;
    size_t done, length;

    if (run.kind == BENCH_PATTERN_PREFIX) {
        return prefix_mismatch(pattern, run, buffer, count);
    }
    for (done = 0; done < count; done += length) {
        length = piece_length(done, count);
        have = (const unsigned char *)buffer + done * unit;
        want = cycle_at(pattern, run, done);
        if (memcmp(have, want, length * unit) != 0) {
            return done + first_difference(have, want, unit);
        }
    }
    return count;
}

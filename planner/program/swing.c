/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/swing.h"

/* Of as many hosts as an int counts. */
#define MOST_ROUNDS 31

static int num_dimensions(const int *shape)
{
    int num = 0;

    while (num < MTREE_SHAPE_DIMENSIONS && shape[num] > 0) {
        num++;
    }
    return num;
}

static int log_of(int power)
{
    int log = 0;

    while (1 << log < power) {
        log++;
    }
    return log;
}

bool mtree_swing_fits(const int *shape, int num_hosts)
{
    int hosts = 1;

    for (int d = 0; d < num_dimensions(shape); d++) {
        if ((shape[d] & (shape[d] - 1)) != 0) {
            return false;
        }
        hosts *= shape[d];
    }
    return num_dimensions(shape) > 0 && hosts == num_hosts;
}

/* The dimension of @a round, which is its step *step_p there: dimensions take turns, from
 * that of @a part on, as long as each has steps. */
static int dimension_of(const int *shape, int part, int round, int *step_p)
{
    const int dimensions = num_dimensions(shape);

    for (*step_p = 0;; ++*step_p) {
        for (int i = 0; i < dimensions; i++) {
            const int d = (part / 2 + i) % dimensions;

            if (*step_p < log_of(shape[d]) && round-- == 0) {
                return d;
            }
        }
    }
}

/* What hosts do in one round of a part, along one dimension, whose size is a power of
 * two. */
typedef struct {
    int shift;    /* of the bits of a place that are the coordinate */
    int mask;     /* of the coordinate, shifted down */
    int distance; /* that a host goes whose coordinate is even; others the other way */
} swap_t;

static swap_t swap_of(const int *shape, int part, int round)
{
    int step, shift = 0, sum = 0;
    const int dimension = dimension_of(shape, part, round, &step);

    for (int d = num_dimensions(shape) - 1; d > dimension; d--) {
        shift += log_of(shape[d]);
    }
    for (int s = step; s >= 0; s--) {
        sum = 1 - 2 * sum;
    }
    return (swap_t){shift, shape[dimension] - 1, part % 2 == 0 ? sum : -sum};
}

static int swapped_with(const swap_t *swap, int place)
{
    const int c = place >> swap->shift & swap->mask;
    const int to = (c % 2 == 0 ? c + swap->distance : c - swap->distance) & swap->mask;

    return place + (to - c) * (1 << swap->shift);
}

int mtree_swing_num_parts(const int *shape)
{
    return 2 * num_dimensions(shape);
}

int mtree_swing_partner(const int *shape, int part, int place, int round)
{
    const swap_t swap = swap_of(shape, part, round);

    return swapped_with(&swap, place);
}

/* The lowest of the places to which what @a place has comes in the @a count @a swaps. */
static int lowest(const swap_t *swaps, int count, int place)
{
    int kept, given;

    if (count == 0) {
        return place;
    }
    kept = lowest(swaps + 1, count - 1, place);
    given = lowest(swaps + 1, count - 1, swapped_with(swaps, place));
    return kept < given ? kept : given;
}

/*
 * Of the pieces that are a host's when a round begins, all others to which it comes in
 * the rounds from there on have the same; those of the partner after the round are the
 * other half.  The half with the lower place goes first.
 */
int mtree_swing_piece(const int *shape, int part, int place, int num_rounds)
{
    swap_t swaps[MOST_ROUNDS];
    int number = 0;

    for (int round = 0; round < num_rounds; round++) {
        swaps[round] = swap_of(shape, part, round);
    }
    for (int round = 0; round < num_rounds; round++) {
        const swap_t *rest = &swaps[round + 1];
        const int count = num_rounds - round - 1;
        const int peer = swapped_with(&swaps[round], place);

        number = 2 * number + (lowest(rest, count, peer) < lowest(rest, count, place));
    }
    return number;
}

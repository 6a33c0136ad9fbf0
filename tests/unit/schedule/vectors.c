/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/schedule/vectors.h"
#include "tests/unit/runner.h"

#define UNTOUCHED 0xdeadbeef

uint32_t vectors_value(const vectors_t *vectors, int rank, size_t unit)
{
    uint32_t number = 2654435761U * ((uint32_t)rank * 977 + (uint32_t)unit + 1);
    float rounded = (float)(number % 1000003) / 7;

    if (vectors->rounds) {
        memcpy(&number, &rounded, sizeof(number));
    }
    return number;
}

/* x -> a x + b of 16 bits each: the first, then the second.  Not commutative. */
static uint32_t compose(uint32_t first, uint32_t second)
{
    uint32_t a = first >> 16, b = first & 0xffff, c = second >> 16, d = second & 0xffff;

    return ((a * c & 0xffff) << 16) | ((c * b + d) & 0xffff);
}

uint32_t vectors_combine(const vectors_t *vectors, uint32_t a, uint32_t b)
{
    float x, y;

    if (vectors->collective == MTREE_SCAN) {
        return compose(a, b);
    }
    if (!vectors->rounds) {
        return a + b;
    }
    memcpy(&x, &a, sizeof(x));
    memcpy(&y, &b, sizeof(y));
    x += y;
    memcpy(&a, &x, sizeof(a));
    return a;
}

static int owner_of(const vectors_t *vectors, size_t unit)
{
    int owner = 0;

    while (unit >= vectors->blocks[owner + 1]) {
        owner++;
    }
    return owner;
}

/* Where @a unit of the vector is in the output of @a rank. */
static uint32_t *output_at(const vectors_t *vectors, int rank, size_t unit)
{
    ptrdiff_t shift = 0;

    if (vectors->shift[vectors->ranks - 1] > 0) {
        shift = vectors->shift[owner_of(vectors, unit)];
    }
    return &vectors->output[rank][unit] + shift / 4;
}

/* Does the output of @a rank hold its own data at @a unit before the call? */
static bool holds(const vectors_t *vectors, int rank, size_t unit)
{
    switch (vectors->collective) {
    case MTREE_BCAST:
        return rank == vectors->root;
    case MTREE_ALLGATHER:
        return rank == owner_of(vectors, unit);
    default:
        return vectors->in_place;
    }
}

/* What @a rank has to have at @a unit. */
static uint32_t expected(const vectors_t *vectors, int rank, size_t unit)
{
    int last = vectors->ranks - 1;
    uint32_t sum = vectors_value(vectors, 0, unit);

    switch (vectors->collective) {
    case MTREE_SCAN:
        last = rank - vectors->is_exclusive;
        break;
    case MTREE_BCAST:
        return vectors_value(vectors, vectors->root, unit);
    case MTREE_ALLGATHER:
        return vectors_value(vectors, owner_of(vectors, unit), unit);
    default:
        break;
    }
    for (int r = 1; r <= last; r++) {
        sum = vectors_combine(vectors, sum, vectors_value(vectors, r, unit));
    }
    return last < 0 ? UNTOUCHED : sum;
}

void vectors_fill(vectors_t *vectors)
{
    const size_t units = vectors->units;
    const size_t copies =
        vectors->collective == MTREE_ALLTOALL ? (size_t)vectors->ranks : 1;
    const size_t gaps = (size_t)vectors->shift[vectors->ranks - 1] / 4;

    for (int r = 0; r < vectors->ranks; r++) {
        vectors->input[r] = calloc(units + 1, sizeof(uint32_t));
        vectors->output[r] = calloc(copies * units + gaps + 1, sizeof(uint32_t));
        for (size_t i = 0; i < units; i++) {
            vectors->input[r][i] = vectors_value(vectors, r, i);
            *output_at(vectors, r, i) =
                holds(vectors, r, i) ? vectors->input[r][i] : UNTOUCHED;
        }
    }
    vectors->wanted = calloc(units + 1, sizeof(uint32_t));
    for (size_t i = 0; i < units && vectors->collective != MTREE_SCAN; i++) {
        vectors->wanted[i] = expected(vectors, 0, i);
    }
}

void vectors_free(vectors_t *vectors)
{
    for (int r = 0; r < vectors->ranks; r++) {
        free(vectors->input[r]);
        free(vectors->output[r]);
    }
    free(vectors->wanted);
}

/* Of numbers that round the sums are about the same, and all ranks have the same. */
static bool is_right(const vectors_t *vectors, int rank, size_t unit)
{
    const uint32_t got = *output_at(vectors, rank, unit);
    uint32_t wanted;
    float number, about;

    if (vectors->collective == MTREE_REDUCE_SCATTER && rank != owner_of(vectors, unit)) {
        return vectors->in_place || got == UNTOUCHED;
    }
    wanted = vectors->collective == MTREE_SCAN ? expected(vectors, rank, unit)
                                               : vectors->wanted[unit];
    if (!vectors->rounds) {
        return got == wanted;
    }
    memcpy(&number, &got, sizeof(number));
    memcpy(&about, &wanted, sizeof(about));
    return fabsf(number - about) <= 1e-3F * fabsf(about) &&
           got == vectors->output[0][unit];
}

void vectors_verify(const vectors_t *vectors, int rank)
{
    size_t i = 0;

    if (mtree_collective_result(vectors->collective, rank, vectors->root) ==
        MTREE_PART_NONE) {
        return;
    }
    while (i < vectors->units && is_right(vectors, rank, i)) {
        i++;
    }
    ck_assert_msg(i == vectors->units, "%s, rank %d: number %zu of %zu is wrong",
                  mtree_collective_name(vectors->collective), rank, i, vectors->units);
}

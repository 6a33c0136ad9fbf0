/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/block_slices.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

mtree_block_slices_t *mtree_block_slices_create(int num, double begin, double end,
                                                size_t grain)
{
    mtree_block_slices_t *slices =
        calloc(1, sizeof(*slices) + (size_t)num * sizeof(mtree_block_t));

    if (slices != NULL) {
        slices->begin = begin;
        slices->end = end;
        slices->grain = grain;
        slices->most = SIZE_MAX;
    }
    return slices;
}

void mtree_block_slices_set(mtree_block_slices_t *slices, int place, size_t units)
{
    size_t from = (size_t)(slices->begin * (double)units + 0.5);
    size_t to = (size_t)(slices->end * (double)units + 0.5);

    to = slices->end > 1 - 1e-9 || to > units ? units : to;
    from = from > to ? to : from;
    slices->blocks[place] = (mtree_block_t){units, from, to - from};
}

static size_t num_slices(const mtree_block_slices_t *slices, int place)
{
    size_t num = (slices->blocks[place].count + slices->grain - 1) / slices->grain;

    return num < slices->most ? num : slices->most;
}

/* Where slice @a i of @a num begins in @a units, without overflow. */
static size_t slice_begin(size_t units, size_t i, size_t num)
{
    return units / num * i + units % num * i / num;
}

size_t mtree_block_slices_get(const mtree_block_slices_t *slices, int place, size_t i,
                              size_t *begin_p)
{
    const mtree_block_t *block = &slices->blocks[place];
    size_t num = num_slices(slices, place), begin;

    *begin_p = block->from;
    if (i >= num) {
        return 0;
    }
    begin = slice_begin(block->count, i, num);
    *begin_p += begin;
    return slice_begin(block->count, i + 1, num) - begin;
}

size_t mtree_block_slices_span(const mtree_block_slices_t *slices, int first, int num,
                               size_t i)
{
    size_t units = 0, begin;

    for (int place = first; place < first + num; place++) {
        units += mtree_block_slices_get(slices, place, i, &begin);
    }
    return units;
}

size_t mtree_block_slices_count(const mtree_block_slices_t *slices, int first, int num)
{
    size_t most = 0;

    for (int place = first; place < first + num; place++) {
        size_t count = num_slices(slices, place);

        most = count > most ? count : most;
    }
    return most;
}

size_t mtree_block_slices_longest(const mtree_block_slices_t *slices, int first, int num)
{
    size_t longest = 0;

    for (int place = first; place < first + num; place++) {
        size_t count = num_slices(slices, place);

        longest += count == 0 ? 0 : (slices->blocks[place].count + count - 1) / count;
    }
    return longest;
}

static bool fits(const mtree_block_slices_t *slices, const int *first, int num, int end,
                 size_t longest)
{
    for (int i = 0; i < num; i++) {
        int next = i + 1 < num ? first[i + 1] : end;

        if (mtree_block_slices_longest(slices, first[i], next - first[i]) > longest) {
            return false;
        }
    }
    return true;
}

void mtree_block_slices_choose(mtree_block_slices_t *slices, const int *first, int num,
                               int end, size_t longest)
{
    size_t low = 1, high;

    slices->most = SIZE_MAX;
    high = num == 0 ? 1 : mtree_block_slices_count(slices, first[0], end - first[0]);
    while (low < high) {
        slices->most = low + (high - low) / 2;
        if (fits(slices, first, num, end, longest)) {
            high = slices->most;
        } else {
            low = slices->most + 1;
        }
    }
    slices->most = low;
}

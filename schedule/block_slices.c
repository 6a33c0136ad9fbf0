/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/block_slices.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

mtree_block_slices_t *mtree_block_slices_create(int num, double begin, double end,
                                                size_t grain)
{
    mtree_block_slices_t *slices =
        mtree_calloc(1, sizeof(*slices) + (size_t)num * sizeof(mtree_block_t));

    slices->begin = begin;
    slices->end = end;
    slices->grain = grain;
    slices->most = SIZE_MAX;
    return slices;
}

mtree_block_slices_t *mtree_block_slices_create_alike(size_t units, double begin,
                                                      double end, size_t grain)
{
    mtree_block_slices_t *slices = mtree_block_slices_create(1, begin, end, grain);

    mtree_block_slices_set(slices, 0, units);
    slices->alike = true;
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

static const mtree_block_t *block_at(const mtree_block_slices_t *slices, int place)
{
    return &slices->blocks[slices->alike ? 0 : place];
}

/* How many of @a num blocks differ, so that a caller looks at no others: one where all
 * are alike, which then counts *times_p times. */
static int num_distinct(const mtree_block_slices_t *slices, int num, size_t *times_p)
{
    bool is_one = slices->alike && num > 0;

    *times_p = is_one ? (size_t)num : 1;
    return is_one ? 1 : num;
}

static size_t num_slices(const mtree_block_slices_t *slices, int place)
{
    size_t num = (block_at(slices, place)->count + slices->grain - 1) / slices->grain;

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
    const mtree_block_t *block = block_at(slices, place);
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
    size_t units = 0, begin, times;
    int distinct = num_distinct(slices, num, &times);

    for (int place = first; place < first + distinct; place++) {
        units += mtree_block_slices_get(slices, place, i, &begin);
    }
    return units * times;
}

size_t mtree_block_slices_count(const mtree_block_slices_t *slices, int first, int num)
{
    size_t most = 0, times;
    int distinct = num_distinct(slices, num, &times);

    for (int place = first; place < first + distinct; place++) {
        size_t count = num_slices(slices, place);

        most = count > most ? count : most;
    }
    return most;
}

size_t mtree_block_slices_longest(const mtree_block_slices_t *slices, int first, int num)
{
    size_t longest = 0, times;
    int distinct = num_distinct(slices, num, &times);

    for (int place = first; place < first + distinct; place++) {
        size_t count = num_slices(slices, place);

        longest += count == 0 ? 0 : (block_at(slices, place)->count + count - 1) / count;
    }
    return longest * times;
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

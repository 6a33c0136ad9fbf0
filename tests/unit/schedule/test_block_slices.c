/* SPDX-License-Identifier: BSD-3-Clause */
/* How blocks are cut: every unit is in one slice, and no message is too long. */
#include "schedule/block_slices.h"
#include "tests/unit/runner.h"

enum { BLOCKS = 6, GRAIN = 10 };

/* Nothing, one unit, all units alike, one long block, and lengths beyond 32 bits. */
static const size_t cases[][BLOCKS] = {{0, 0, 0, 0, 0, 0},
                                       {1, 0, 1, 0, 0, 1},
                                       {100, 100, 100, 100, 100, 100},
                                       {10000, 1000, 1000, 1000, 1000, 3},
                                       {7, 11, 13, 17, 19, 23},
                                       {12345, 0, 54321, 1, 2, 99999}};

static mtree_block_slices_t *cut(const size_t *units, double begin, double end)
{
    mtree_block_slices_t *slices = mtree_block_slices_create(BLOCKS, begin, end, GRAIN);

    ck_assert_ptr_nonnull(slices);
    for (int i = 0; i < BLOCKS; i++) {
        mtree_block_slices_set(slices, i, units[i]);
    }
    return slices;
}

/* The slices of @a place follow one another from its first to its last unit. */
static void check_whole(const mtree_block_slices_t *slices, int place)
{
    const mtree_block_t *block = &slices->blocks[place];
    size_t num = mtree_block_slices_count(slices, place, 1);
    size_t at = block->from, begin;

    for (size_t i = 0; i < num; i++) {
        size_t units = mtree_block_slices_get(slices, place, i, &begin);

        ck_assert_uint_eq(begin, at);
        ck_assert_uint_gt(units, 0);
        ck_assert_uint_le(units, mtree_block_slices_longest(slices, place, 1));
        at += units;
    }
    ck_assert_uint_eq(at, block->from + block->count);
    ck_assert_uint_eq(mtree_block_slices_get(slices, place, num, &begin), 0);
}

UNIT_EACH(slices_are_the_whole_block, cases)
{
    UNIT_FREED mtree_block_slices_t *slices = cut(cases[_i], 0, 1);

    for (int place = 0; place < BLOCKS; place++) {
        ck_assert_uint_eq(slices->blocks[place].count, cases[_i][place]);
        check_whole(slices, place);
        ck_assert_uint_le(mtree_block_slices_longest(slices, place, 1), GRAIN);
    }
}

UNIT_EACH(streams_share_out_each_block, cases)
{
    static const double ends[] = {0, 0.25, 0.25, 0.7, 1};

    for (int place = 0; place < BLOCKS; place++) {
        size_t at = 0;

        for (int s = 0; s < 4; s++) {
            UNIT_FREED mtree_block_slices_t *slices =
                cut(cases[_i], ends[s], ends[s + 1]);

            ck_assert_uint_eq(slices->blocks[place].from, at);
            at += slices->blocks[place].count;
            check_whole(slices, place);
        }
        ck_assert_uint_eq(at, cases[_i][place]);
    }
}

/* Two children with three blocks each.  With one slice fewer a message is too long. */
UNIT_EACH(the_fewest_slices_fit, cases)
{
    static const int first[] = {0, 3};
    UNIT_FREED mtree_block_slices_t *slices = cut(cases[_i], 0, 1);
    size_t longest = 3 * GRAIN;

    mtree_block_slices_choose(slices, first, 2, BLOCKS, longest);
    for (int i = 0; i < 2; i++) {
        size_t num = mtree_block_slices_count(slices, first[i], 3);

        ck_assert_uint_le(mtree_block_slices_longest(slices, first[i], 3), longest);
        for (size_t round = 0; round < num; round++) {
            ck_assert_uint_le(mtree_block_slices_span(slices, first[i], 3, round),
                              longest);
        }
    }
    for (int place = 0; place < BLOCKS; place++) {
        check_whole(slices, place);
    }
    if (slices->most > 1) {
        slices->most--;
        ck_assert(mtree_block_slices_longest(slices, 0, 3) > longest ||
                  mtree_block_slices_longest(slices, 3, 3) > longest);
    }
}

/* The places of slices of a block of 2^62 units. */
UNIT_TEST(long_blocks_do_not_overflow)
{
    const size_t units[BLOCKS] = {SIZE_MAX / 4, SIZE_MAX / 4 - 1, 1, 0, 0, 0};
    UNIT_FREED mtree_block_slices_t *slices = cut(units, 0, 1);
    size_t begin, length;

    slices->most = 1000003;
    length = mtree_block_slices_get(slices, 0, 1000002, &begin);
    ck_assert_uint_eq(begin + length, units[0]);
    ck_assert_uint_le(length, units[0] / 1000003 + 1);
}

/* One block stands for all that are like it. */
UNIT_TEST(blocks_that_are_alike_are_cut_alike)
{
    const size_t units[BLOCKS] = {77, 77, 77, 77, 77, 77};
    UNIT_FREED mtree_block_slices_t *all = cut(units, 0.25, 0.75);
    UNIT_FREED mtree_block_slices_t *one =
        mtree_block_slices_create_alike(77, 0.25, 0.75, GRAIN);
    size_t num = mtree_block_slices_count(all, 0, BLOCKS), begin, expected;

    ck_assert_ptr_nonnull(one);
    ck_assert_uint_eq(mtree_block_slices_count(one, 1, BLOCKS - 1), num);
    ck_assert_uint_eq(mtree_block_slices_count(one, 1, 0), 0);
    ck_assert_uint_eq(mtree_block_slices_longest(one, 2, 3),
                      mtree_block_slices_longest(all, 2, 3));
    ck_assert_uint_eq(mtree_block_slices_longest(one, 2, 0), 0);
    for (size_t i = 0; i <= num; i++) {
        ck_assert_uint_eq(mtree_block_slices_get(one, 3, i, &begin),
                          mtree_block_slices_get(all, 3, i, &expected));
        ck_assert_uint_eq(begin, expected);
        ck_assert_uint_eq(mtree_block_slices_span(one, 1, 4, i),
                          mtree_block_slices_span(all, 1, 4, i));
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the blocks of a vector lie. */
#include "coll_mtree/base/blocks.h"
#include "tests/unit/runner.h"

#include <limits.h>

static const int counts[] = {3, 0, 0, 5, 1, 0};

#define RANKS 6

UNIT_TEST(offsets_are_sums_in_units)
{
    const size_t expected[RANKS + 1] = {0, 12, 12, 12, 32, 36, 36};
    size_t *blocks = coll_mtree_blocks_create(coll_mtree_int_array(counts), 4, RANKS);

    for (int rank = 0; rank <= RANKS; rank++) {
        ck_assert_uint_eq(blocks[rank], expected[rank]);
    }
    ck_assert_uint_eq(coll_mtree_blocks_sum(coll_mtree_int_array(counts), RANKS), 9);
    ck_assert_uint_eq(coll_mtree_blocks_sum(coll_mtree_int_array(counts), 3), 3);
    ck_assert_uint_eq(coll_mtree_blocks_sum(coll_mtree_int_array(counts), 0), 0);
    free(blocks);
}

UNIT_TEST(vectors_may_be_longer_than_an_int_counts)
{
    const int many[] = {INT_MAX, INT_MAX, INT_MAX};
    size_t *blocks = coll_mtree_blocks_create(coll_mtree_int_array(many), 16, 3);

    ck_assert_uint_eq(coll_mtree_blocks_sum(coll_mtree_int_array(many), 3),
                      3 * (size_t)INT_MAX);
    ck_assert_uint_eq(blocks[3], 48 * (size_t)INT_MAX);
    ck_assert_int_eq(coll_mtree_blocks_find(blocks, 3, 32 * (size_t)INT_MAX), 2);
    free(blocks);
}

UNIT_TEST(blocks_may_be_longer_than_an_int_counts)
{
    const ptrdiff_t large[] = {(ptrdiff_t)3 * INT_MAX, 0, 7};
    const coll_mtree_int_array_t wide = {.items = large, .is_wide = true};
    size_t *blocks = coll_mtree_blocks_create(wide, 2, 3);

    ck_assert_uint_eq(coll_mtree_blocks_sum(wide, 3), 3 * (size_t)INT_MAX + 7);
    ck_assert_uint_eq(blocks[1], 6 * (size_t)INT_MAX);
    ck_assert_uint_eq(blocks[2], 6 * (size_t)INT_MAX);
    ck_assert_uint_eq(blocks[3], 6 * (size_t)INT_MAX + 14);
    free(blocks);
}

UNIT_TEST(an_array_has_the_bytes_of_its_items)
{
    const int narrow[] = {5, -2};
    const ptrdiff_t large[] = {PTRDIFF_MIN, PTRDIFF_MAX};
    const coll_mtree_int_array_t wide = {.items = large, .is_wide = true};
    const coll_mtree_int_array_t none = {.items = NULL};

    ck_assert_int_eq(coll_mtree_int_array_at(coll_mtree_int_array(narrow), 1), -2);
    ck_assert(coll_mtree_int_array_at(wide, 0) == PTRDIFF_MIN);
    ck_assert(coll_mtree_int_array_at(wide, 1) == PTRDIFF_MAX);
    ck_assert_uint_eq(coll_mtree_int_array_bytes(coll_mtree_int_array(narrow), 2),
                      sizeof(narrow));
    ck_assert_uint_eq(coll_mtree_int_array_bytes(wide, 2), sizeof(large));
    ck_assert_uint_eq(coll_mtree_int_array_bytes(none, 2), 0);
}

UNIT_TEST(every_unit_is_found_in_the_block_that_holds_it)
{
    size_t *blocks = coll_mtree_blocks_create(coll_mtree_int_array(counts), 1, RANKS);

    for (size_t offset = 0; offset < 9; offset++) {
        int block = coll_mtree_blocks_find(blocks, RANKS, offset);

        ck_assert_uint_le(blocks[block], offset);
        ck_assert_uint_gt(blocks[block + 1], offset);
    }
    free(blocks);
}

UNIT_TEST(one_block_holds_everything)
{
    const size_t blocks[] = {0, 7};

    ck_assert_int_eq(coll_mtree_blocks_find(blocks, 1, 6), 0);
}

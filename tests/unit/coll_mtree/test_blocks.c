/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the blocks of a vector lie. */
#include "coll_mtree/call/blocks.h"

#include <check.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>

static const int counts[] = {3, 0, 0, 5, 1, 0};

#define RANKS 6

START_TEST(offsets_are_sums_in_units)
{
    const size_t expected[RANKS + 1] = {0, 12, 12, 12, 32, 36, 36};
    size_t *blocks = coll_mtree_blocks_create(counts, 4, RANKS);

    for (int rank = 0; rank <= RANKS; rank++) {
        ck_assert_uint_eq(blocks[rank], expected[rank]);
    }
    ck_assert_uint_eq(coll_mtree_blocks_sum(counts, RANKS), 9);
    ck_assert_uint_eq(coll_mtree_blocks_sum(counts, 3), 3);
    ck_assert_uint_eq(coll_mtree_blocks_sum(counts, 0), 0);
    free(blocks);
}
END_TEST

START_TEST(vectors_may_be_longer_than_an_int_counts)
{
    const int many[] = {INT_MAX, INT_MAX, INT_MAX};
    size_t *blocks = coll_mtree_blocks_create(many, 16, 3);

    ck_assert_uint_eq(coll_mtree_blocks_sum(many, 3), 3 * (size_t)INT_MAX);
    ck_assert_uint_eq(blocks[3], 48 * (size_t)INT_MAX);
    ck_assert_int_eq(coll_mtree_blocks_find(blocks, 3, 32 * (size_t)INT_MAX), 2);
    free(blocks);
}
END_TEST

START_TEST(every_unit_is_found_in_the_block_that_holds_it)
{
    size_t *blocks = coll_mtree_blocks_create(counts, 1, RANKS);

    for (size_t offset = 0; offset < 9; offset++) {
        int block = coll_mtree_blocks_find(blocks, RANKS, offset);

        ck_assert_uint_le(blocks[block], offset);
        ck_assert_uint_gt(blocks[block + 1], offset);
    }
    free(blocks);
}
END_TEST

START_TEST(one_block_holds_everything)
{
    const size_t blocks[] = {0, 7};

    ck_assert_int_eq(coll_mtree_blocks_find(blocks, 1, 6), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("blocks");
    TCase *tcase = tcase_create("blocks");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_test(tcase, offsets_are_sums_in_units);
    tcase_add_test(tcase, vectors_may_be_longer_than_an_int_counts);
    tcase_add_test(tcase, every_unit_is_found_in_the_block_that_holds_it);
    tcase_add_test(tcase, one_block_holds_everything);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of an exchange: every rank is in it once, below its parent. */
#include "coll_mtree/control/exchange_tree.h"
#include "tests/unit/runner.h"

#include <limits.h>

/* Walk the subtree of @a rank, whose ranks must follow each other; their number. */
static int walk(int rank, int ranks)
{
    const int size = coll_mtree_exchange_tree_size(rank, ranks);
    int child = rank + 1, children = 0;

    while (child < rank + size) {
        ck_assert_int_lt(child, ranks);
        ck_assert_int_eq(coll_mtree_exchange_tree_parent(child), rank);
        child += walk(child, ranks);
        children++;
    }
    ck_assert_int_eq(child, rank + size);
    ck_assert_int_le(children, 7 * 4);
    return size;
}

static const int sizes[] = {1, 2, 7, 8, 9, 63, 64, 65, 512, 513, 1000};

UNIT_EACH(every_rank_is_in_the_tree_once, sizes)
{
    ck_assert_int_eq(walk(0, sizes[_i]), sizes[_i]);
}

static const int pairs[][2] = {{1, 0},       {8, 0},       {9, 8},
                               {0123, 0120}, {0120, 0100}, {0100, 0}};

UNIT_EACH(parents_lack_the_lowest_digit, pairs)
{
    ck_assert_int_eq(coll_mtree_exchange_tree_parent(pairs[_i][0]), pairs[_i][1]);
}

UNIT_TEST(a_leaf_is_alone)
{
    ck_assert_int_eq(coll_mtree_exchange_tree_size(1, 100), 1);
    ck_assert_int_eq(coll_mtree_exchange_tree_size(8, 9), 1);
    ck_assert_int_eq(coll_mtree_exchange_tree_size(0, 1), 1);
}

UNIT_TEST(the_largest_communicator_does_not_overflow)
{
    int child = 1, children = 0;

    while (child < INT_MAX) {
        ck_assert_int_eq(coll_mtree_exchange_tree_parent(child), 0);
        child += coll_mtree_exchange_tree_size(child, INT_MAX);
        children++;
    }
    /* Digits to base 8 of 2^31 - 2: ten of seven, and one behind the highest. */
    ck_assert_int_eq(children, 10 * 7 + 1);
    ck_assert_int_eq(coll_mtree_exchange_tree_size(0, INT_MAX), INT_MAX);
}

/* Ranks of one host share a part, whichever of them is asked for. */
UNIT_TEST(parts_follow_one_another)
{
    const int lengths[] = {5, 0, 7, 0, 0, 2};
    static const struct {
        int first, count;
        size_t begin, end;
    } cases[] = {{0, 6, 0, 14}, {0, 1, 0, 5},  {1, 1, 0, 5},  {1, 2, 0, 12},
                 {3, 1, 5, 12}, {4, 2, 5, 14}, {5, 1, 12, 14}};
    const int none[] = {0, 0, 0};
    coll_mtree_range_t range;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        range = coll_mtree_exchange_tree_range(lengths, cases[i].first, cases[i].count);
        ck_assert_uint_eq(range.begin, cases[i].begin);
        ck_assert_uint_eq(range.end, cases[i].end);
    }
    range = coll_mtree_exchange_tree_range(none, 1, 2);
    ck_assert_uint_eq(range.end, range.begin);
}

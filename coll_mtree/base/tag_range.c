/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/tag_range.h"

int coll_mtree_tag_range_most(int limit)
{
    return limit / 4;
}

int coll_mtree_tag_range_take(coll_mtree_tag_range_t *range, int limit, int count,
                              bool persistent)
{
    int most = coll_mtree_tag_range_most(limit);
    int *taken = &range->taken[persistent];
    int first;

    if (*taken > most - count) {
        *taken = 0;
    }
    first = limit / 2 + (persistent ? most : 0) + *taken;
    *taken += count;
    return -first;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/exchange_tree.h"

#include "coll_mtree/base/tuning.h"

#include <stdint.h>

/* The place value of the lowest digit of @a rank that is not 0; for rank 0 one that is at
 * least @a ranks. */
static int64_t lowest_place(int rank, int ranks)
{
    int64_t place = 1;

    while (place < ranks && rank / place % COLL_MTREE_EXCHANGE_BASE == 0) {
        place *= COLL_MTREE_EXCHANGE_BASE;
    }
    return place;
}

int coll_mtree_exchange_tree_parent(int rank)
{
    int64_t place = lowest_place(rank, rank + 1);

    return (int)(rank - rank / place % COLL_MTREE_EXCHANGE_BASE * place);
}

int coll_mtree_exchange_tree_size(int rank, int ranks)
{
    int64_t most = lowest_place(rank, ranks);

    return (int)(most < ranks - rank ? most : ranks - rank);
}

coll_mtree_range_t coll_mtree_exchange_tree_range(const int *lengths, int first,
                                                  int count)
{
    coll_mtree_range_t range = {0, 0};

    for (int rank = 0; rank < first + count; rank++) {
        if (lengths[rank] > 0) {
            range.begin = rank <= first ? range.end : range.begin;
            range.end += (size_t)lengths[rank];
        }
    }
    return range;
}

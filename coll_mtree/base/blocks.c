/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/blocks.h"

#include "base/memory.h"

size_t coll_mtree_blocks_sum(coll_mtree_int_array_t counts, int ranks)
{
    size_t sum = 0;

    for (int rank = 0; rank < ranks; rank++) {
        sum += (size_t)coll_mtree_int_array_at(counts, rank);
    }
    return sum;
}

size_t *coll_mtree_blocks_create(coll_mtree_int_array_t counts, size_t units, int ranks)
{
    size_t *blocks = mtree_malloc(((size_t)ranks + 1) * sizeof(*blocks));

    blocks[0] = 0;
    for (int rank = 0; rank < ranks; rank++) {
        blocks[rank + 1] =
            blocks[rank] + (size_t)coll_mtree_int_array_at(counts, rank) * units;
    }
    return blocks;
}

int coll_mtree_blocks_find(const size_t *blocks, int ranks, size_t offset)
{
    int low = 0, high = ranks - 1;

    while (low < high) {
        int middle = (low + high + 1) / 2;

        if (blocks[middle] <= offset) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

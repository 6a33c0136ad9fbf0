/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the blocks of a vector lie that has one per rank, of different sizes: offsets
 * [ranks + 1], the first 0, the last the size of the vector.
 */
#ifndef COLL_MTREE_CALL_BLOCKS_H
#define COLL_MTREE_CALL_BLOCKS_H

#include "coll_mtree/base/int_array.h"

/* The elements of all blocks, of which rank r's has counts[r]. */
size_t coll_mtree_blocks_sum(coll_mtree_int_array_t counts, int ranks);

/* The offsets of blocks of counts[r] elements, in units of which an element has @a
 * units; the caller's, to be freed. */
size_t *coll_mtree_blocks_create(coll_mtree_int_array_t counts, size_t units, int ranks);

/* The block in which the unit at @a offset lies, which is less than the vector's size. */
int coll_mtree_blocks_find(const size_t *blocks, int ranks, size_t offset);

#endif

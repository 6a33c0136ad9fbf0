/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How a personalized stream cuts the blocks that it carries into slices.  Slice i of all
 * blocks below an edge makes a chunk.
 *
 * A block of which the stream carries u units has Q slices, [u i / Q, u (i + 1) / Q).  Q
 * is u divided by the grain, but no more than `most`.
 */
#ifndef MTREE_SCHEDULE_BLOCK_SLICES_H
#define MTREE_SCHEDULE_BLOCK_SLICES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    size_t units;       /* of the block */
    size_t from, count; /* those that the stream carries */
} mtree_block_t;

typedef struct {
    double begin, end; /* the part of each block that the stream carries */
    size_t grain;      /* units of a slice, at most, while there are fewer than `most` */
    size_t most;       /* slices of a block; > 0 */
    bool alike;        /* all blocks are as blocks[0], the only one here */
    mtree_block_t blocks[];
} mtree_block_slices_t;

/* For @a num blocks of no units; to be freed. */
mtree_block_slices_t *mtree_block_slices_create(int num, double begin, double end,
                                                size_t grain);

/* The same for any number of blocks, all of @a units. */
mtree_block_slices_t *mtree_block_slices_create_alike(size_t units, double begin,
                                                      double end, size_t grain);

/* The block in @a place has @a units, where they are not all alike. */
void mtree_block_slices_set(mtree_block_slices_t *slices, int place, size_t units);

/* The units of slice @a i of the block in @a place, and where in the block they begin. */
size_t mtree_block_slices_get(const mtree_block_slices_t *slices, int place, size_t i,
                              size_t *begin_p);

/* The units of slice @a i of the @a num blocks from place @a first on. */
size_t mtree_block_slices_span(const mtree_block_slices_t *slices, int first, int num,
                               size_t i);

/* The slices of that one of these blocks that has most. */
size_t mtree_block_slices_count(const mtree_block_slices_t *slices, int first, int num);

/* The longest span of these blocks is at most so long. */
size_t mtree_block_slices_longest(const mtree_block_slices_t *slices, int first, int num);

/*
 * Let `most` be the least with which no span is longer than @a longest: of the blocks
 * from each of @a first on to the next one, [@a num], and to @a end.
 */
void mtree_block_slices_choose(mtree_block_slices_t *slices, const int *first, int num,
                               int end, size_t longest);

#endif

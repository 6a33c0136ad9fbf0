/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocks: parts of a vector, and the steps that send and receive blocks of the result.
 * Lengths and offsets are in elements.
 */
#ifndef MTREE_SIMULATE_BASELINE_BLOCKS_H
#define MTREE_SIMULATE_BASELINE_BLOCKS_H

#include "simulate/baseline/program.h"

typedef struct {
    size_t offset, count;
} mtree_block_t;

/* Block @a index of @a count elements in @a parts whose sizes differ by one at most, the
 * longer first. */
mtree_block_t mtree_block(size_t count, size_t parts, size_t index);

/* The blocks from @a first up to but not @a last, as one. */
mtree_block_t mtree_blocks(size_t count, size_t parts, size_t first, size_t last);

/* Segment @a index of @a block, which is cut into segments of @a length elements; the
 * last one may be shorter. */
mtree_block_t mtree_block_segment(mtree_block_t block, size_t length, size_t index);

/* The greatest power of two that is not greater than @a n > 0. */
int mtree_power_of_two(int n);

/* The place of an element of the vector in a rank's result. */
static inline mtree_place_t mtree_result(size_t offset)
{
    return mtree_place(MTREE_BUFFER_RESULT, offset);
}

/* Copy @a count elements of the input to the same places of the result. */
void mtree_program_begin(mtree_program_t *program, size_t count);

/* Send a block of the result, receive one, or do both at once, and wait for the end. */
void mtree_program_send_block(mtree_program_t *program, int peer, mtree_block_t block);
void mtree_program_recv_block(mtree_program_t *program, int peer, mtree_block_t block);
void mtree_program_exchange_blocks(mtree_program_t *program, int send_peer,
                                   mtree_block_t sent, int recv_peer,
                                   mtree_block_t received);

/* Send block @a sent to @a peer, and add what it sends, which is received in @a buffer,
 * to block @a summed. */
void mtree_program_swap_and_fold(mtree_program_t *program, int peer, mtree_block_t sent,
                                 mtree_buffer_t buffer, mtree_block_t summed);

#endif

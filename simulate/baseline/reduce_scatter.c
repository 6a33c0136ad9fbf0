/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/build.h"

/* The sums are made in RESULT at their places in the vector; rank r's answer is block r
 * of it. */
static mtree_place_t result(size_t offset)
{
    return mtree_place(MTREE_BUFFER_RESULT, offset);
}

static mtree_block_t blocks(const mtree_baseline_call_t *call, int first, int last)
{
    return mtree_blocks(call->count, (size_t)call->num_ranks, (size_t)first,
                        (size_t)last);
}

static void begin(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_program_copy(program, result(0), mtree_place(MTREE_BUFFER_INPUT, 0),
                       call->count);
}

/* The default reduce to rank 0, which then sends the blocks one after the other. */
void mtree_build_reduce_scatter_nonoverlapping(mtree_program_t *program,
                                               const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;
    mtree_block_t block = blocks(call, call->rank, call->rank + 1);
    int peer;

    part.root = 0;
    mtree_build_default_reduce(program, &part);
    if (call->rank != 0) {
        mtree_program_recv_now(program, 0, result(block.offset), block.count);
        return;
    }
    for (peer = 1; peer < call->num_ranks; peer++) {
        block = blocks(call, peer, peer + 1);
        mtree_program_send_now(program, peer, result(block.offset), block.count);
    }
}

void mtree_build_reduce_scatter_ring(mtree_program_t *program,
                                     const mtree_baseline_call_t *call)
{
    begin(program, call);
    mtree_build_ring_reduce(program, call, 1, 0, 1);
}

/* The power of two that takes part: who stands for the ranks beyond it, and their blocks.
 */
typedef struct {
    int power, excess;
    int mine; /* -1: left out */
} fold_t;

/* Blocks of the taking-part positions from @a first up to but not @a last. */
static mtree_block_t shares(const mtree_baseline_call_t *call, const fold_t *fold,
                            int first, int last)
{
    const int from = first < fold->excess ? 2 * first : first + fold->excess;
    const int to = last < fold->excess ? 2 * last : last + fold->excess;

    return blocks(call, from, to);
}

static int rank_of(const fold_t *fold, int position)
{
    return position < fold->excess ? 2 * position + 1 : position + fold->excess;
}

/* Even ranks of the pairs beyond the power of two give all they have to the odd ones. */
static void fold_pairs(mtree_program_t *program, const mtree_baseline_call_t *call,
                       fold_t *fold)
{
    const mtree_place_t inbox = mtree_place(MTREE_BUFFER_INBOX, 0);

    fold->power = mtree_power_of_two(call->num_ranks);
    fold->excess = call->num_ranks - fold->power;
    fold->mine = call->rank - fold->excess;
    if (call->rank >= 2 * fold->excess) {
        return;
    }
    if (call->rank % 2 == 0) {
        mtree_program_send_now(program, call->rank + 1, result(0), call->count);
        fold->mine = -1;
    } else {
        mtree_program_recv_now(program, call->rank - 1, inbox, call->count);
        mtree_program_fold(program, result(0), inbox, call->count);
        fold->mine = call->rank / 2;
    }
}

static void swap_and_fold(mtree_program_t *program, int peer, mtree_block_t sent,
                          mtree_block_t kept)
{
    const mtree_place_t inbox = mtree_place(MTREE_BUFFER_INBOX, kept.offset);

    mtree_program_exchange(program, peer, result(sent.offset), sent.count, peer, inbox,
                           kept.count);
    mtree_program_fold(program, result(kept.offset), inbox, kept.count);
}

void mtree_build_reduce_scatter_halving(mtree_program_t *program,
                                        const mtree_baseline_call_t *call)
{
    mtree_block_t low, high, block;
    fold_t fold;
    int mask, peer, first = 0;

    begin(program, call);
    fold_pairs(program, call, &fold);
    for (mask = fold.power / 2; mask > 0 && fold.mine >= 0; mask /= 2) {
        peer = rank_of(&fold, fold.mine ^ mask);
        low = shares(call, &fold, first, first + mask);
        high = shares(call, &fold, first + mask, first + 2 * mask);
        if ((fold.mine & mask) == 0) {
            swap_and_fold(program, peer, high, low);
        } else {
            swap_and_fold(program, peer, low, high);
            first += mask;
        }
    }
    if (call->rank >= 2 * fold.excess) {
        return;
    }
    if (call->rank % 2 == 0) {
        block = blocks(call, call->rank, call->rank + 1);
        mtree_program_recv_now(program, call->rank + 1, result(block.offset),
                               block.count);
    } else {
        block = blocks(call, call->rank - 1, call->rank);
        mtree_program_send_now(program, call->rank - 1, result(block.offset),
                               block.count);
    }
}

/* The lowest @a bits bits of @a value in reverse order. */
static int mirror(int value, int bits)
{
    int mirrored = 0;

    for (; bits > 0; bits--) {
        mirrored = 2 * mirrored + value % 2;
        value /= 2;
    }
    return mirrored;
}

/* After the butterfly position p holds what belongs to position mirror(p), and hands it
 * over. */
static void hand_over(mtree_program_t *program, const mtree_baseline_call_t *call,
                      const fold_t *fold, int bits)
{
    const int owner = mirror(fold->mine, bits);
    const int peer = rank_of(fold, owner);
    const mtree_block_t mine = blocks(call, call->rank, call->rank + 1);
    const mtree_block_t given = blocks(call, peer, peer + 1);
    mtree_block_t even;

    if (owner < fold->excess) {
        even = blocks(call, peer - 1, peer);
        mtree_program_send_now(program, peer - 1, result(even.offset), even.count);
    }
    if (owner != fold->mine) {
        mtree_program_exchange(program, peer, result(given.offset), given.count, peer,
                               result(mine.offset), mine.count);
    }
}

void mtree_build_reduce_scatter_butterfly(mtree_program_t *program,
                                          const mtree_baseline_call_t *call)
{
    mtree_block_t low, high, block;
    fold_t fold;
    int mask, peer, first = 0, width, bits = 0;

    begin(program, call);
    fold_pairs(program, call, &fold);
    width = fold.power;
    for (mask = 1; mask < fold.power; mask *= 2, bits++) {
        if (fold.mine < 0) {
            continue;
        }
        width /= 2;
        peer = rank_of(&fold, fold.mine ^ mask);
        low = shares(call, &fold, first, first + width);
        high = shares(call, &fold, first + width, first + 2 * width);
        if ((fold.mine & mask) == 0) {
            swap_and_fold(program, peer, high, low);
        } else {
            swap_and_fold(program, peer, low, high);
            first += width;
        }
    }
    if (fold.mine >= 0) {
        hand_over(program, call, &fold, bits);
        return;
    }
    block = blocks(call, call->rank, call->rank + 1);
    mtree_program_recv_now(program, rank_of(&fold, mirror(call->rank / 2, bits)),
                           result(block.offset), block.count);
}

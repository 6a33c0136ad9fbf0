/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"
#include "simulate/baseline/reducing.h"

/* The sums are made in RESULT at their places in the vector; rank r's block is block r.
 * These are the blocks from @a first up to but not @a last. */
static mtree_block_t blocks(const mtree_baseline_call_t *call, int first, int last)
{
    return mtree_blocks(call->count, (size_t)call->num_ranks, (size_t)first,
                        (size_t)last);
}

/* The default reduce to rank 0, which then sends the blocks one after the other. */
static void nonoverlapping(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;

    part.root = 0;
    mtree_build_default_reduce(program, &part);
    if (call->rank != 0) {
        mtree_program_recv_block(program, 0, blocks(call, call->rank, call->rank + 1));
        return;
    }
    for (int peer = 1; peer < call->num_ranks; peer++) {
        mtree_program_send_block(program, peer, blocks(call, peer, peer + 1));
    }
}

static void ring(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_program_begin(program, call->count);
    mtree_build_ring_reduce(program, call, 1, 0, 1);
}

/* The ranks that take part are a power of two; one of each pair beyond it sits out. */
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
        mtree_program_send_now(program, call->rank + 1, mtree_result(0), call->count);
        fold->mine = -1;
    } else {
        mtree_program_recv_now(program, call->rank - 1, inbox, call->count);
        mtree_program_fold(program, mtree_result(0), inbox, call->count);
        fold->mine = call->rank / 2;
    }
}

static void halving(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_block_t low, high;
    fold_t fold;
    int mask, peer, first = 0;

    mtree_program_begin(program, call->count);
    fold_pairs(program, call, &fold);
    for (mask = fold.power / 2; mask > 0 && fold.mine >= 0; mask /= 2) {
        peer = rank_of(&fold, fold.mine ^ mask);
        low = shares(call, &fold, first, first + mask);
        high = shares(call, &fold, first + mask, first + 2 * mask);
        if ((fold.mine & mask) == 0) {
            mtree_program_swap_and_fold(program, peer, high, MTREE_BUFFER_INBOX, low);
        } else {
            mtree_program_swap_and_fold(program, peer, low, MTREE_BUFFER_INBOX, high);
            first += mask;
        }
    }
    if (call->rank >= 2 * fold.excess) {
        return;
    }
    if (call->rank % 2 == 0) {
        mtree_program_recv_block(program, call->rank + 1,
                                 blocks(call, call->rank, call->rank + 1));
    } else {
        mtree_program_send_block(program, call->rank - 1,
                                 blocks(call, call->rank - 1, call->rank));
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

    if (owner < fold->excess) {
        mtree_program_send_block(program, peer - 1, blocks(call, peer - 1, peer));
    }
    if (owner != fold->mine) {
        mtree_program_exchange_blocks(program, peer, blocks(call, peer, peer + 1), peer,
                                      blocks(call, call->rank, call->rank + 1));
    }
}

static void butterfly(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_block_t low, high;
    fold_t fold;
    int mask, peer, first = 0, width, bits = 0;

    mtree_program_begin(program, call->count);
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
            mtree_program_swap_and_fold(program, peer, high, MTREE_BUFFER_INBOX, low);
        } else {
            mtree_program_swap_and_fold(program, peer, low, MTREE_BUFFER_INBOX, high);
            first += width;
        }
    }
    if (fold.mine >= 0) {
        hand_over(program, call, &fold, bits);
        return;
    }
    mtree_program_recv_block(program, rank_of(&fold, mirror(call->rank / 2, bits)),
                             blocks(call, call->rank, call->rank + 1));
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_REDUCE_SCATTER, "non-overlapping", false, nonoverlapping, NULL},
    {MTREE_REDUCE_SCATTER, "recursive_halving", false, halving, NULL},
    {MTREE_REDUCE_SCATTER, "ring", false, ring, NULL},
    {MTREE_REDUCE_SCATTER, "butterfly", false, butterfly, NULL},
};

/* clang-format off */
static const mtree_rule_t rules[] = {
    {4, 65536, "ring"}, {4, 131072, "butterfly"}, {4, MTREE_ANY, "ring"},
    {8, 8, "non-overlapping"}, {8, 262144, "recursive_halving"}, {8, MTREE_ANY, "ring"},
    {32, 262144, "recursive_halving"}, {32, MTREE_ANY, "ring"},
    {64, 64, "non-overlapping"}, {64, 2048, "recursive_halving"},
    {64, 524288, "butterfly"}, {64, MTREE_ANY, "ring"},
    {128, 256, "non-overlapping"}, {128, 512, "recursive_halving"},
    {128, 2048, "butterfly"}, {128, 4096, "recursive_halving"},
    {128, MTREE_ANY, "butterfly"},
    {256, 256, "non-overlapping"}, {256, 512, "recursive_halving"},
    {256, MTREE_ANY, "butterfly"},
    {512, 256, "non-overlapping"}, {512, 1024, "recursive_halving"},
    {512, MTREE_ANY, "butterfly"},
    {1024, 512, "non-overlapping"}, {1024, 2048, "recursive_halving"},
    {1024, 8192, "butterfly"}, {1024, 16384, "recursive_halving"},
    {1024, MTREE_ANY, "butterfly"},
    {2048, 512, "non-overlapping"}, {2048, 4096, "recursive_halving"},
    {2048, 16384, "butterfly"}, {2048, 32768, "recursive_halving"},
    {2048, MTREE_ANY, "butterfly"},
    {4096, 512, "non-overlapping"}, {4096, 4096, "recursive_halving"},
    {4096, MTREE_ANY, "butterfly"},
    {MTREE_ANY, 1024, "non-overlapping"}, {MTREE_ANY, 8192, "recursive_halving"},
    {MTREE_ANY, MTREE_ANY, "butterfly"},
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_reduce_scatter = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules};

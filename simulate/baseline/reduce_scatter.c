/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* The sums are made in RESULT at their places in the vector; rank r's block is block r.
 */

/* The default reduce to rank 0, which then sends the blocks one after the other. */
static void nonoverlapping(const mtree_baseline_call_t *call)
{
    mtree_build_default(call, MTREE_REDUCE);
    for (int peer = 1; peer < call->num_ranks; peer++) {
        mtree_add_transfer(call, 0, peer, mtree_blocks(call, peer, 1));
    }
}

static void ring(const mtree_baseline_call_t *call)
{
    mtree_add_input(call);
    mtree_build_ring_reduce(call, 1, 0, 1);
}

/* The blocks of @a num of those that take part and of their pairs: of the numbers that
 * differ from @a number in the lowest bits alone. */
static mtree_block_t shares(const mtree_baseline_call_t *call,
                            const mtree_members_t *pairs, int number, int num)
{
    const int excess = pairs->excess;
    const int first = number / num * num, last = first + num;
    const int from = first < excess ? 2 * first : first + excess;
    const int to = last < excess ? 2 * last : last + excess;

    return mtree_blocks(call, from, to - from);
}

static void halving(const mtree_baseline_call_t *call)
{
    const mtree_members_t pairs = mtree_build_pairs(call);

    mtree_build_halving(call, &pairs, shares, false);
    mtree_add_to_sitting(call, &pairs,
                         mtree_blocks(call, call->rank - call->rank % 2, 1));
}

/* A number of those that take part with its bits in reverse order. */
static int mirror(const mtree_members_t *pairs, int number)
{
    int mirrored = 0;

    for (int bit = 1; bit < pairs->power; bit *= 2) {
        mirrored = 2 * mirrored + number % 2;
        number /= 2;
    }
    return mirrored;
}

static mtree_block_t mirrored_shares(const mtree_baseline_call_t *call,
                                     const mtree_members_t *pairs, int number, int mask)
{
    return shares(call, pairs, mirror(pairs, number), pairs->power / (2 * mask));
}

/* After the butterfly number p holds what belongs to number mirror(p), and hands it over.
 */
static void hand_over(const mtree_baseline_call_t *call, const mtree_members_t *pairs)
{
    const int owner = mirror(pairs, pairs->mine);
    const int peer = mtree_member_rank(pairs, owner);

    if (owner < pairs->excess) {
        mtree_add_send(call, peer - 1, mtree_blocks(call, peer - 1, 1));
    }
    if (owner != pairs->mine) {
        mtree_add_exchange(call, peer, mtree_blocks(call, peer, 1), peer,
                           mtree_blocks(call, call->rank, 1));
    }
}

static void butterfly(const mtree_baseline_call_t *call)
{
    const mtree_members_t pairs = mtree_build_pairs(call);

    mtree_build_halving(call, &pairs, mirrored_shares, true);
    if (pairs.mine >= 0) {
        hand_over(call, &pairs);
    } else {
        mtree_add_recv(call, mtree_member_rank(&pairs, mirror(&pairs, call->rank / 2)),
                       mtree_blocks(call, call->rank, 1));
    }
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
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, NULL};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* Copy the input to block @a index of the result. */
static void begin(const mtree_baseline_call_t *call, int index)
{
    mtree_add_copy(call, index, MTREE_BUFFER_INPUT, 0);
}

/* A binomial gather, which is what Open MPI gathers by from 8 ranks on, and its default
 * broadcast. */
static void linear(const mtree_baseline_call_t *call)
{
    mtree_build_binomial_gather(call);
    mtree_build_default(call, MTREE_BCAST);
}

/* Blocks are kept in the order of the ranks from the own one on, and rotated at the end.
 */
static void bruck(const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;

    begin(call, 0);
    for (int distance = 1; distance < size; distance *= 2) {
        const int num = distance <= size / 2 ? distance : size - distance;

        mtree_add_exchange(
            call, mtree_around(call, call->rank - distance), mtree_blocks(call, 0, num),
            mtree_around(call, call->rank + distance), mtree_blocks(call, distance, num));
    }
    mtree_add_rotation(call, MTREE_BUFFER_RESULT, call->rank);
}

/* For a power of two only; Open MPI takes Bruck's algorithm for other numbers. */
static void doubling(const mtree_baseline_call_t *call)
{
    if (mtree_power_of_two(call->num_ranks) != call->num_ranks) {
        bruck(call);
        return;
    }
    begin(call, call->rank);
    mtree_build_doubling_gather(call, mtree_blocks);
}

static void ring(const mtree_baseline_call_t *call)
{
    begin(call, call->rank);
    mtree_build_ring_gather(call, call->rank, mtree_blocks);
}

/* Pairs swap their blocks, then pairs of blocks go alternately to the right and to the
 * left; for an even number of ranks only, Open MPI takes the ring for an odd one. */
static void neighbor(const mtree_baseline_call_t *call)
{
    const int right = call->rank % 2 == 0 ? 1 : -1; /* the side of the own pair */
    int received[2], sent, peer;

    if (call->num_ranks % 2 != 0) {
        ring(call);
        return;
    }
    begin(call, call->rank);
    peer = mtree_around(call, call->rank + right);
    mtree_add_exchange(call, peer, mtree_blocks(call, call->rank, 1), peer,
                       mtree_blocks(call, peer, 1));
    sent = call->rank - call->rank % 2;
    received[0] = sent;
    received[1] = sent;
    for (int i = 1; i < call->num_ranks / 2; i++) {
        const int side = i % 2 == 0 ? right : -right;

        peer = mtree_around(call, call->rank + side);
        received[i % 2] = mtree_around(call, received[i % 2] + 2 * side);
        mtree_add_exchange(call, peer, mtree_blocks(call, sent, 2), peer,
                           mtree_blocks(call, received[i % 2], 2));
        sent = received[i % 2];
    }
}

/* The ring with two ranks is the algorithm for two. */
static const mtree_baseline_t algorithms[] = {
    {MTREE_ALLGATHER, "linear", false, linear, NULL},
    {MTREE_ALLGATHER, "bruck", false, bruck, NULL},
    {MTREE_ALLGATHER, "recursive_doubling", false, doubling, NULL},
    {MTREE_ALLGATHER, "ring", false, ring, NULL},
    {MTREE_ALLGATHER, "neighbor", false, neighbor, NULL},
    {MTREE_ALLGATHER, "two_proc", false, ring, NULL},
};

/* clang-format off */
static const mtree_rule_t rules[] = {
    {3, MTREE_ANY, "two_proc"},
    {32, MTREE_ANY, "recursive_doubling"},
    {64, 1024, "recursive_doubling"}, {64, 65536, "neighbor"}, {64, MTREE_ANY, "ring"},
    {128, 512, "recursive_doubling"}, {128, 65536, "neighbor"}, {128, MTREE_ANY, "ring"},
    {256, 512, "recursive_doubling"}, {256, 131072, "neighbor"}, {256, 524288, "ring"},
    {256, 1048576, "neighbor"}, {256, MTREE_ANY, "ring"},
    {512, 32, "recursive_doubling"}, {512, 128, "bruck"},
    {512, 1024, "recursive_doubling"}, {512, 131072, "neighbor"}, {512, 524288, "ring"},
    {512, 1048576, "neighbor"}, {512, MTREE_ANY, "ring"},
    {1024, 64, "recursive_doubling"}, {1024, 256, "bruck"},
    {1024, 2048, "recursive_doubling"}, {1024, MTREE_ANY, "neighbor"},
    {2048, 4, "recursive_doubling"}, {2048, 8, "bruck"}, {2048, 16, "recursive_doubling"},
    {2048, 32, "bruck"}, {2048, 256, "recursive_doubling"}, {2048, 512, "bruck"},
    {2048, 4096, "recursive_doubling"}, {2048, MTREE_ANY, "neighbor"},
    {4096, 32, "bruck"}, {4096, 128, "recursive_doubling"}, {4096, 512, "bruck"},
    {4096, 4096, "recursive_doubling"}, {4096, MTREE_ANY, "neighbor"},
    {MTREE_ANY, 2, "recursive_doubling"}, {MTREE_ANY, 8, "bruck"},
    {MTREE_ANY, 16, "recursive_doubling"}, {MTREE_ANY, 512, "bruck"},
    {MTREE_ANY, 4096, "recursive_doubling"}, {MTREE_ANY, MTREE_ANY, "neighbor"},
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_allgather = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, NULL};

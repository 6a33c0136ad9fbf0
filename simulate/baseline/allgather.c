/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* @a num blocks of the result, one per rank, from block @a first on. */
static mtree_block_t blocks(const mtree_baseline_call_t *call, int first, int num)
{
    const size_t length = call->count / (size_t)call->num_ranks;

    return (mtree_block_t){(size_t)first * length, (size_t)num * length};
}

/* Copy the input to block @a index of the result. */
static void begin(mtree_program_t *program, const mtree_baseline_call_t *call, int index)
{
    const mtree_block_t own = blocks(call, index, 1);

    mtree_program_copy(program, mtree_result(own.offset),
                       mtree_place(MTREE_BUFFER_INPUT, 0), own.count);
}

/* A binomial gather, which is what Open MPI gathers by from 8 ranks on, and its default
 * broadcast. */
static void linear(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;
    mtree_rank_tree_t tree;
    int i, child, end = call->rank + 1;

    part.root = 0;
    begin(program, call, call->rank);
    call->tree(call->rank, call->num_ranks, 0, &tree);
    for (i = 0; i < tree.num_children; i++) {
        child = tree.children[i];
        end = child + (child - call->rank);
        end = end < call->num_ranks ? end : call->num_ranks;
        mtree_program_recv_block(program, child, blocks(call, child, end - child));
    }
    if (tree.parent >= 0) {
        mtree_program_send_block(program, tree.parent,
                                 blocks(call, call->rank, end - call->rank));
    }
    mtree_build_default_bcast(program, &part);
}

/* Blocks are kept in the order of the ranks from the own one on, and rotated at the end.
 */
static void bruck(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    const mtree_block_t vector = blocks(call, 0, size);
    const mtree_block_t head = blocks(call, call->rank, size - call->rank);
    int distance, num;

    begin(program, call, 0);
    for (distance = 1; distance < size; distance *= 2) {
        num = distance <= size / 2 ? distance : size - distance;
        mtree_program_exchange_blocks(
            program, (call->rank - distance + size) % size, blocks(call, 0, num),
            (call->rank + distance) % size, blocks(call, distance, num));
    }
    mtree_program_copy(program, mtree_place(MTREE_BUFFER_WORK, 0), mtree_result(0),
                       vector.count);
    mtree_program_copy(program, mtree_result(head.offset),
                       mtree_place(MTREE_BUFFER_WORK, 0), head.count);
    mtree_program_copy(program, mtree_result(0),
                       mtree_place(MTREE_BUFFER_WORK, head.count), head.offset);
}

/* For a power of two only; Open MPI takes Bruck's algorithm for other numbers. */
static void doubling(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    int distance, mine, theirs;

    if (mtree_power_of_two(call->num_ranks) != call->num_ranks) {
        bruck(program, call);
        return;
    }
    begin(program, call, call->rank);
    for (distance = 1; distance < call->num_ranks; distance *= 2) {
        mine = call->rank / distance * distance;
        theirs = mine ^ distance;
        mtree_program_exchange_blocks(program, call->rank ^ distance,
                                      blocks(call, mine, distance), call->rank ^ distance,
                                      blocks(call, theirs, distance));
    }
}

static void ring(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    int k;

    begin(program, call, call->rank);
    for (k = 0; k < size - 1; k++) {
        mtree_program_exchange_blocks(
            program, (call->rank + 1) % size,
            blocks(call, (call->rank - k + size) % size, 1),
            (call->rank + size - 1) % size,
            blocks(call, (call->rank - k - 1 + size) % size, 1));
    }
}

/* Pairs swap their blocks, then pairs of blocks go alternately to the right and to the
 * left; for an even number of ranks only, Open MPI takes the ring for an odd one. */
static void neighbor(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    const bool even = call->rank % 2 == 0;
    const int side[2] = {even ? 1 : size - 1, even ? size - 1 : 1};
    const int offset[2] = {even ? 2 : size - 2, even ? size - 2 : 2};
    int received[2], sent, peer, i;

    if (size % 2 != 0) {
        ring(program, call);
        return;
    }
    begin(program, call, call->rank);
    peer = (call->rank + side[0]) % size;
    mtree_program_exchange_blocks(program, peer, blocks(call, call->rank, 1), peer,
                                  blocks(call, peer, 1));
    sent = call->rank - call->rank % 2;
    received[0] = sent;
    received[1] = sent;
    for (i = 1; i < size / 2; i++) {
        peer = (call->rank + side[i % 2]) % size;
        received[i % 2] = (received[i % 2] + offset[i % 2]) % size;
        mtree_program_exchange_blocks(program, peer, blocks(call, sent, 2), peer,
                                      blocks(call, received[i % 2], 2));
        sent = received[i % 2];
    }
}

/* The ring with two ranks is the algorithm for two. */
static const mtree_baseline_t algorithms[] = {
    {MTREE_ALLGATHER, "linear", false, linear, mtree_tree_in_order_binomial},
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
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules};

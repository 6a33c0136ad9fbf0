/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* The root's vector is in INPUT; each rank's block goes to its place in RESULT. */

/* Copy block @a index of the root's vector to block @a to of the result. */
static void copy_block(const mtree_baseline_call_t *call, int to, int index)
{
    const mtree_block_t block = mtree_even_blocks(call, index, 1);

    mtree_program_copy(call->program, mtree_result(mtree_even_blocks(call, to, 1).offset),
                       mtree_place(MTREE_BUFFER_INPUT, block.offset), block.count);
}

static size_t send_block(const mtree_baseline_call_t *call, int peer)
{
    const mtree_block_t block = mtree_even_blocks(call, peer, 1);

    return mtree_program_send(call->program, peer,
                              mtree_place(MTREE_BUFFER_INPUT, block.offset), block.count);
}

static void recv_own(const mtree_baseline_call_t *call)
{
    mtree_add_recv(call, call->root, mtree_even_blocks(call, call->rank, 1));
}

static void linear(const mtree_baseline_call_t *call)
{
    if (call->rank != call->root) {
        recv_own(call);
        return;
    }
    copy_block(call, call->root, call->root);
    for (int peer = 0; peer < call->num_ranks; peer++) {
        if (peer != call->root) {
            mtree_program_wait(call->program, send_block(call, peer));
        }
    }
}

/* The same, waiting for all sends together. */
static void linear_nb(const mtree_baseline_call_t *call)
{
    size_t first;

    if (call->rank != call->root) {
        recv_own(call);
        return;
    }
    copy_block(call, call->root, call->root);
    first = call->program->num_steps;
    for (int peer = 0; peer < call->num_ranks; peer++) {
        if (peer != call->root) {
            (void)send_block(call, peer);
        }
    }
    mtree_program_wait_all(call->program, first);
}

/* Blocks are kept in the order of the positions, the own one first, until the end. */
static void binomial(const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks, position = mtree_position(call);
    const mtree_rank_tree_t tree =
        mtree_rank_tree(call->tree, call->rank, size, call->root);
    const mtree_block_t kept = mtree_even_blocks(call, position, 1);
    int end = size;

    if (tree.parent >= 0) {
        const int parent = mtree_around(call, tree.parent - call->root);

        end = position + (position - parent);
        end = end < size ? end : size;
        mtree_add_recv(call, tree.parent,
                       mtree_even_blocks(call, position, end - position));
    }
    for (int i = 0; i < size && tree.parent < 0; i++) {
        copy_block(call, i, mtree_around(call, i + call->root));
    }
    for (int i = tree.num_children - 1; i >= 0; i--) {
        const int child = mtree_around(call, tree.children[i] - call->root);

        mtree_add_send(call, tree.children[i],
                       mtree_even_blocks(call, child, end - child));
        end = child;
    }
    mtree_program_copy(call->program,
                       mtree_result(mtree_even_blocks(call, call->rank, 1).offset),
                       mtree_result(kept.offset), kept.count);
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_SCATTER, "basic_linear", false, linear, NULL},
    {MTREE_SCATTER, "binomial", false, binomial, mtree_tree_in_order_binomial},
    {MTREE_SCATTER, "linear_nb", false, linear_nb, NULL},
};

/* clang-format off */
static const mtree_rule_t rules[] = {
    {4, 2, "linear_nb"}, {4, 131072, "basic_linear"}, {4, 262144, "linear_nb"},
    {4, MTREE_ANY, "basic_linear"},
    {8, 2048, "binomial"}, {8, 4096, "basic_linear"}, {8, 8192, "binomial"},
    {8, 32768, "basic_linear"}, {8, 1048576, "linear_nb"}, {8, MTREE_ANY, "basic_linear"},
    {16, 16384, "binomial"}, {16, 1048576, "linear_nb"}, {16, MTREE_ANY, "basic_linear"},
    {32, 16384, "binomial"}, {32, 32768, "basic_linear"}, {32, MTREE_ANY, "linear_nb"},
    {64, 512, "binomial"}, {64, 8192, "linear_nb"}, {64, 16384, "binomial"},
    {64, MTREE_ANY, "linear_nb"},
    {MTREE_ANY, 512, "binomial"}, {MTREE_ANY, MTREE_ANY, "linear_nb"},
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_scatter = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, NULL};

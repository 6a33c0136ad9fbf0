/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* The data is in RESULT, on the root from the beginning. */

/* Send to all children, then wait for all. */
static void send_to_all(const mtree_baseline_call_t *call, const mtree_rank_tree_t *tree,
                        mtree_block_t block)
{
    const size_t first = call->program->num_steps;

    for (int i = 0; i < tree->num_children; i++) {
        (void)mtree_program_send(call->program, tree->children[i],
                                 mtree_result(block.offset), block.count);
    }
    mtree_program_wait_all(call->program, first);
}

/* Send to one child after the other. */
static void send_to_each(const mtree_baseline_call_t *call, const mtree_rank_tree_t *tree,
                         mtree_block_t block)
{
    for (int i = 0; i < tree->num_children; i++) {
        mtree_add_send(call, tree->children[i], block);
    }
}

/* Receive @a block segment by segment and send it on, with the next receive posted; the
 * root has it. */
static void relay(const mtree_baseline_call_t *call, const mtree_rank_tree_t *tree,
                  mtree_block_t block, size_t segment,
                  void (*send)(const mtree_baseline_call_t *call,
                               const mtree_rank_tree_t *tree, mtree_block_t block))
{
    const size_t num_segments = (block.count + segment - 1) / segment;
    size_t request[2] = {0};

    for (size_t i = 0; i <= num_segments; i++) {
        const mtree_block_t next = mtree_block_segment(block, segment, i);

        request[i % 2] =
            mtree_program_recv(call->program, tree->parent, mtree_result(next.offset),
                               tree->parent < 0 ? 0 : next.count);
        if (i > 0) {
            mtree_program_wait(call->program, request[(i - 1) % 2]);
            send(call, tree, mtree_block_segment(block, segment, i - 1));
        }
    }
}

/* Segment by segment down the tree. */
static void tree_bcast(const mtree_baseline_call_t *call)
{
    const size_t segment = call->segment == 0 ? call->count : call->segment;
    const mtree_rank_tree_t tree = mtree_rank_tree(call, call->tree);

    relay(call, &tree, mtree_vector(call), segment, send_to_all);
}

void mtree_build_linear_bcast(const mtree_baseline_call_t *call)
{
    mtree_program_t *program = call->program;
    const size_t first = program->num_steps;

    if (call->rank != call->root) {
        mtree_add_recv(call, call->root, mtree_vector(call));
        return;
    }
    for (int peer = 0; peer < call->num_ranks; peer++) {
        if (peer != call->root) {
            mtree_program_send(program, peer, mtree_result(0), call->count);
        }
    }
    mtree_program_wait_all(call->program, first);
}

/* The root sends one half down each branch, alternately and one segment at a time. */
static void split_root(const mtree_baseline_call_t *call, const mtree_rank_tree_t *tree,
                       const mtree_block_t *half, size_t segment)
{
    for (size_t i = 0; i * segment < half[0].count; i++) {
        for (int side = 0; side < tree->num_children; side++) {
            mtree_add_send(call, tree->children[side],
                           mtree_block_segment(half[side], segment, i));
        }
    }
}

/* Each rank swaps halves with its twin in the other branch; the last of an even number of
 * ranks has none and gets its half from the root. */
static void split_swap(const mtree_baseline_call_t *call, const mtree_block_t *half)
{
    const int side = (mtree_position(call) + 1) % 2;
    const int last = mtree_around(call, call->root - 1);
    const int twin = mtree_around(call, call->rank + (side == 0 ? 1 : -1));
    const bool is_even = call->num_ranks % 2 == 0;

    if (call->rank != call->root && !(is_even && call->rank == last)) {
        mtree_add_exchange(call, twin, half[side], twin, half[1 - side]);
    } else if (is_even) {
        mtree_add_transfer(call, call->root, last, half[1]);
    }
}

/* The left branch of the tree carries one half of the message, the right the other; a
 * leaf receives one segment after the other. */
static void split_bcast(const mtree_baseline_call_t *call)
{
    const mtree_block_t half[2] = {mtree_block(call->count, 2, 0),
                                   mtree_block(call->count, 2, 1)};
    const mtree_block_t mine = half[(mtree_position(call) + 1) % 2];
    const size_t segment = call->segment == 0 ? half[0].count : call->segment;
    const mtree_rank_tree_t tree = mtree_rank_tree(call, call->tree);
    mtree_baseline_call_t whole = *call;

    if (half[1].count == 0 || segment > half[0].count ||
        (call->segment > 0 && segment > half[1].count)) {
        whole.tree = mtree_tree_pipeline;
        tree_bcast(&whole);
        return;
    }
    if (tree.parent < 0) {
        split_root(call, &tree, half, segment);
    } else if (tree.num_children > 0) {
        relay(call, &tree, mine, segment, send_to_each);
    }
    for (size_t i = 0; tree.num_children == 0 && i * segment < mine.count; i++) {
        mtree_add_recv(call, tree.parent, mtree_block_segment(mine, segment, i));
    }
    split_swap(call, half);
}

/* Blocks of ceil(count / ranks), so that the last ones may be short or empty. */
static mtree_block_t scattered(const mtree_baseline_call_t *call, int first, int num)
{
    const size_t size = (size_t)call->num_ranks;
    const size_t block = (call->count + size - 1) / size;
    size_t start = (size_t)first * block;
    size_t end = start + (size_t)num * block;

    start = start < call->count ? start : call->count;
    end = end < call->count ? end : call->count;
    return (mtree_block_t){start, end - start};
}

/* Scatter; false where the message is too short, and was sent linearly. */
static bool begin_scattered(const mtree_baseline_call_t *call)
{
    if (call->count < (size_t)call->num_ranks) {
        mtree_build_linear_bcast(call);
        return false;
    }
    mtree_build_binomial(call, scattered, false);
    return true;
}

static void scatter_allgather_bcast(const mtree_baseline_call_t *call)
{
    if (begin_scattered(call)) {
        mtree_build_doubling_gather(call, scattered);
    }
}

static void scatter_ring_bcast(const mtree_baseline_call_t *call)
{
    if (begin_scattered(call)) {
        mtree_build_ring_gather(call, mtree_position(call), scattered);
    }
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_BCAST, "basic_linear", false, mtree_build_linear_bcast, NULL},
    {MTREE_BCAST, "chain", true, tree_bcast, mtree_tree_chain},
    {MTREE_BCAST, "pipeline", true, tree_bcast, mtree_tree_pipeline},
    {MTREE_BCAST, "split_binary_tree", true, split_bcast, mtree_tree_binary},
    {MTREE_BCAST, "binary_tree", true, tree_bcast, mtree_tree_binary},
    {MTREE_BCAST, "binomial", true, tree_bcast, mtree_tree_binomial},
    {MTREE_BCAST, "knomial", true, tree_bcast, mtree_tree_knomial},
    {MTREE_BCAST, "scatter_allgather", false, scatter_allgather_bcast, NULL},
    {MTREE_BCAST, "scatter_allgather_ring", false, scatter_ring_bcast, NULL},
};

/* clang-format off */
static const mtree_rule_t rules[] = {
    {4, 32, "pipeline"}, {4, 256, "binary_tree"}, {4, 512, "pipeline"},
    {4, 1024, "knomial"}, {4, 32768, "basic_linear"}, {4, 131072, "binary_tree"},
    {4, 262144, "pipeline"}, {4, 524288, "basic_linear"}, {4, 1048576, "binomial"},
    {4, MTREE_ANY, "binary_tree"},
    {8, 64, "binary_tree"}, {8, 128, "binomial"}, {8, 2048, "binary_tree"},
    {8, 8192, "binomial"}, {8, 1048576, "basic_linear"}, {8, MTREE_ANY, "pipeline"},
    {16, 8, "knomial"}, {16, 64, "binary_tree"}, {16, 4096, "knomial"},
    {16, 16384, "binary_tree"}, {16, 32768, "binomial"}, {16, MTREE_ANY, "basic_linear"},
    {32, 4096, "knomial"}, {32, 1048576, "binomial"},
    {32, MTREE_ANY, "scatter_allgather"},
    {64, 2048, "binomial"}, {64, MTREE_ANY, "knomial"},
    {128, MTREE_ANY, "knomial"},
    {256, 2, "binomial"}, {256, 16384, "binary_tree"}, {256, 32768, "basic_linear"},
    {256, 65536, "binary_tree"}, {256, MTREE_ANY, "knomial"},
    {1024, 16384, "knomial"}, {1024, 32768, "split_binary_tree"},
    {1024, MTREE_ANY, "knomial"},
    {2048, 524288, "knomial"}, {2048, MTREE_ANY, "scatter_allgather"},
    {4096, 262144, "knomial"}, {4096, MTREE_ANY, "scatter_allgather"},
    {MTREE_ANY, 8192, "knomial"}, {MTREE_ANY, 16384, "binary_tree"},
    {MTREE_ANY, 262144, "knomial"}, {MTREE_ANY, MTREE_ANY, "scatter_allgather"},
};

static const mtree_rule_t rules_apart[] = {
    {4, MTREE_ANY, "basic_linear"},
    {16, 1048576, "basic_linear"}, {16, MTREE_ANY, "binary_tree"},
    {32, 262144, "basic_linear"}, {32, 1048576, "knomial"},
    {32, MTREE_ANY, "binary_tree"},
    {MTREE_ANY, 65536, "basic_linear"}, {MTREE_ANY, 1048576, "knomial"},
    {MTREE_ANY, MTREE_ANY, "binary_tree"},
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_bcast = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, rules_apart};

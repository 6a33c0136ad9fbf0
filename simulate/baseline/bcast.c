/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* The data is in RESULT on every rank; the root brings it there from INPUT, unless this
 * broadcast is a part of something else. */
static void begin(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    if (call->rank == call->root && !call->in_place) {
        mtree_program_begin(program, call->count);
    }
}

/* Send to all children, then wait for all. */
static void send_down(mtree_program_t *program, const mtree_rank_tree_t *tree,
                      mtree_block_t block)
{
    size_t requests[MTREE_TREE_CHILDREN];
    int i;

    for (i = 0; i < tree->num_children; i++) {
        requests[i] = mtree_program_send(program, tree->children[i],
                                         mtree_result(block.offset), block.count);
    }
    for (i = 0; i < tree->num_children; i++) {
        mtree_program_wait(program, requests[i]);
    }
}

/* Segment by segment down the tree, the next one being received while one is sent on. */
static void tree_bcast(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const size_t segment = call->segment == 0 ? call->count : call->segment;
    const size_t num_segments = (call->count + segment - 1) / segment;
    const mtree_block_t vector = {0, call->count};
    mtree_block_t block, previous_block = {0, 0};
    mtree_rank_tree_t tree;
    size_t request, previous = 0;

    begin(program, call);
    call->tree(call->rank, call->num_ranks, call->root, &tree);
    for (size_t i = 0; i < num_segments; i++) {
        block = mtree_block_segment(vector, segment, i);
        if (tree.parent < 0) {
            send_down(program, &tree, block);
            continue;
        }
        request = mtree_program_recv(program, tree.parent, mtree_result(block.offset),
                                     block.count);
        if (i > 0) {
            mtree_program_wait(program, previous);
            send_down(program, &tree, previous_block);
        }
        previous = request;
        previous_block = block;
    }
    if (tree.parent >= 0) {
        mtree_program_wait(program, previous);
        send_down(program, &tree, previous_block);
    }
}

void mtree_build_linear_bcast(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    size_t first = program->num_steps, end, step;
    int peer;

    if (call->rank != call->root) {
        mtree_program_recv_now(program, call->root, mtree_result(0), call->count);
        return;
    }
    for (peer = 0; peer < call->num_ranks; peer++) {
        if (peer != call->root) {
            mtree_program_send(program, peer, mtree_result(0), call->count);
        }
    }
    end = program->num_steps;
    for (step = first; step < end; step++) {
        mtree_program_wait(program, step);
    }
}

static void linear_bcast(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    begin(program, call);
    mtree_build_linear_bcast(program, call);
}

/* The root sends one half down each branch, alternately and one segment at a time. */
static void split_root(mtree_program_t *program, const mtree_rank_tree_t *tree,
                       const mtree_block_t *half, size_t segment)
{
    for (size_t i = 0; i * segment < half[0].count; i++) {
        for (int side = 0; side < tree->num_children && side < 2; side++) {
            mtree_program_send_block(program, tree->children[side],
                                     mtree_block_segment(half[side], segment, i));
        }
    }
}

/* A leaf receives the half of its branch. */
static void split_leaf(mtree_program_t *program, const mtree_rank_tree_t *tree,
                       mtree_block_t half, size_t segment)
{
    for (size_t i = 0; i * segment < half.count; i++) {
        mtree_program_recv_block(program, tree->parent,
                                 mtree_block_segment(half, segment, i));
    }
}

/* The others receive it and send it on, one message at a time, with the next receive
 * posted. */
static void split_branch(mtree_program_t *program, const mtree_rank_tree_t *tree,
                         mtree_block_t half, size_t segment)
{
    const size_t num_segments = (half.count + segment - 1) / segment;
    mtree_block_t block, previous_block = {0, 0};
    size_t request, previous = 0;

    for (size_t i = 0; i <= num_segments; i++) {
        block = mtree_block_segment(half, segment, i);
        request = mtree_program_recv(program, tree->parent, mtree_result(block.offset),
                                     block.count);
        if (i > 0) {
            mtree_program_wait(program, previous);
        }
        for (int child = 0; i > 0 && child < tree->num_children; child++) {
            mtree_program_send_block(program, tree->children[child], previous_block);
        }
        previous = request;
        previous_block = block;
    }
}

/* Each rank swaps halves with its twin in the other branch; the last of an even number of
 * ranks has none and gets its half from the root. */
static void split_swap(mtree_program_t *program, const mtree_baseline_call_t *call,
                       const mtree_block_t *half)
{
    const int size = call->num_ranks;
    const int position = (call->rank - call->root + size) % size;
    const int side = (position + 1) % 2;
    const int last = (call->root + size - 1) % size;
    const int twin = (call->rank + (side == 0 ? 1 : size - 1)) % size;

    if (size % 2 == 0 && call->rank == call->root) {
        mtree_program_send_block(program, last, half[1]);
    } else if (size % 2 == 0 && call->rank == last) {
        mtree_program_recv_block(program, call->root, half[1]);
    } else if (call->rank != call->root) {
        mtree_program_exchange_blocks(program, twin, half[side], twin, half[1 - side]);
    }
}

static void split_bcast(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const mtree_block_t half[2] = {mtree_block(call->count, 2, 0),
                                   mtree_block(call->count, 2, 1)};
    const size_t segment = call->segment == 0 ? half[0].count : call->segment;
    const int position = (call->rank - call->root + call->num_ranks) % call->num_ranks;
    mtree_baseline_call_t whole = *call;
    mtree_rank_tree_t tree;

    if (half[1].count == 0 || segment > half[0].count ||
        (call->segment > 0 && segment > half[1].count)) {
        whole.tree = mtree_tree_pipeline;
        tree_bcast(program, &whole);
        return;
    }
    begin(program, call);
    call->tree(call->rank, call->num_ranks, call->root, &tree);
    if (tree.parent < 0) {
        split_root(program, &tree, half, segment);
    } else if (tree.num_children == 0) {
        split_leaf(program, &tree, half[(position + 1) % 2], segment);
    } else {
        split_branch(program, &tree, half[(position + 1) % 2], segment);
    }
    split_swap(program, call, half);
}

/* Blocks of ceil(count / ranks), so that the last ones may be short or empty. */
static mtree_block_t scattered(const mtree_baseline_call_t *call, int first, int last)
{
    const size_t size = (size_t)call->num_ranks;
    const size_t block = (call->count + size - 1) / size;
    size_t start = (size_t)first * block;
    size_t end = (size_t)last * block;

    start = start < call->count ? start : call->count;
    end = end < call->count ? end : call->count;
    return (mtree_block_t){start, end - start};
}

/* Binomial scatter: position v ends with block v; the lowest bit of v gives how many
 * blocks it forwards. */
static void scatter(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    const int position = (call->rank - call->root + size) % size;
    int mask = 1, end;

    while (mask < size && (position & mask) == 0) {
        mask *= 2;
    }
    end = position + mask < size ? position + mask : size;
    if (position > 0) {
        mtree_program_recv_block(program, (call->rank - mask + size) % size,
                                 scattered(call, position, end));
    }
    for (mask /= 2; mask > 0; mask /= 2) {
        if (position + mask < size) {
            mtree_program_send_block(program, (call->rank + mask) % size,
                                     scattered(call, position + mask, end));
            end = position + mask;
        }
    }
}

/*
 * With a number of ranks that is no power of two some position has no partner at distance
 * `mask`, and gets what its half of the tree received from those that had one, by
 * recursive halving.
 */
static void double_rest(mtree_program_t *program, const mtree_baseline_call_t *call,
                        int position, int mask)
{
    const int size = call->num_ranks;
    const int mine = position / mask * mask;
    const int whole = size - mine - mask; /* partners that there are */
    mtree_block_t block;
    int distance, other, start;

    block = scattered(call, mine + mask, mine + 2 * mask);
    for (distance = mask / 2; distance > 0; distance /= 2) {
        other = position ^ distance;
        start = position / (2 * distance) * (2 * distance);
        if (other > position && position < start + whole && other >= start + whole) {
            mtree_program_send_block(program, (other + call->root) % size, block);
        } else if (other < position && other < start + whole &&
                   position >= start + whole) {
            mtree_program_recv_block(program, (other + call->root) % size, block);
        }
    }
}

static void scatter_allgather_bcast(mtree_program_t *program,
                                    const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    const int position = (call->rank - call->root + size) % size;
    mtree_block_t mine, theirs;
    int mask, other;

    begin(program, call);
    if (call->count < (size_t)size) {
        mtree_build_linear_bcast(program, call);
        return;
    }
    scatter(program, call);
    for (mask = 1; mask < size; mask *= 2) {
        other = position ^ mask;
        mine = scattered(call, position / mask * mask, position / mask * mask + mask);
        theirs = scattered(call, other / mask * mask, other / mask * mask + mask);
        if (other < size) {
            mtree_program_exchange_blocks(program, (other + call->root) % size, mine,
                                          (other + call->root) % size, theirs);
        }
        if (other / mask * mask + mask > size) {
            double_rest(program, call, position, mask);
        }
    }
}

static void scatter_ring_bcast(mtree_program_t *program,
                               const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    const int position = (call->rank - call->root + size) % size;
    int k, block, next;

    begin(program, call);
    if (call->count < (size_t)size) {
        mtree_build_linear_bcast(program, call);
        return;
    }
    scatter(program, call);
    for (k = 0; k < size - 1; k++) {
        block = (position - k + size) % size;
        next = (block + size - 1) % size;
        mtree_program_exchange_blocks(
            program, (call->rank + 1) % size, scattered(call, block, block + 1),
            (call->rank + size - 1) % size, scattered(call, next, next + 1));
    }
}

void mtree_build_default_bcast(mtree_program_t *program,
                               const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;

    part.in_place = true;
    mtree_rules_build(&mtree_baselines_bcast, program, &part);
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_BCAST, "basic_linear", false, linear_bcast, NULL},
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
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_bcast = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules};

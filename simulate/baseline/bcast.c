/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/build.h"

/* The data is in RESULT on every rank; the root brings it there from INPUT, unless this
 * broadcast is a part of something else. */
static void begin(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    if (call->rank == call->root && !call->in_place) {
        mtree_program_copy(program, mtree_place(MTREE_BUFFER_RESULT, 0),
                           mtree_place(MTREE_BUFFER_INPUT, 0), call->count);
    }
}

static mtree_place_t result(size_t offset)
{
    return mtree_place(MTREE_BUFFER_RESULT, offset);
}

/* Send to all children, then wait for all. */
static void send_down(mtree_program_t *program, const mtree_rank_tree_t *tree,
                      mtree_block_t block)
{
    size_t requests[MTREE_TREE_CHILDREN];
    int i;

    for (i = 0; i < tree->num_children; i++) {
        requests[i] = mtree_program_send(program, tree->children[i], result(block.offset),
                                         block.count);
    }
    for (i = 0; i < tree->num_children; i++) {
        mtree_program_wait(program, requests[i]);
    }
}

static mtree_block_t segment_of(const mtree_baseline_call_t *call, size_t segment,
                                size_t index)
{
    mtree_block_t block = {index * segment, segment};

    if (block.offset + block.count > call->count) {
        block.count = call->count - block.offset;
    }
    return block;
}

/* Segment by segment down a tree, the next one being received while one is sent on. */
static void tree_bcast(mtree_program_t *program, const mtree_baseline_call_t *call,
                       const mtree_rank_tree_t *tree)
{
    const size_t segment = call->segment == 0 ? call->count : call->segment;
    mtree_block_t block;
    size_t request, previous = 0, start;

    begin(program, call);
    if (tree->parent < 0) {
        for (start = 0; start < call->count; start += segment) {
            send_down(program, tree, segment_of(call, segment, start / segment));
        }
        return;
    }
    for (start = 0; start < call->count; start += segment) {
        block = segment_of(call, segment, start / segment);
        request = mtree_program_recv(program, tree->parent, result(start), block.count);
        if (start > 0) {
            mtree_program_wait(program, previous);
            send_down(program, tree, segment_of(call, segment, start / segment - 1));
        }
        previous = request;
    }
    mtree_program_wait(program, previous);
    send_down(program, tree, segment_of(call, segment, (start - segment) / segment));
}

void mtree_build_linear_bcast(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    size_t first = program->num_steps, end, step;
    int peer;

    if (call->rank != call->root) {
        mtree_program_recv_now(program, call->root, result(0), call->count);
        return;
    }
    for (peer = 0; peer < call->num_ranks; peer++) {
        if (peer != call->root) {
            mtree_program_send(program, peer, result(0), call->count);
        }
    }
    end = program->num_steps;
    for (step = first; step < end; step++) {
        mtree_program_wait(program, step);
    }
}

void mtree_build_bcast_linear(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    begin(program, call);
    mtree_build_linear_bcast(program, call);
}

void mtree_build_bcast_chain(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_rank_tree_t tree;

    mtree_tree_chain(call->rank, call->num_ranks, call->root, MTREE_CHAIN_FANOUT, &tree);
    tree_bcast(program, call, &tree);
}

void mtree_build_bcast_pipeline(mtree_program_t *program,
                                const mtree_baseline_call_t *call)
{
    mtree_rank_tree_t tree;

    mtree_tree_chain(call->rank, call->num_ranks, call->root, 1, &tree);
    tree_bcast(program, call, &tree);
}

void mtree_build_bcast_binary(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_rank_tree_t tree;

    mtree_tree_binary(call->rank, call->num_ranks, call->root, &tree);
    tree_bcast(program, call, &tree);
}

void mtree_build_bcast_binomial(mtree_program_t *program,
                                const mtree_baseline_call_t *call)
{
    mtree_rank_tree_t tree;

    mtree_tree_binomial(call->rank, call->num_ranks, call->root, &tree);
    tree_bcast(program, call, &tree);
}

void mtree_build_bcast_knomial(mtree_program_t *program,
                               const mtree_baseline_call_t *call)
{
    mtree_rank_tree_t tree;

    mtree_tree_knomial(call->rank, call->num_ranks, call->root, MTREE_KNOMIAL_RADIX,
                       &tree);
    tree_bcast(program, call, &tree);
}

/* The root sends one half down each branch, by turns and one at a time. */
static void split_root(mtree_program_t *program, const mtree_rank_tree_t *tree,
                       const mtree_block_t *half, size_t segment)
{
    size_t start, length;
    int side;

    for (start = 0; start < half[0].count; start += segment) {
        for (side = 0; side < tree->num_children && side < 2; side++) {
            if (start >= half[side].count) {
                continue;
            }
            length = half[side].count - start;
            mtree_program_send_now(program, tree->children[side],
                                   result(half[side].offset + start),
                                   length < segment ? length : segment);
        }
    }
}

/* A leaf receives the half of its branch. */
static void split_leaf(mtree_program_t *program, const mtree_rank_tree_t *tree,
                       mtree_block_t half, size_t segment)
{
    size_t start, length;

    for (start = 0; start < half.count; start += segment) {
        length = half.count - start;
        mtree_program_recv_now(program, tree->parent, result(half.offset + start),
                               length < segment ? length : segment);
    }
}

/* The others receive it and send it on, one message at a time, with the next receive
 * posted. */
static void split_branch(mtree_program_t *program, const mtree_rank_tree_t *tree,
                         mtree_block_t half, size_t segment)
{
    size_t start, request = 0, previous = 0, length = 0, last_length = 0;
    int i;

    for (start = 0; start <= half.count + segment - 1; start += segment) {
        last_length = length;
        if (start < half.count) {
            length = half.count - start < segment ? half.count - start : segment;
            request = mtree_program_recv(program, tree->parent,
                                         result(half.offset + start), length);
        }
        if (start > 0) {
            mtree_program_wait(program, previous);
            for (i = 0; i < tree->num_children; i++) {
                mtree_program_send_now(program, tree->children[i],
                                       result(half.offset + start - segment),
                                       last_length);
            }
        }
        previous = request;
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
        mtree_program_send_now(program, last, result(half[1].offset), half[1].count);
    } else if (size % 2 == 0 && call->rank == last) {
        mtree_program_recv_now(program, call->root, result(half[1].offset),
                               half[1].count);
    } else if (call->rank != call->root) {
        mtree_program_exchange(program, twin, result(half[side].offset), half[side].count,
                               twin, result(half[1 - side].offset), half[1 - side].count);
    }
}

void mtree_build_bcast_split_binary(mtree_program_t *program,
                                    const mtree_baseline_call_t *call)
{
    const mtree_block_t half[2] = {mtree_block(call->count, 2, 0),
                                   mtree_block(call->count, 2, 1)};
    const size_t segment = call->segment == 0 ? half[0].count : call->segment;
    const int position = (call->rank - call->root + call->num_ranks) % call->num_ranks;
    mtree_rank_tree_t tree;

    if (half[1].count == 0 || segment > half[0].count ||
        (call->segment > 0 && segment > half[1].count)) {
        mtree_build_bcast_pipeline(program, call);
        return;
    }
    begin(program, call);
    mtree_tree_binary(call->rank, call->num_ranks, call->root, &tree);
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

/* Binomial scatter: position v ends with block v; the lowest bit of v says how much goes
 * through. */
static void scatter(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    const int position = (call->rank - call->root + size) % size;
    mtree_block_t block;
    int mask = 1, end;

    while (mask < size && (position & mask) == 0) {
        mask *= 2;
    }
    end = position + mask < size ? position + mask : size;
    if (position > 0) {
        block = scattered(call, position, end);
        mtree_program_recv_now(program, (call->rank - mask + size) % size,
                               result(block.offset), block.count);
    }
    for (mask /= 2; mask > 0; mask /= 2) {
        if (position + mask < size) {
            block = scattered(call, position + mask, end);
            mtree_program_send_now(program, (call->rank + mask) % size,
                                   result(block.offset), block.count);
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
            mtree_program_send_now(program, (other + call->root) % size,
                                   result(block.offset), block.count);
        } else if (other < position && other < start + whole &&
                   position >= start + whole) {
            mtree_program_recv_now(program, (other + call->root) % size,
                                   result(block.offset), block.count);
        }
    }
}

void mtree_build_bcast_scatter_allgather(mtree_program_t *program,
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
            mtree_program_exchange(
                program, (other + call->root) % size, result(mine.offset), mine.count,
                (other + call->root) % size, result(theirs.offset), theirs.count);
        }
        if (other / mask * mask + mask > size) {
            double_rest(program, call, position, mask);
        }
    }
}

void mtree_build_bcast_scatter_ring(mtree_program_t *program,
                                    const mtree_baseline_call_t *call)
{
    const int size = call->num_ranks;
    const int position = (call->rank - call->root + size) % size;
    mtree_block_t sent, received;
    int k, block;

    begin(program, call);
    if (call->count < (size_t)size) {
        mtree_build_linear_bcast(program, call);
        return;
    }
    scatter(program, call);
    for (k = 0; k < size - 1; k++) {
        block = (position - k + size) % size;
        sent = scattered(call, block, block + 1);
        block = (block + size - 1) % size;
        received = scattered(call, block, block + 1);
        mtree_program_exchange(program, (call->rank + 1) % size, result(sent.offset),
                               sent.count, (call->rank + size - 1) % size,
                               result(received.offset), received.count);
    }
}

void mtree_build_default_bcast(mtree_program_t *program,
                               const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;

    part.segment = 0;
    part.in_place = true;
    mtree_baseline_default(MTREE_BCAST, call->num_ranks,
                           call->count * call->element_bytes)
        ->build(program, &part);
}

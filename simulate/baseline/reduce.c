/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/build.h"

/* Where a rank gathers its part of the sum. */
static mtree_place_t sum(const mtree_baseline_call_t *call, size_t offset)
{
    return mtree_place(call->rank == call->root ? MTREE_BUFFER_RESULT : MTREE_BUFFER_WORK,
                       offset);
}

/* Segment by segment, every message to its end before the next. */
static void send_up(mtree_program_t *program, const mtree_baseline_call_t *call,
                    int parent, size_t segment)
{
    size_t start, length;

    for (start = 0; start < call->count; start += segment) {
        length = call->count - start;
        mtree_program_send_now(program, parent, mtree_place(MTREE_BUFFER_INPUT, start),
                               length < segment ? length : segment);
    }
}

/*
 * Up a tree: the messages, ordered by segment and then by child, are received one ahead.
 * The first child's goes where the sum is made and the own input is added to it; those of
 * the others come in by turns in two inboxes.
 */
static void tree_reduce(mtree_program_t *program, const mtree_baseline_call_t *call,
                        const mtree_rank_tree_t *tree)
{
    const size_t segment = call->segment == 0 ? call->count : call->segment;
    const size_t children = (size_t)tree->num_children;
    const size_t messages = children * ((call->count + segment - 1) / segment);
    mtree_place_t inbox, previous_inbox = {0};
    size_t k, start, length, previous_length = 0, request, previous = 0;

    if (children == 0) {
        send_up(program, call, tree->parent, segment);
        return;
    }
    for (k = 0; k <= messages; k++) {
        start = k / children * segment;
        length = 0;
        inbox = previous_inbox;
        request = previous;
        if (k < messages) {
            length = call->count - start < segment ? call->count - start : segment;
            inbox = k % children == 0 ? sum(call, start)
                                      : mtree_place(MTREE_BUFFER_INBOX, k % 2 * segment);
            request =
                mtree_program_recv(program, tree->children[k % children], inbox, length);
        }
        if (k > 0) {
            start = (k - 1) / children * segment;
            mtree_program_wait(program, previous);
            mtree_program_fold(program, sum(call, start),
                               (k - 1) % children == 0
                                   ? mtree_place(MTREE_BUFFER_INPUT, start)
                                   : previous_inbox,
                               previous_length);
            if (k % children == 0 && tree->parent >= 0) {
                mtree_program_send_now(program, tree->parent, sum(call, start),
                                       previous_length);
            }
        }
        previous = request;
        previous_inbox = inbox;
        previous_length = length;
    }
}

void mtree_build_linear_reduce(mtree_program_t *program,
                               const mtree_baseline_call_t *call)
{
    const mtree_place_t input = mtree_place(MTREE_BUFFER_INPUT, 0);
    const mtree_place_t result = mtree_place(MTREE_BUFFER_RESULT, 0);
    const mtree_place_t inbox = mtree_place(MTREE_BUFFER_INBOX, 0);
    int peer = call->num_ranks - 1;

    if (call->rank != call->root) {
        mtree_program_send_now(program, call->root, input, call->count);
        return;
    }
    if (call->rank == peer) {
        mtree_program_copy(program, result, input, call->count);
    } else {
        mtree_program_recv_now(program, peer, result, call->count);
    }
    for (peer--; peer >= 0; peer--) {
        if (peer == call->rank) {
            mtree_program_fold(program, result, input, call->count);
        } else {
            mtree_program_recv_now(program, peer, inbox, call->count);
            mtree_program_fold(program, result, inbox, call->count);
        }
    }
}

void mtree_build_reduce_chain(mtree_program_t *program, const mtree_baseline_call_t *call)
{
    mtree_rank_tree_t tree;

    mtree_tree_chain(call->rank, call->num_ranks, call->root, MTREE_CHAIN_FANOUT, &tree);
    tree_reduce(program, call, &tree);
}

void mtree_build_reduce_pipeline(mtree_program_t *program,
                                 const mtree_baseline_call_t *call)
{
    mtree_rank_tree_t tree;

    mtree_tree_chain(call->rank, call->num_ranks, call->root, 1, &tree);
    tree_reduce(program, call, &tree);
}

void mtree_build_reduce_binary(mtree_program_t *program,
                               const mtree_baseline_call_t *call)
{
    mtree_rank_tree_t tree;

    mtree_tree_binary(call->rank, call->num_ranks, call->root, &tree);
    tree_reduce(program, call, &tree);
}

void mtree_build_reduce_binomial(mtree_program_t *program,
                                 const mtree_baseline_call_t *call)
{
    mtree_rank_tree_t tree;

    mtree_tree_in_order_binomial(call->rank, call->num_ranks, call->root, &tree);
    tree_reduce(program, call, &tree);
}

/* The tree's root is the last rank; it passes the result on if that is not the one asked
 * for. */
void mtree_build_reduce_in_order(mtree_program_t *program,
                                 const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;
    mtree_rank_tree_t tree;

    part.root = call->num_ranks - 1;
    mtree_tree_in_order_binary(call->rank, call->num_ranks, &tree);
    tree_reduce(program, &part, &tree);
    if (part.root == call->root) {
        return;
    }
    if (call->rank == part.root) {
        mtree_program_send_now(program, call->root, mtree_place(MTREE_BUFFER_RESULT, 0),
                               call->count);
    } else if (call->rank == call->root) {
        mtree_program_recv_now(program, part.root, mtree_place(MTREE_BUFFER_RESULT, 0),
                               call->count);
    }
}

/* A root that was left out takes the place of rank 0, which gives it what it has. */
static void swap_root(mtree_program_t *program, const mtree_baseline_call_t *call,
                      mtree_vector_halving_t *halving)
{
    const int last = halving->num_steps - 1;
    size_t window = call->count;
    mtree_block_t *kept;
    int s;

    if (call->rank == 0) {
        kept = &halving->kept[last];
        mtree_program_send_now(program, call->root,
                               mtree_place(MTREE_BUFFER_RESULT, kept->offset),
                               kept->count);
        halving->new_rank = -1;
    } else if (call->rank == call->root) {
        for (s = 0; s <= last; s++) {
            halving->kept[s] = (mtree_block_t){0, window / 2};
            halving->given[s] = (mtree_block_t){window / 2, window - window / 2};
            window /= 2;
        }
        kept = &halving->kept[last];
        mtree_program_recv_now(program, 0, mtree_place(MTREE_BUFFER_RESULT, kept->offset),
                               kept->count);
        halving->new_rank = 0;
    }
}

/* Gather to the root along the halving's steps, the last one first. */
static void gather(mtree_program_t *program, const mtree_baseline_call_t *call,
                   const mtree_vector_halving_t *halving, bool swapped)
{
    int root = call->root - halving->excess;
    int s, partner, peer;

    if (call->root < 2 * halving->excess) {
        root = swapped ? 0 : call->root / 2;
    }
    for (s = halving->num_steps - 1; s >= 0; s--) {
        partner = halving->new_rank ^ (1 << s);
        peer = mtree_vector_halving_rank(halving, partner);
        if (partner == 0 && swapped) {
            peer = call->root;
        }
        if (partner >> s == root >> s) {
            mtree_program_send_now(
                program, peer, mtree_place(MTREE_BUFFER_RESULT, halving->kept[s].offset),
                halving->kept[s].count);
            return;
        }
        mtree_program_recv_now(program, peer,
                               mtree_place(MTREE_BUFFER_RESULT, halving->given[s].offset),
                               halving->given[s].count);
    }
}

void mtree_build_reduce_rabenseifner(mtree_program_t *program,
                                     const mtree_baseline_call_t *call)
{
    mtree_vector_halving_t halving;
    bool swapped;

    if (call->num_ranks < 2 ||
        call->count < (size_t)mtree_power_of_two(call->num_ranks)) {
        mtree_build_linear_reduce(program, call);
        return;
    }
    mtree_build_vector_halving(program, call, &halving);
    swapped = call->root < 2 * halving.excess && call->root % 2 != 0;
    if (swapped) {
        swap_root(program, call, &halving);
    }
    if (halving.new_rank >= 0) {
        gather(program, call, &halving, swapped);
    }
}

void mtree_build_default_reduce(mtree_program_t *program,
                                const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;

    part.segment = 0;
    mtree_baseline_default(MTREE_REDUCE, call->num_ranks,
                           call->count * call->element_bytes)
        ->build(program, &part);
}

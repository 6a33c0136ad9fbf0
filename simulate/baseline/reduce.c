/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/algorithms.h"

/* Where a rank gathers its part of the sum. */
static mtree_place_t sum(const mtree_baseline_call_t *call, size_t offset)
{
    return mtree_place(call->rank == call->root ? MTREE_BUFFER_RESULT : MTREE_BUFFER_WORK,
                       offset);
}

/* Segment by segment, every message to its end before the next. */
static void send_up(const mtree_baseline_call_t *call, int parent, size_t length)
{
    const mtree_block_t vector = mtree_vector(call);

    for (size_t i = 0; i * length < call->count; i++) {
        mtree_block_t segment = mtree_block_segment(vector, length, i);

        mtree_program_send_now(call->program, parent,
                               mtree_place(MTREE_BUFFER_INPUT, segment.offset),
                               segment.count);
    }
}

/*
 * Up a tree: the messages, ordered by segment and then by child, are received one ahead.
 * The first child's goes where the sum is made and the own input is added to it; those of
 * the others are received alternately in two inboxes.
 */
static void tree_reduce(const mtree_baseline_call_t *call)
{
    const size_t segment = call->segment == 0 ? call->count : call->segment;
    const mtree_block_t vector = mtree_vector(call);
    mtree_place_t inbox, previous_inbox = {0};
    size_t children, messages, request, previous = 0;
    const mtree_rank_tree_t tree =
        mtree_rank_tree(call->tree, call->rank, call->num_ranks, call->root);

    if (tree.num_children == 0) {
        send_up(call, tree.parent, segment);
        return;
    }
    children = (size_t)tree.num_children;
    messages = children * ((call->count + segment - 1) / segment);
    for (size_t k = 0; k <= messages; k++) {
        mtree_block_t block = mtree_block_segment(vector, segment, k / children);

        inbox = k % children == 0 ? sum(call, block.offset)
                                  : mtree_place(MTREE_BUFFER_INBOX, k % 2 * segment);
        request = mtree_program_recv(call->program, tree.children[k % children], inbox,
                                     k < messages ? block.count : 0);
        if (k > 0) {
            block = mtree_block_segment(vector, segment, (k - 1) / children);
            mtree_program_wait(call->program, previous);
            mtree_program_fold(call->program, sum(call, block.offset),
                               (k - 1) % children == 0
                                   ? mtree_place(MTREE_BUFFER_INPUT, block.offset)
                                   : previous_inbox,
                               block.count);
            if (k % children == 0 && tree.parent >= 0) {
                mtree_program_send_now(call->program, tree.parent,
                                       sum(call, block.offset), block.count);
            }
        }
        previous = request;
        previous_inbox = inbox;
    }
}

void mtree_build_linear_reduce(const mtree_baseline_call_t *call)
{
    const mtree_place_t input = mtree_place(MTREE_BUFFER_INPUT, 0);
    const mtree_place_t result = mtree_result(0);
    int peer = call->num_ranks - 1;

    if (call->rank != call->root) {
        mtree_program_send_now(call->program, call->root, input, call->count);
        return;
    }
    if (call->rank == peer) {
        mtree_program_copy(call->program, result, input, call->count);
    } else {
        mtree_program_recv_now(call->program, peer, result, call->count);
    }
    for (peer--; peer >= 0; peer--) {
        if (peer == call->rank) {
            mtree_program_fold(call->program, result, input, call->count);
        } else {
            mtree_add_recv_and_fold(call, peer);
        }
    }
}

/* The tree's root is the last rank; it passes the result on if that is not the one asked
 * for. */
static void in_order_reduce(const mtree_baseline_call_t *call)
{
    mtree_baseline_call_t part = *call;

    part.root = call->num_ranks - 1;
    tree_reduce(&part);
    mtree_add_transfer(call, part.root, call->root, mtree_vector(call));
}

/* A root that was left out takes the place of rank 0, which gives it what it has. */
static void swap_root(const mtree_baseline_call_t *call, mtree_vector_halving_t *halving)
{
    size_t window = call->count;
    int s;

    for (s = 0; call->rank == call->root && 1 << s < halving->members.power; s++) {
        halving->kept[s] = (mtree_block_t){0, window / 2};
        halving->given[s] = (mtree_block_t){window / 2, window - window / 2};
        window /= 2;
        halving->num_steps = s + 1;
    }
    mtree_add_transfer(
        call, 0, call->root,
        halving->kept[halving->num_steps > 0 ? halving->num_steps - 1 : 0]);
    if (call->rank == 0 || call->rank == call->root) {
        halving->members.mine = call->rank == 0 ? -1 : 0;
    }
}

/* Gather to the root along the halving's steps, the last one first. */
static void gather(const mtree_baseline_call_t *call,
                   const mtree_vector_halving_t *halving, bool swapped)
{
    int root = call->root - halving->members.excess;
    int s, partner, peer;

    if (call->root < 2 * halving->members.excess) {
        root = swapped ? 0 : call->root / 2;
    }
    for (s = halving->num_steps - 1; s >= 0; s--) {
        partner = halving->members.mine ^ (1 << s);
        peer = mtree_member_rank(&halving->members, partner);
        if (partner == 0 && swapped) {
            peer = call->root;
        }
        if (partner >> s == root >> s) {
            mtree_add_send(call, peer, halving->kept[s]);
            return;
        }
        mtree_add_recv(call, peer, halving->given[s]);
    }
}

static void rabenseifner(const mtree_baseline_call_t *call)
{
    mtree_vector_halving_t halving;
    bool swapped;

    if (call->num_ranks < 2 ||
        call->count < (size_t)mtree_power_of_two(call->num_ranks)) {
        mtree_build_linear_reduce(call);
        return;
    }
    mtree_build_vector_halving(call, &halving);
    swapped = call->root < 2 * halving.members.excess && call->root % 2 != 0;
    if (swapped) {
        swap_root(call, &halving);
    }
    if (halving.members.mine >= 0) {
        gather(call, &halving, swapped);
    }
}

static const mtree_baseline_t algorithms[] = {
    {MTREE_REDUCE, "linear", false, mtree_build_linear_reduce, NULL},
    {MTREE_REDUCE, "chain", true, tree_reduce, mtree_tree_chain},
    {MTREE_REDUCE, "pipeline", true, tree_reduce, mtree_tree_pipeline},
    {MTREE_REDUCE, "binary", true, tree_reduce, mtree_tree_binary},
    {MTREE_REDUCE, "binomial", true, tree_reduce, mtree_tree_in_order_binomial},
    {MTREE_REDUCE, "in-order_binary", true, in_order_reduce, mtree_tree_in_order_binary},
    {MTREE_REDUCE, "rabenseifner", false, rabenseifner, NULL},
};

/* clang-format off */
static const mtree_rule_t rules[] = {
    {4, 8, "rabenseifner"}, {4, 16, "binary"}, {4, 32, "pipeline"}, {4, 262144, "linear"},
    {4, MTREE_ANY, "pipeline"},
    {8, 4096, "binary"}, {8, 65536, "pipeline"}, {8, 262144, "binomial"},
    {8, 524288, "linear"}, {8, 1048576, "binomial"}, {8, MTREE_ANY, "linear"},
    {16, 8192, "binary"}, {16, MTREE_ANY, "binomial"},
    {32, 4096, "binary"}, {32, MTREE_ANY, "binomial"},
    {256, MTREE_ANY, "binomial"},
    {512, 8192, "binomial"}, {512, 16384, "in-order_binary"},
    {512, MTREE_ANY, "binomial"},
    {2048, MTREE_ANY, "binomial"},
    {4096, 512, "binomial"}, {4096, 1024, "in-order_binary"}, {4096, 8192, "binomial"},
    {4096, 16384, "in-order_binary"}, {4096, MTREE_ANY, "binomial"},
    {MTREE_ANY, 16, "binomial"}, {MTREE_ANY, 32, "in-order_binary"},
    {MTREE_ANY, 1024, "binomial"}, {MTREE_ANY, 2048, "in-order_binary"},
    {MTREE_ANY, 8192, "binomial"}, {MTREE_ANY, 16384, "in-order_binary"},
    {MTREE_ANY, MTREE_ANY, "binomial"},
};
/* clang-format on */

const mtree_baseline_list_t mtree_baselines_reduce = {
    algorithms, sizeof(algorithms) / sizeof(algorithms[0]), rules, NULL};

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
    const mtree_place_t inbox[2] = {mtree_place(MTREE_BUFFER_INBOX, 0),
                                    mtree_place(MTREE_BUFFER_INBOX, segment)};
    size_t children, messages, request[2] = {0};
    const mtree_rank_tree_t tree = mtree_rank_tree(call, call->tree);

    if (tree.num_children == 0) {
        send_up(call, tree.parent, segment);
        return;
    }
    children = (size_t)tree.num_children;
    messages = children * ((call->count + segment - 1) / segment);
    for (size_t k = 0; k <= messages; k++) {
        mtree_block_t block = mtree_block_segment(vector, segment, k / children);

        request[k % 2] =
            mtree_program_recv(call->program, tree.children[k % children],
                               k % children == 0 ? sum(call, block.offset) : inbox[k % 2],
                               k < messages ? block.count : 0);
        if (k > 0) {
            block = mtree_block_segment(vector, segment, (k - 1) / children);
            mtree_program_wait(call->program, request[(k - 1) % 2]);
            mtree_program_fold(call->program, sum(call, block.offset),
                               (k - 1) % children == 0
                                   ? mtree_place(MTREE_BUFFER_INPUT, block.offset)
                                   : inbox[(k - 1) % 2],
                               block.count);
            if (k % children == 0 && tree.parent >= 0) {
                mtree_program_send_now(call->program, tree.parent,
                                       sum(call, block.offset), block.count);
            }
        }
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

/* Gather to the root along the halving's steps, the last one first.  A root that was left
 * out is @a swapped: it has taken the place of member 0. */
static void gather(const mtree_baseline_call_t *call, const mtree_members_t *members,
                   bool swapped)
{
    const int root = swapped ? 0 : mtree_member_of(members, call->root);

    for (int mask = members->power / 2; mask > 0; mask /= 2) {
        const int other = members->mine ^ mask;
        const int peer =
            swapped && other == 0 ? call->root : mtree_member_rank(members, other);

        if (other / mask == root / mask) {
            mtree_add_send(call, peer,
                           mtree_vector_window(call, members, members->mine, mask));
            return;
        }
        mtree_add_recv(call, peer, mtree_vector_window(call, members, other, mask));
    }
}

static void rabenseifner(const mtree_baseline_call_t *call)
{
    mtree_members_t members;
    bool swapped;

    if (call->count < (size_t)mtree_power_of_two(call->num_ranks)) {
        mtree_build_linear_reduce(call);
        return;
    }
    members = mtree_build_vector_halving(call);
    swapped = mtree_member_sits(&members, call->root);
    if (swapped) {
        mtree_add_transfer(call, 0, call->root,
                           mtree_vector_window(call, &members, 0, members.power / 2));
        members.mine = call->rank == 0 ? -1 : call->rank == call->root ? 0 : members.mine;
    }
    if (members.mine >= 0) {
        gather(call, &members, swapped);
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/blocks.h"

/* Open MPI's, where the user sets none. */
#define CHAIN_FANOUT  4
#define KNOMIAL_RADIX 4

mtree_rank_tree_t mtree_rank_tree(const mtree_baseline_call_t *call,
                                  mtree_rank_tree_func_t func)
{
    mtree_rank_tree_t tree = {.parent = -1};

    func(mtree_position(call), call->num_ranks, &tree);
    if (tree.parent >= 0) {
        tree.parent = mtree_around(call, tree.parent + call->root);
    }
    for (int i = 0; i < tree.num_children; i++) {
        tree.children[i] = mtree_around(call, tree.children[i] + call->root);
    }
    return tree;
}

static void add_child(mtree_rank_tree_t *tree, int child, int num_ranks)
{
    if (child < num_ranks) {
        tree->children[tree->num_children++] = child;
    }
}

/* Level l holds 2^l positions; the children of a position are 2^l and 2^(l+1) after it.
 */
void mtree_tree_binary(int position, int num_ranks, mtree_rank_tree_t *tree)
{
    const int width = mtree_power_of_two(position + 1);

    if (position > 0) {
        tree->parent = position - width / 2;
        tree->parent -= tree->parent > width - 2 ? width / 2 : 0;
    }
    add_child(tree, position + width, num_ranks);
    add_child(tree, position + 2 * width, num_ranks);
}

/*
 * The last rank of a range is its root; before it comes the left subtree, and before that
 * the right one, which takes half of the range.  Rank r has position r + 1.
 */
void mtree_tree_in_order_binary(int position, int num_ranks, mtree_rank_tree_t *tree)
{
    int first = 1, last = num_ranks, right;

    position = position == 0 ? num_ranks : position;
    while (position != last) {
        tree->parent = last % num_ranks;
        right = (last - first + 1) / 2;
        if (position < first + right) {
            last = first + right - 1;
        } else {
            first += right;
            last--;
        }
    }
    right = (last - first + 1) / 2;
    if (last > first) {
        add_child(tree, last - 1, num_ranks);
    }
    if (last - 1 > first) {
        add_child(tree, first + right - 1, num_ranks);
    }
}

void mtree_tree_binomial(int position, int num_ranks, mtree_rank_tree_t *tree)
{
    int mask = position == 0 ? 1 : 2 * mtree_power_of_two(position);

    if (position > 0) {
        tree->parent = position ^ (mask / 2);
    }
    for (; mask < num_ranks && (position ^ mask) < num_ranks; mask *= 2) {
        add_child(tree, position ^ mask, num_ranks);
    }
}

void mtree_tree_in_order_binomial(int position, int num_ranks, mtree_rank_tree_t *tree)
{
    for (int mask = 1; mask < num_ranks; mask *= 2) {
        if ((position & mask) != 0) {
            tree->parent = position ^ mask;
            return;
        }
        add_child(tree, position ^ mask, num_ranks);
    }
}

void mtree_tree_knomial(int position, int num_ranks, mtree_rank_tree_t *tree)
{
    int mask = 1;

    while (mask < num_ranks && position % (KNOMIAL_RADIX * mask) == 0) {
        mask *= KNOMIAL_RADIX;
    }
    if (mask < num_ranks) {
        tree->parent = position / (KNOMIAL_RADIX * mask) * (KNOMIAL_RADIX * mask);
    }
    for (mask /= KNOMIAL_RADIX; mask > 0; mask /= KNOMIAL_RADIX) {
        for (int i = 1; i < KNOMIAL_RADIX; i++) {
            add_child(tree, position + mask * i, num_ranks);
        }
    }
}

/* The others stand in @a fanout chains under the root, whose lengths differ by one at
 * most. */
static void chains(int position, int num_ranks, int fanout, mtree_rank_tree_t *tree)
{
    for (int i = 0; i < fanout; i++) {
        const mtree_block_t chain =
            mtree_block((size_t)num_ranks - 1, (size_t)fanout, (size_t)i);
        const int first = (int)chain.offset + 1, end = first + (int)chain.count;

        if (position == 0 && first < end) {
            add_child(tree, first, num_ranks);
        } else if (position >= first && position < end) {
            tree->parent = position == first ? 0 : position - 1;
            add_child(tree, position + 1, end);
        }
    }
}

void mtree_tree_chain(int position, int num_ranks, mtree_rank_tree_t *tree)
{
    chains(position, num_ranks, CHAIN_FANOUT, tree);
}

void mtree_tree_pipeline(int position, int num_ranks, mtree_rank_tree_t *tree)
{
    chains(position, num_ranks, 1, tree);
}

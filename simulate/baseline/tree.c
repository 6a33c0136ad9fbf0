/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/tree.h"

#include "simulate/baseline/blocks.h"

#define CHAIN_FANOUT  4
#define KNOMIAL_RADIX 4

static int shifted(int rank, int num_ranks, int root)
{
    return (rank - root + num_ranks) % num_ranks;
}

static void begin(mtree_rank_tree_t *tree)
{
    tree->parent = -1;
    tree->num_children = 0;
}

/* @a child is a position relative to the root. */
static void add_child(mtree_rank_tree_t *tree, int child, int num_ranks, int root)
{
    if (child < num_ranks) {
        tree->children[tree->num_children++] = (child + root) % num_ranks;
    }
}

/* Level l holds 2^l positions; the children of a position are 2^l and 2^(l+1) after it.
 */
void mtree_tree_binary(int rank, int num_ranks, int root, mtree_rank_tree_t *tree)
{
    const int position = shifted(rank, num_ranks, root);
    const int width = mtree_power_of_two(position + 1);
    int parent;

    begin(tree);
    if (position > 0) {
        parent = position - width / 2;
        if (parent > width - 2) {
            parent -= width / 2;
        }
        tree->parent = (parent + root) % num_ranks;
    }
    add_child(tree, position + width, num_ranks, root);
    add_child(tree, position + 2 * width, num_ranks, root);
}

/*
 * The last rank of a range is its root; before it comes the left subtree, and before that
 * the right one, which takes half of the range.
 */
void mtree_tree_in_order_binary(int rank, int num_ranks, int root,
                                mtree_rank_tree_t *tree)
{
    int first = 0, last = num_ranks - 1, right;

    (void)root;
    begin(tree);
    while (rank != last) {
        tree->parent = last;
        right = (last - first + 1) / 2;
        if (rank < first + right) {
            last = first + right - 1;
        } else {
            first += right;
            last--;
        }
    }
    right = (last - first + 1) / 2;
    if (last > first) {
        tree->children[tree->num_children++] = last - 1;
    }
    if (last - 1 > first) {
        tree->children[tree->num_children++] = first + right - 1;
    }
}

void mtree_tree_binomial(int rank, int num_ranks, int root, mtree_rank_tree_t *tree)
{
    const int position = shifted(rank, num_ranks, root);
    int mask = position == 0 ? 1 : 2 * mtree_power_of_two(position);

    begin(tree);
    if (position > 0) {
        tree->parent = ((position ^ (mask / 2)) + root) % num_ranks;
    }
    for (; mask < num_ranks && (position ^ mask) < num_ranks; mask *= 2) {
        add_child(tree, position ^ mask, num_ranks, root);
    }
}

void mtree_tree_in_order_binomial(int rank, int num_ranks, int root,
                                  mtree_rank_tree_t *tree)
{
    const int position = shifted(rank, num_ranks, root);
    int mask;

    begin(tree);
    for (mask = 1; mask < num_ranks; mask *= 2) {
        if ((position & mask) != 0) {
            tree->parent = ((position ^ mask) + root) % num_ranks;
            return;
        }
        add_child(tree, position ^ mask, num_ranks, root);
    }
}

void mtree_tree_knomial(int rank, int num_ranks, int root, mtree_rank_tree_t *tree)
{
    const int position = shifted(rank, num_ranks, root);
    int mask = 1, above, i;

    begin(tree);
    while (mask < num_ranks && position % (KNOMIAL_RADIX * mask) == 0) {
        mask *= KNOMIAL_RADIX;
    }
    if (mask < num_ranks) {
        above = position / (KNOMIAL_RADIX * mask) * (KNOMIAL_RADIX * mask);
        tree->parent = (above + root) % num_ranks;
    }
    for (mask /= KNOMIAL_RADIX; mask > 0; mask /= KNOMIAL_RADIX) {
        for (i = 1; i < KNOMIAL_RADIX; i++) {
            add_child(tree, position + mask * i, num_ranks, root);
        }
    }
}

/* The others stand in @a fanout chains under the root, whose lengths differ by one at
 * most. */
static void chains(int rank, int num_ranks, int root, int fanout, mtree_rank_tree_t *tree)
{
    const int position = shifted(rank, num_ranks, root);
    mtree_block_t chain;
    int i;

    begin(tree);
    for (i = 0; i < fanout; i++) {
        chain = mtree_block((size_t)num_ranks - 1, (size_t)fanout, (size_t)i);
        chain.offset++;
        if (position == 0) {
            if (chain.count > 0) {
                add_child(tree, (int)chain.offset, num_ranks, root);
            }
        } else if ((size_t)position >= chain.offset &&
                   (size_t)position < chain.offset + chain.count) {
            tree->parent = (size_t)position == chain.offset
                               ? root
                               : (position - 1 + root) % num_ranks;
            if ((size_t)position + 1 < chain.offset + chain.count) {
                add_child(tree, position + 1, num_ranks, root);
            }
        }
    }
}

void mtree_tree_chain(int rank, int num_ranks, int root, mtree_rank_tree_t *tree)
{
    chains(rank, num_ranks, root, CHAIN_FANOUT, tree);
}

void mtree_tree_pipeline(int rank, int num_ranks, int root, mtree_rank_tree_t *tree)
{
    chains(rank, num_ranks, root, 1, tree);
}

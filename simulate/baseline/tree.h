/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The trees of ompi/mca/coll/base/coll_base_topo.c, as one rank sees them.
 */
#ifndef MTREE_SIMULATE_BASELINE_TREE_H
#define MTREE_SIMULATE_BASELINE_TREE_H

#define MTREE_TREE_CHILDREN 64

typedef struct mtree_rank_tree {
    int parent; /* -1: the root */
    int num_children;
    int children[MTREE_TREE_CHILDREN];
} mtree_rank_tree_t;

/* Add to @a tree, which has neither, parent and children of position @a position.
 * Positions are the ranks counted from the root. */
typedef void (*mtree_rank_tree_func_t)(int position, int num_ranks,
                                       mtree_rank_tree_t *tree);

void mtree_tree_binary(int position, int num_ranks, mtree_rank_tree_t *tree);
void mtree_tree_binomial(int position, int num_ranks, mtree_rank_tree_t *tree);
void mtree_tree_in_order_binomial(int position, int num_ranks, mtree_rank_tree_t *tree);
void mtree_tree_knomial(int position, int num_ranks, mtree_rank_tree_t *tree);

/* Four chains, and one. */
void mtree_tree_chain(int position, int num_ranks, mtree_rank_tree_t *tree);
void mtree_tree_pipeline(int position, int num_ranks, mtree_rank_tree_t *tree);

/* A binary tree that adds in the order of the ranks; the last rank must be the root. */
void mtree_tree_in_order_binary(int position, int num_ranks, mtree_rank_tree_t *tree);

/* Parent and children of rank @a rank of @a num_ranks in the tree with root @a root. */
mtree_rank_tree_t mtree_rank_tree(mtree_rank_tree_func_t func, int rank, int num_ranks,
                                  int root);

#endif

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

/* Parent and children of rank @a rank of @a num_ranks in the tree with root @a root. */
typedef void (*mtree_rank_tree_func_t)(int rank, int num_ranks, int root,
                                       mtree_rank_tree_t *tree);

void mtree_tree_binary(int rank, int num_ranks, int root, mtree_rank_tree_t *tree);
void mtree_tree_binomial(int rank, int num_ranks, int root, mtree_rank_tree_t *tree);
void mtree_tree_in_order_binomial(int rank, int num_ranks, int root,
                                  mtree_rank_tree_t *tree);
void mtree_tree_knomial(int rank, int num_ranks, int root, mtree_rank_tree_t *tree);

/* Four chains, and one. */
void mtree_tree_chain(int rank, int num_ranks, int root, mtree_rank_tree_t *tree);
void mtree_tree_pipeline(int rank, int num_ranks, int root, mtree_rank_tree_t *tree);

/* A binary tree that adds in the order of the ranks; the last rank is its root, whatever
 * @a root is. */
void mtree_tree_in_order_binary(int rank, int num_ranks, int root,
                                mtree_rank_tree_t *tree);

#endif

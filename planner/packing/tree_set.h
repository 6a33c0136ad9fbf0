/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A set of different trees over the same candidate edges, with rates.
 *
 * Each tree belongs to a group: the root's number when every host has trees of its own
 * (gathering), else 0.
 */
#ifndef MTREE_PLANNER_PACKING_TREE_SET_H
#define MTREE_PLANNER_PACKING_TREE_SET_H

#include "planner/graph/candidates.h"

#include <stdint.h>

typedef struct {
    int group;
    int root;     /* given when directed or where not all hosts are spanned, else the host
                     at the tree's latency centre */
    int height;   /* hops from the root */
    double delay; /* D_t: seconds from the root to the farthest leaf, twice that when
                     undirected */
    double rate;  /* bits/s */
    int *edges;   /* [num_hosts - 1] ascending; -1 behind the last one of fewer */
    int number;   /* of trees that the set got before */
    uint64_t hash;
    bool is_left_out; /* its weight is 0 (mtree_packer_weight) */
} mtree_packed_t;

typedef struct {
    const mtree_candidates_t *candidates;
    int max_height; /* an undirected tree's root is chosen within it where that can be; 0:
                       no limit */
    int num_trees, capacity;
    mtree_packed_t *trees;
    int *slots; /* open hash table of numbers of trees, -1: free; a power of two long */
    int num_slots;
    mtree_arena_t arena; /* of the edges and the scratch */
    struct mtree_tree_set_scratch *scratch;
} mtree_tree_set_t;

/* An empty set, owned by the caller; @a candidates must outlive it. */
mtree_tree_set_t *mtree_tree_set_create(const mtree_candidates_t *candidates,
                                        int max_height);

/* Free; NULL is allowed. */
void mtree_tree_set_destroy(mtree_tree_set_t *set);

/*
 * Add @a rate to that of a tree, which is put into the set unless it is there.  @a edges
 * are copied and may come in any order; @a root is the root, where that is given.
 */
void mtree_tree_set_add(mtree_tree_set_t *set, int group, int root, const int *edges,
                        double rate);

/* A tree with less than this part of its group's rate has none but for rounding. */
#define MTREE_TREE_SET_LEAST_RATE 1e-9

/* Keep the fastest @a max_trees (0: all) of each group, and of those the ones with @a
 * min_rate, but at least one. */
void mtree_tree_set_trim(mtree_tree_set_t *set, int max_trees, double min_rate);

/* Fill in a tree's root, height and delay from its group, edges and (directed) root, as
 * mtree_tree_set_add does; @a set need not have it. */
void mtree_tree_set_measure(const mtree_tree_set_t *set, mtree_packed_t *tree);

/* The parents of a tree's hosts, [num_hosts], -1 for its root and MTREE_PLAN_OUTSIDE for
 * hosts that it does not span; and its hosts in an order in which each comes after its
 * parent, [num_hosts], unless @a order is NULL. */
void mtree_tree_set_parents(const mtree_tree_set_t *set, const mtree_packed_t *tree,
                            int *parent, int *order);

#endif

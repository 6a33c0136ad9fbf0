/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree of an exchange (coll_mtree/control/exchange.h), with rank 0 as its root.
 *
 * The parent of a rank has 0 in place of the rank's lowest digit, to base 8, that is not
 * 0.  So a rank has up to seven children per digit, and the ranks of a subtree are
 * consecutive: the first child follows the rank itself, and each other one the subtree of
 * the child before.
 */
#ifndef COLL_MTREE_CONTROL_EXCHANGE_TREE_H
#define COLL_MTREE_CONTROL_EXCHANGE_TREE_H

#include <stddef.h>

/* The parent of @a rank, which is not 0. */
int coll_mtree_exchange_tree_parent(int rank);

/* The number of ranks in the subtree of @a rank of @a ranks, itself included. */
int coll_mtree_exchange_tree_size(int rank, int ranks);

/* Bytes [begin, end). */
typedef struct {
    size_t begin, end;
} coll_mtree_range_t;

/* Where the parts of @a count ranks from @a first on are, when the parts of all ranks, of
 * @a lengths bytes, follow one another.  A length of 0 stands for the part of the rank
 * before. */
coll_mtree_range_t coll_mtree_exchange_tree_range(const int *lengths, int first,
                                                  int count);

#endif

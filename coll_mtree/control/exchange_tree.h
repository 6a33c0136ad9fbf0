/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tree of an exchange (coll_mtree/control/exchange.h), with rank 0 as its root.
 *
 * The parent of a rank has 0 in place of the rank's lowest digit, to base 8, that is not
 * 0.  So a rank has up to seven children per digit, and the ranks of a subtree are
 * consecutive.
 */
#ifndef COLL_MTREE_CONTROL_EXCHANGE_TREE_H
#define COLL_MTREE_CONTROL_EXCHANGE_TREE_H

/* The parent of @a rank, which is not 0. */
int coll_mtree_exchange_tree_parent(int rank);

/* The number of ranks in the subtree of @a rank of @a ranks, itself included. */
int coll_mtree_exchange_tree_size(int rank, int ranks);

/* The next child of @a rank of @a ranks after its child @a last, or the first after the
 * rank itself; -1: there is none.  Children rise. */
int coll_mtree_exchange_tree_next_child(int rank, int ranks, int last);

#endif

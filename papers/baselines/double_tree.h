/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Double binary tree allreduce as a step schedule: the baseline DBTREE of
 * papers/multitree.txt (section II-C, Fig. 4b).
 */
#ifndef MTREE_PAPERS_BASELINES_DOUBLE_TREE_H
#define MTREE_PAPERS_BASELINES_DOUBLE_TREE_H

#include "papers/baselines/rounds.h"

/*
 * The two trees over @a num_hosts hosts by number: parent[0 .. n-1] of the first,
 * parent[n .. 2n-1] of the second, -1 for the roots.  For an even number of hosts, every
 * host that has children in one tree has at most one in the other; each tree takes half
 * of the message.
 */
void mtree_double_tree_parents(int num_hosts, int *parent);

/*
 * Reduce and broadcast of @a num_chunks chunks per tree, pipelined: every transfer is in
 * the first step after those that it needs in which its sender sends and its receiver
 * receives nothing else, the chunks and the trees taking turns (the even and odd steps of
 * the paper).
 */
mtree_status_t mtree_double_tree_schedule(int num_hosts, int num_chunks,
                                          mtree_rounds_t **schedule_p);

#endif

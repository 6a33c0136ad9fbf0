/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Double binary tree allreduce as a step schedule: the baseline DBTREE of
 * papers/multitree.txt (section II-C, Fig. 4b).
 */
#ifndef MTREE_PAPERS_BASELINES_DOUBLE_TREE_H
#define MTREE_PAPERS_BASELINES_DOUBLE_TREE_H

#include "papers/baselines/rounds.h"

/*
 * Reduce and broadcast of @a num_chunks chunks per tree, pipelined: every transfer is in
 * the first step after those that it needs in which its sender sends and its receiver
 * receives nothing else, the chunks and the trees taking turns (the even and odd steps of
 * the paper).
 */
mtree_rounds_t *mtree_double_tree_schedule(int num_hosts, int num_chunks);

#endif

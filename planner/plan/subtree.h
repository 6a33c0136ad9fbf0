/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over what is below each host of a tree.
 */
#ifndef MTREE_PLANNER_PLAN_SUBTREE_H
#define MTREE_PLANNER_PLAN_SUBTREE_H

/*
 * Add to each host's @a sum, [num_hosts], those of all hosts below it.  @a parent is -1
 * for the root; @a waiting is scratch, [num_hosts].
 */
void mtree_subtree_add_up(const int *parent, int num_hosts, int *waiting, int *sum);

#endif

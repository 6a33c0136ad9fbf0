/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Double binary trees: two trees over all hosts of which each carries half of a message
 * (P. Sanders, J. Speck, J. L. Traeff, Two-tree algorithms for full bandwidth broadcast,
 * reduction and scan, 2009).  A host has children in one of them at most, so that all
 * hosts send and receive as much, and trees are as low as binary ones.
 *
 * They take no search.  Where hosts have one link each and switches carry what hosts
 * send, as in a fat tree, no trees carry more.
 */
#ifndef MTREE_PLANNER_REGULAR_DOUBLE_TREE_H
#define MTREE_PLANNER_REGULAR_DOUBLE_TREE_H

#include "planner/plan/algorithm.h"

/*
 * The two trees over @a num_hosts hosts by number: parent[0 .. n-1] of the first,
 * parent[n .. 2n-1] of the second, -1 for the roots.  For an even number of hosts, every
 * host that has children in one tree has at most one in the other; each tree takes half
 * of the message.
 */
void mtree_double_tree_parents(int num_hosts, int *parent);

/*
 * The algorithm "doubletree": such trees over the hosts in an order in which each is
 * followed by the nearest that is left.  The root of a reduce or bcast stands above both
 * trees, or is one of their hosts where that is faster: trees over all hosts keep to the
 * groups of hosts behind a switch, and are higher.
 */
mtree_status_t mtree_double_tree_plan(const mtree_problem_t *problem,
                                      mtree_plan_t **plan_p);

#endif

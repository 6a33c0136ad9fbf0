/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees that take no search: rings, direct exchange, and double binary trees.
 */
#ifndef MTREE_PLANNER_REGULAR_TREES_H
#define MTREE_PLANNER_REGULAR_TREES_H

#include "planner/plan/algorithm.h"

/*
 * The algorithms "ring" and "segmented_ring" of the planner, for allreduce, allgather and
 * reduce_scatter: every host's block, or the n-th part that is summed at it, goes around
 * the hosts in their order.  An allreduce comes back over the same hosts.
 *
 * In a ring a lockstep step s brings a block to the host that is s away.  In a segmented
 * one a host forwards the chunks of a block as they come, so no step lasts as long as a
 * block's way over all links to the next host.
 */
mtree_status_t mtree_ring_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

/*
 * The algorithm "direct" of the planner, for allreduce, collectives with blocks and
 * personalized ones: every host sends its part to each of the others itself, one tree of
 * one hop per host; where there is a root, one tree.
 *
 * Behind switches such trees can carry as much as any, and no host waits for what
 * another passes on: where many trees share each interface, deep ones leave it idle for a
 * quarter of the time (notes/performance.md).
 *
 * For allreduce the rates are those that add up to the most, so that hosts behind wider
 * links sum more of it; otherwise, and where links times trees exceed 1.5 million,
 * mtree_plan_finish() gives all trees the same.
 */
mtree_status_t mtree_direct_exchange_plan(const mtree_problem_t *problem,
                                          mtree_plan_t **plan_p);

/*
 * Can hosts send to each other without passing through a third, and are they few enough
 * that a tree for each costs little?
 */
bool mtree_direct_exchange_fits(const mtree_routes_t *routes, int num_hosts);

/* The same of any number of hosts, whatever their trees cost. */
bool mtree_direct_exchange_passes_nobody(const mtree_routes_t *routes, int num_hosts);

/*
 * The algorithm "doubletree": two trees over all hosts of which each carries half of a
 * message (P. Sanders, J. Speck, J. L. Traeff, Two-tree algorithms for full bandwidth
 * broadcast, reduction and scan, 2009).  A host has children in one of them at most, so
 * that all hosts send and receive as much, and trees are as low as binary ones.  Where
 * hosts have one link each and switches carry what hosts send, as in a fat tree, no trees
 * carry more.
 *
 * The hosts are in an order in which each is followed by the nearest that is left.  The
 * root of a reduce or bcast stands above both trees, or is one of their hosts where that
 * is faster: trees over all hosts keep to the groups of hosts behind a switch, and are
 * higher.
 */
mtree_status_t mtree_double_tree_plan(const mtree_problem_t *problem,
                                      mtree_plan_t **plan_p);

/*
 * Two such trees over @a num_hosts hosts by number: parent[0 .. n-1] of the first,
 * parent[n .. 2n-1] of the second, -1 for the roots.  For an even number of hosts, every
 * host that has children in one tree has at most one in the other.
 */
void mtree_double_tree_parents(int num_hosts, int *parent);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What no scan can exceed.
 *
 * Hosts are numbered in the order of their ranks.  Let A be a set of hosts, B the others,
 * and let host i be in A and host i + 1 in B for k values i(1) < ... < i(k) of i.  A scan
 * of S bits then moves at least k S bits from A to B, whatever the algorithm, where the
 * operation is that of a group, as addition modulo 2^n is.
 *
 * Proof.  Let all inputs in B be zero.  The result of host i(j) + 1, which is in B, less
 * that of host i(j-1) + 1, is the sum of the inputs of the hosts of A behind i(j-1) and
 * up to i(j), the last of which is input i(j).  These k sums have no input in common, so
 * they are independent, and each takes S bits.  All of it comes from A.
 *
 * What moves from A to B passes an edge from a host of A to one of B (the candidates of
 * planner/graph/candidates.h; every other route uses the arcs of one of them).  So where
 * each such edge uses one of some constraints, their capacities together, over k, bound
 * the throughput.  For a pair of hosts i < j each cut between them has k >= 1, so this
 * is no higher than the maximum flow from i to j.
 */
#ifndef MTREE_PLANNER_PACKING_PREFIX_CUTS_H
#define MTREE_PLANNER_PACKING_PREFIX_CUTS_H

#include "planner/packing/packer.h"

/*
 * The least of these bounds that is found, to packer->bound, and the constraints that
 * prove it, to packer->bound_price, whose prices so far show where to look.  All sets of
 * few hosts are tried; of many those of all but one, and the balls around each host.
 */
void mtree_prefix_cuts_bound(mtree_packer_t *packer);

#endif

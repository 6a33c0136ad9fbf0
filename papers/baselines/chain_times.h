/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The times of chains by the formulas of papers/hoplite.txt, Appendix A
 * (planner/regular/chains.h builds them).
 */
#ifndef MTREE_PAPERS_BASELINES_CHAIN_TIMES_H
#define MTREE_PAPERS_BASELINES_CHAIN_TIMES_H

#include "planner/regular/chains.h"

/* T1d(n) and T2d(n) of Appendix A, seconds. */
double mtree_chains_time_1d(int num_objects, const mtree_chains_link_t *link);
double mtree_chains_time_2d(int num_objects, const mtree_chains_link_t *link);

/*
 * The size in bytes where T1d = T2d, B L (sqrt(n)-1)^2; larger objects are faster in one
 * chain.  The paper rounds it up to n B L.
 */
double mtree_chains_switch_bytes(int num_objects, double bandwidth, double latency);

/* The longest path, in hops, of an object along @a parent to a root. */
int mtree_chains_depth(const int *parent, int num_participants);

#endif

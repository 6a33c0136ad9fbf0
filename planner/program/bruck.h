/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Allgather in ceil(log2 n) rounds between any number of hosts (J. Bruck et al.,
 * Efficient Algorithms for All-to-All Communications in Multiport Message-Passing
 * Systems, 1997, section 4).
 */
#ifndef MTREE_PLANNER_PROGRAM_BRUCK_H
#define MTREE_PLANNER_PROGRAM_BRUCK_H

#include "planner/program/blocks.h"

/* Blocks are in the order of the places from the own one on.  A host that has the first k
 * sends as many as are missing of them k places back. */
extern const mtree_blocks_kind_t mtree_bruck_blocks;

#endif

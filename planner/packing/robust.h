/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Robust packings of an all-to-all: they carry as much as others where all hosts send
 * alike, and suit a host that sends far more.
 *
 * Plans are made for equal blocks, since the sizes of MPI_Alltoallv() are known to their
 * senders alone.  Of such blocks only the load of links by all hosts together counts, so
 * the linear program leaves most hosts one or two trees.  What one of them sends more
 * then fills one link, while its other links idle.  Here the load of each link by each
 * host alone is limited, too: to little more than where that host alone sends.
 */
#ifndef MTREE_PLANNER_PACKING_ROBUST_H
#define MTREE_PLANNER_PACKING_ROBUST_H

#include "planner/packing/packer.h"

/* Trees per host, at most: more gain little, and each costs messages. */
#define MTREE_ROBUST_TREES 6

/*
 * A robust packing of at most @a max_trees trees per group, > 0, to *set_p, which is the
 * caller's.  @a x, bits/s, is what every group gets from a packing of equal blocks.
 */
mtree_status_t mtree_robust_pack(mtree_packer_t *packer, double x, int max_trees,
                                 mtree_tree_set_t **set_p);

#endif

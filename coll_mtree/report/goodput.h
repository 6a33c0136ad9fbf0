/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Goodput of the trees of plans, over the calls that mtree served: for the report and for
 * MPI_T (coll_mtree/report/statistics.h).
 */
#ifndef COLL_MTREE_REPORT_GOODPUT_H
#define COLL_MTREE_REPORT_GOODPUT_H

#include "schedule/goodput.h"

/* A tree of a plan. */
typedef struct {
    double bytes;   /* of the message, over all calls */
    double seconds; /* from each call's beginning to its last message over the tree */
    double end;     /* clock of the latter, in the call at hand */
} coll_mtree_tree_sample_t;

/* Add what one call, which began at @a began on the clock of @a goodput, moved over each
 * tree of its plan, @a trees [num_trees]; @a unit_bytes: bytes of data in a unit of @a
 * layout. */
void coll_mtree_goodput_add_trees(const mtree_goodput_t *goodput,
                                  const mtree_layout_t *layout, double unit_bytes,
                                  double began, coll_mtree_tree_sample_t *trees,
                                  int num_trees);

/* Bits/s of a tree over its calls; 0: none. */
double coll_mtree_goodput_rate(const coll_mtree_tree_sample_t *tree);

#endif

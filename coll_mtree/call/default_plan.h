/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default plan, for nonblocking calls that were accepted before the ranks learned
 * that no plan could be made.  Each rank is a host of its own.  One binomial tree with
 * root 0 spans them, which serves every collective but the personalized ones: their roots
 * are neighbours of all.  Every rank makes the same plan without a message.
 */
#ifndef COLL_MTREE_CALL_DEFAULT_PLAN_H
#define COLL_MTREE_CALL_DEFAULT_PLAN_H

#include "schedule/layout.h"

/* The plan for @a collective, with rank @a root where that has one, and the placement of
 * the ranks; both are the caller's. */
mtree_plan_t *coll_mtree_default_plan_create(mtree_collective_t collective, int root,
                                             int num_ranks);
mtree_placement_t *coll_mtree_default_placement_create(int num_ranks);

#endif

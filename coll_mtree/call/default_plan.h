/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The default plan, for nonblocking calls that were accepted before the ranks learned
 * that no plan could be made.  Each rank is a host of its own, and one binomial tree with
 * root 0 spans them.  Every rank makes the same plan without a message, and it serves
 * every collective.
 */
#ifndef COLL_MTREE_CALL_DEFAULT_PLAN_H
#define COLL_MTREE_CALL_DEFAULT_PLAN_H

#include "schedule/layout.h"

/* Both are the caller's.  MTREE_ERR_NO_MEMORY. */
mtree_status_t coll_mtree_default_plan_create(int num_ranks, mtree_plan_t **plan_p,
                                              mtree_placement_t **placement_p);

#endif

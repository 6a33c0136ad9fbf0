/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plain plan: each rank a host of its own, one binomial tree.  Every rank makes the
 * same one without a message, and it serves every collective.
 */
#ifndef COLL_MTREE_CALL_DEFAULT_PLAN_H
#define COLL_MTREE_CALL_DEFAULT_PLAN_H

#include "schedule/layout.h"

/* Both are the caller's.  MTREE_ERR_NO_MEMORY. */
mtree_status_t coll_mtree_default_plan_create(int num_ranks, mtree_plan_t **plan_p,
                                              mtree_placement_t **placement_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The limits that a request sets to a packing: how many trees, and the least rate of
 * each.
 */
#ifndef MTREE_PLANNER_PACKING_LIMITS_H
#define MTREE_PLANNER_PACKING_LIMITS_H

#include "planner/packing/draft.h"

/* Let the set of @a draft be the trees that keep the request's limits, and of those for a
 * size the fewest that take hardly longer.  MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_draft_limit(mtree_draft_t *draft);

#endif

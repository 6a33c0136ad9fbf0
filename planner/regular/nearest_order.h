/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An order in which near hosts follow one another.
 */
#ifndef MTREE_PLANNER_REGULAR_NEAREST_ORDER_H
#define MTREE_PLANNER_REGULAR_NEAREST_ORDER_H

#include "planner/plan/algorithm.h"

/* All hosts into @a order, [num_hosts]: from @a first on each is followed by the nearest
 * that is left. */
void mtree_nearest_order(const mtree_problem_t *problem, int first, int *order);

#endif

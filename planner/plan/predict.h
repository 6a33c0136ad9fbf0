/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The predicted time of a plan, whose trees have rates, latencies, shares and chunks.
 */
#ifndef MTREE_PLANNER_PLAN_PREDICT_H
#define MTREE_PLANNER_PLAN_PREDICT_H

#include "planner/plan/algorithm.h"

/* The bits that the trees of one root (or all, when there is one message) share. */
double mtree_plan_message_bits(const mtree_plan_t *plan);

/*
 * Set the seconds of @a plan: the time of the slowest tree, the path of its first chunk
 * and the rest at the rate that the tree gets; but no less than what the links need,
 * which matters where the first chunks of many trees are all there is.  Of a scan the
 * first chunks of all roots follow one another.
 */
void mtree_plan_predict(const mtree_problem_t *problem, mtree_plan_t *plan);

#endif

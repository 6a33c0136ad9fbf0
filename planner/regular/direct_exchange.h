/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Direct exchange: every host sends its part to each of the others itself, one tree of
 * one hop per host.
 *
 * Behind switches such trees can carry as much as any, and no host waits for what
 * another passes on: where many trees share each interface, deep ones leave it idle for a
 * quarter of the time (notes/performance.md).
 */
#ifndef MTREE_PLANNER_REGULAR_DIRECT_EXCHANGE_H
#define MTREE_PLANNER_REGULAR_DIRECT_EXCHANGE_H

#include "planner/plan/algorithm.h"

/*
 * Can hosts send to each other without passing through a third, and are they few enough
 * that a tree for each costs little?
 */
bool mtree_direct_exchange_fits(const mtree_routes_t *routes, int num_hosts);

/* The same of any number of hosts, whatever their trees cost. */
bool mtree_direct_exchange_passes_nobody(const mtree_routes_t *routes, int num_hosts);

/*
 * The algorithm "direct" of the planner, for allreduce, collectives with blocks and
 * personalized ones; where there is a root, one tree.
 * For allreduce the rates are those that add up to the most, so that hosts behind wider
 * links sum more of it; otherwise mtree_plan_finish() gives all trees the same.
 */
mtree_status_t mtree_direct_exchange_plan(const mtree_problem_t *problem,
                                          mtree_plan_t **plan_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The algorithm "staged_exchange": hosts exchange their vectors within groups, and then
 * their sums between groups (planner/program/kinds.h).  On a torus these are rows and
 * columns, which together are as far as the longest path; elsewhere the hosts are divided
 * so that the estimate is least.
 */
#ifndef MTREE_PLANNER_REGULAR_STAGES_H
#define MTREE_PLANNER_REGULAR_STAGES_H

#include "planner/plan/algorithm.h"

/* Can the hosts, at most MTREE_EXCHANGE_MOST_HOSTS, be divided into groups of the same
 * size, and is there memory for the messages?  MTREE_ERR_UNSUPPORTED (logged): no. */
bool mtree_staged_fits(const mtree_topology_t *topology, int num_hosts,
                       const mtree_plan_request_t *request);
mtree_status_t mtree_staged_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans that name a rank program (planner/program/build.h): the order in which it takes
 * the hosts.
 */
#ifndef MTREE_PLANNER_REGULAR_PROGRAMS_H
#define MTREE_PLANNER_REGULAR_PROGRAMS_H

#include "planner/plan/algorithm.h"

/*
 * The algorithm "exchange": each host sends its vector to every other one.
 * MTREE_ERR_UNSUPPORTED (logged): there are too many hosts, or the vectors of all do not
 * fit into MTREE_EXCHANGE_MOST_BYTES of a host's memory.
 */
#define MTREE_EXCHANGE_MOST_HOSTS 256
#define MTREE_EXCHANGE_MOST_BYTES (64.0 * 1024 * 1024)

bool mtree_exchange_fits(const mtree_topology_t *topology, int num_hosts,
                         const mtree_plan_request_t *request);
mtree_status_t mtree_exchange_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif

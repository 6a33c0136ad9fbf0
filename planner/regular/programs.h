/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plans that name a rank program (planner/program/build.h): the order in which it takes
 * the hosts.
 */
#ifndef MTREE_PLANNER_REGULAR_PROGRAMS_H
#define MTREE_PLANNER_REGULAR_PROGRAMS_H

#include "planner/plan/algorithm.h"

/* A host has memory for so many bytes of messages that come in a call. */
#define MTREE_PROGRAM_MOST_BYTES (64.0 * 1024 * 1024)

/* The most hosts of an exchange, in which each sends to every other one. */
#define MTREE_EXCHANGE_MOST_HOSTS 256

/*
 * Algorithms of the planner (planner/program/kinds.h),
 * and whether they have a plan.  MTREE_ERR_UNSUPPORTED (logged): they have none, as there
 * are more hosts, or messages take more memory.
 */
bool mtree_exchange_fits(const mtree_topology_t *topology, int num_hosts,
                         const mtree_plan_request_t *request);
bool mtree_bruck_fits(const mtree_topology_t *topology, int num_hosts,
                      const mtree_plan_request_t *request);
bool mtree_doubling_fits(const mtree_topology_t *topology, int num_hosts,
                         const mtree_plan_request_t *request);
bool mtree_halving_fits(const mtree_topology_t *topology, int num_hosts,
                        const mtree_plan_request_t *request);
bool mtree_swing_has_plan(const mtree_topology_t *topology, int num_hosts,
                          const mtree_plan_request_t *request);
mtree_status_t mtree_exchange_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);
mtree_status_t mtree_bruck_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);
mtree_status_t mtree_doubling_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);
mtree_status_t mtree_halving_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);
mtree_status_t mtree_swing_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

/*
 * The same of "staged_exchange": hosts exchange their vectors within groups of the same
 * size, and then their sums between groups.  On a torus these are rows and columns, which
 * together are as far as the longest path; elsewhere the hosts are divided so that the
 * estimate is least.
 */
bool mtree_staged_fits(const mtree_topology_t *topology, int num_hosts,
                       const mtree_plan_request_t *request);
mtree_status_t mtree_staged_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All-to-all with blocks of different sizes: the maximum concurrent flow for a matrix of
 * demands.
 */
#ifndef MTREE_PLANNER_PACKING_DEMANDS_H
#define MTREE_PLANNER_PACKING_DEMANDS_H

#include "planner/plan/algorithm.h"

/*
 * The least seconds in which each host i of the problem, whose request is for alltoall,
 * can send demand[i * num_hosts + j] bytes to each host j, without latencies, and what
 * limits that, in words (malloc'ed, the caller's; may be NULL).  Demands of a host for
 * itself do not count; the others are finite, not negative, and not all 0.  No plan takes
 * less; the flow takes up to one percent more.
 */
mtree_status_t mtree_demands_bound(const mtree_problem_t *problem, const double *demand,
                                   double *seconds_p, char **limit_p);

#endif

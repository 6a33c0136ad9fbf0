/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public.  The planner: from a topology, a set of hosts and a request to a plan.  The
 * same request gives the same plan on every machine.
 */
#ifndef MTREE_PLANNER_PLANNER_H
#define MTREE_PLANNER_PLANNER_H

#include "planner/plan/request.h"

/* The most hosts of a plan for a prefix collective: each host needs the order of the
 * trees of all hosts, which would take more than a megabyte. */
#define MTREE_PLAN_MOST_SCANNING 256

/*
 * Plan for the ranks' hosts: @a hosts are @a num_hosts vertices of @a topology; the plan
 * numbers them in that order.  Owned by the caller.  One host gives a plan with one tree
 * and no edges.  Errors are logged: MTREE_ERR_INVALID, MTREE_ERR_UNREACHABLE,
 * MTREE_ERR_NOT_FOUND (algorithm), MTREE_ERR_SOLVER, MTREE_ERR_UNSUPPORTED (algorithm
 * does not do this collective, or not for this many hosts), MTREE_ERR_LIMIT (no tree is
 * as low as the request wants). Not logged: MTREE_ERR_CANCELLED (base/cancel.h).
 */
mtree_status_t mtree_planner_run(const mtree_topology_t *topology, const int *hosts,
                                 int num_hosts, const mtree_plan_request_t *request,
                                 mtree_plan_t **plan_p);

/*
 * The bound and the limit of @a plan for @a request, as far as they are found without a
 * search.  Errors as of mtree_planner_run().
 */
mtree_status_t mtree_planner_bound(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_request_t *request,
                                   mtree_plan_t *plan);

#endif

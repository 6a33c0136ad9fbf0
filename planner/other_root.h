/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the plan for calls with one root to that for the same calls with another.
 *
 * Most of the work of a first plan is to compare kinds of plans
 * (simulate/forecast/choice.h).  A kind that suits one root suits the others of the size,
 * so they take it over, and mostly the trees as well.
 */
#ifndef MTREE_PLANNER_OTHER_ROOT_H
#define MTREE_PLANNER_OTHER_ROOT_H

#include "planner/plan/request.h"

/*
 * A plan for @a request, a collective with a root, from @a other, which is one for the
 * same collective and about the same bytes between the same hosts; the caller's.  Three
 * kinds are tried in this order: one low tree, where latency is most of what calls take;
 * the trees of @a other, rooted anew; new trees by its algorithm.  The first is taken
 * that is hardly slower than calls over @a other, or than latency allows.  Its seconds
 * are those of @a other times the ratio that the planner predicts.  Errors are those of
 * mtree_planner_run() and, for another collective, other hosts or trees in lockstep,
 * MTREE_ERR_INVALID.
 */
mtree_status_t mtree_other_root_plan(const mtree_topology_t *topology, const int *hosts,
                                     int num_hosts, const mtree_plan_request_t *request,
                                     const mtree_plan_t *other, mtree_plan_t **plan_p);

#endif

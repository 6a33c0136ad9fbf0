/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Planning on rank 0: by the planner, or from the plan file of coll_mtree_plan.
 */
#ifndef COLL_MTREE_PLAN_PLANNING_H
#define COLL_MTREE_PLAN_PLANNING_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/plan/plan_choice.h"

/* What is planned: the plan for a class of calls between the hosts of @a comm. */
typedef struct {
    ompi_communicator_t *comm;
    const coll_mtree_plan_hosts_t *hosts;
    const coll_mtree_call_class_t *call_class; /* its root is a host */
} coll_mtree_planning_t;

/* Trees that a plan may take over, with other shares. */
typedef struct {
    const mtree_plan_t *plan; /* NULL: there are none */
    bool stay;                /* they are used even where other trees are faster */
    mtree_forecast_t forecast;
    bool holds; /* the forecast is that of the new plan, too, which differs in the root
                   alone */
} coll_mtree_donor_trees_t;

/*
 * The plan for @a what; the caller's.  NULL, having logged why, when there is none.  It
 * has the trees of @a donor where they can be used; for another root it is what
 * planner/other_root.h makes of them.  *forecast_p: how fast it is expected to be, beside
 * the fallback.
 */
mtree_plan_t *coll_mtree_planning_run(const coll_mtree_planning_t *what,
                                      const coll_mtree_donor_trees_t *donor,
                                      mtree_forecast_t *forecast_p);

/*
 * A plan for @a what that passes through relays which answer, where it is clearly faster
 * than @a plan, which does not; the caller's.  *forecast_p: how fast it is expected to
 * be, beside the fallback.  Else NULL.  Host @a first has rank 0.
 */
mtree_plan_t *coll_mtree_planning_by_relays(const coll_mtree_planning_t *what,
                                            const mtree_plan_t *plan, int first,
                                            mtree_forecast_t *forecast_p);

/*
 * What a change of the network makes of @a plan for @a what: the capacities between the
 * hosts are others than it was made for.  No new trees are sought with @a shares_only.
 * *gain_p: how many times as fast calls become or would become.
 */
coll_mtree_change_t coll_mtree_planning_change(const coll_mtree_planning_t *what,
                                               const mtree_plan_t *plan, bool shares_only,
                                               double *gain_p);

#endif

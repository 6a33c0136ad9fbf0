/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions of planning: which plan is taken, and what a change of the network makes of
 * plans.  No Open MPI header is used.
 *
 * Host numbers, rates (bits/s) and times (seconds) are those of planner/plan/plan.h.
 */
#ifndef COLL_MTREE_PLAN_PLAN_CHOICE_H
#define COLL_MTREE_PLAN_PLAN_CHOICE_H

#include "coll_mtree/base/class_table.h"

#include "planner/planner.h"
#include "simulate/forecast/forecast.h"
#include "topo/drift/drift.h"

/* What a change of the network makes of plans, in ascending order of effect. */
typedef enum {
    COLL_MTREE_STAY,
    COLL_MTREE_REBALANCE, /* the same trees with other shares */
    COLL_MTREE_REPLAN
} coll_mtree_change_t;

/* The hosts that are planned for, numbered as in plans. */
typedef struct {
    const mtree_topology_t *topology;
    const int *vertices; /* [num_hosts] of the topology */
    int num_hosts;
} coll_mtree_plan_hosts_t;

/* Trees of @a plan with the same root, at most: all of them but for gathering
 * collectives.  A plan with more than the communicator's limit cannot be used. */
int coll_mtree_plan_choice_trees_per_root(const mtree_plan_t *plan);

/*
 * Is @a plan, which has the trees of @a donor, good enough that no other trees are
 * sought? The donor is for calls of about the same size.  It is where calls over @a plan
 * take not much longer than the donor's, or hardly longer than the bound allows.
 */
bool coll_mtree_plan_choice_is_good_enough(const mtree_plan_t *plan,
                                           const mtree_plan_t *donor);

/* Bytes of memory that @a plan takes, near enough; NULL: none. */
size_t coll_mtree_plan_choice_bytes(const mtree_plan_t *plan);

/* Bytes that @a plan has under way at a time from one host to another, at most; 0: no
 * latencies are known, or there are too many hosts to compute it. */
double coll_mtree_plan_choice_under_way(const mtree_plan_t *plan);

/* Can the trees of @a plan get other shares?  Not where they run in lockstep or are one
 * order of many. */
bool coll_mtree_plan_choice_can_rebalance(const mtree_plan_t *plan);

/* Seconds that @a plan takes on @a topology, whose capacities may be others than it was
 * made for: transfer time grows with the overload of the fullest arc, latency does not.
 */
double coll_mtree_plan_choice_seconds(const mtree_plan_t *plan,
                                      const mtree_topology_t *topology,
                                      const mtree_routes_t *routes);

/* Versions of the network: that which a plan is for, the newest, and the first one whose
 * plans use no link that is gone. */
typedef struct {
    unsigned plan, newest, gone;
} coll_mtree_versions_t;

/* What a plan is to be compared for, or given up, where the network has now had @a
 * change. Unless it @a follows each version, others may have followed some that it has
 * not. */
mtree_drift_change_t coll_mtree_plan_choice_drift(mtree_drift_change_t change,
                                                  coll_mtree_versions_t versions,
                                                  bool follows);

/* What a change of the network makes of plans: a call takes @a now seconds over the plan
 * as it is, @a rebalanced with other shares of the same trees and @a anew with new trees
 * (both below 0: not possible).  *gain_p: how many times as fast calls become or would
 * become. */
coll_mtree_change_t coll_mtree_plan_choice_change(double now, double rebalanced,
                                                  double anew, double *gain_p);

#endif

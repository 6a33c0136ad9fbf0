/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrival skew: where ranks arrive far apart at the calls of a class, these calls change
 * from trees to the order of arrival (schedule/arrival/arrival.h), and back.
 *
 * Each rank contributes a sample of a blocking call (coll_mtree/adapt/arrival_sample.h)
 * to a replan query.  Rank 0 judges the samples (coll_mtree/adapt/arrival_judge.h), and
 * the reply changes the order on all ranks at the same call.
 */
#ifndef COLL_MTREE_ADAPT_ARRIVAL_SKEW_H
#define COLL_MTREE_ADAPT_ARRIVAL_SKEW_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/plan/planning_context.h"

#include "schedule/arrival_times.h"

/* Calls of one class on one communicator. */
typedef struct coll_mtree_arrival_skew coll_mtree_arrival_skew_t;

/* Those of @a call_class, in either order; held by @a module's class over trees.  NULL:
 * no memory. */
coll_mtree_arrival_skew_t *
coll_mtree_arrival_skew_get(mca_coll_mtree_module_t *module,
                            const coll_mtree_call_class_t *call_class);

/* On rank 0: are such calls to be arrival-ordered, by @a samples [ranks] of a call on @a
 * comm over @a plan?  Plans have at most @a max_trees trees per root. */
bool coll_mtree_arrival_skew_update(coll_mtree_arrival_skew_t *skew,
                                    mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm, const mtree_plan_t *plan,
                                    int max_trees, const mtree_arrival_time_t *samples);

/* On all ranks: such calls are arrival-ordered from here on, or go over trees. */
void coll_mtree_arrival_skew_switch(coll_mtree_arrival_skew_t *skew, bool by_arrival);

/* Do all ranks order such calls by arrival?  NULL: no. */
bool coll_mtree_arrival_skew_is_by_arrival(const coll_mtree_arrival_skew_t *skew);

/* Free; NULL is allowed. */
void coll_mtree_arrival_skew_destroy(coll_mtree_arrival_skew_t *skew);

#endif

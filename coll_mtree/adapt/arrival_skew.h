/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Skew: how far apart the ranks of a communicator come to its calls, and whether calls of
 * a kind are by arrival (schedule/arrival/arrival.h) for that.
 *
 * What a rank knows of a call's beginning (schedule/arrival_times.h) goes to rank 0 with
 * the talks of coll_mtree/adapt/follow.h.  Rank 0 has the simulator play the call as the
 * ranks came to it, over the plan's trees and by arrival, and where one of both is
 * clearly better in several hearings in a row, all ranks turn to it at the same point of
 * the order of calls.  docs/arrival.md has the rules.
 */
#ifndef COLL_MTREE_ADAPT_ARRIVAL_SKEW_H
#define COLL_MTREE_ADAPT_ARRIVAL_SKEW_H

#include "coll_mtree/call/request.h"
#include "coll_mtree/plan/planning_context.h"

#include "schedule/arrival_times.h"

/* Calls of one kind on one communicator. */
typedef struct coll_mtree_arrival_skew coll_mtree_arrival_skew_t;

/* Those of @a call_class on @a module's, which keeps them; NULL: no memory. */
coll_mtree_arrival_skew_t *
coll_mtree_arrival_skew_get(mca_coll_mtree_module_t *module,
                            const coll_mtree_call_class_t *call_class);

/* What this rank tells of the blocking call that @a req has been. */
void coll_mtree_arrival_skew_record(const coll_mtree_request_t *req,
                                    mtree_arrival_time_t *entry_p);

/*
 * On rank 0: the ranks of @a comm told @a entries [ranks] of a call over @a plan.  Are
 * such calls to be by arrival?
 */
bool coll_mtree_arrival_skew_update(coll_mtree_arrival_skew_t *skew,
                                    mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm, const mtree_plan_t *plan,
                                    const mtree_arrival_time_t *entries);

/* On all ranks: such calls are by arrival from here on, or not. */
void coll_mtree_arrival_skew_switch(coll_mtree_arrival_skew_t *skew, bool by_arrival);

/* Are such calls by arrival, as far as all ranks have agreed?  NULL: no. */
bool coll_mtree_arrival_skew_is_by_arrival(const coll_mtree_arrival_skew_t *skew);

/* Free; NULL is allowed. */
void coll_mtree_arrival_skew_destroy(coll_mtree_arrival_skew_t *skew);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replanning: plans follow the network while a job runs.  docs/replan.md has the rules.
 *
 * When the blocking calls of a communicator have moved enough, the ranks begin a replan
 * query: an exchange that brings a sample of each rank to rank 0.  Rank 0 updates the
 * planning context, and its reply says what becomes of the plans, those of nonblocking
 * calls included.  coll_mtree/call/plan_sequence.h begins queries and applies replies.
 *
 * These invariants keep the ranks in step:
 * - Calls are numbered in an order that all ranks share.  Which calls are numbered and at
 *   which number a query begins follows from that order, call classes, plans and
 *   parameters alone (coll_mtree/adapt/replan_schedule.h).
 * - A reply applies from COLL_MTREE_REPLAN_PATIENCE calls after the beginning of the
 *   query.  That call waits for it in Open MPI's progress.  This cannot hang a correct
 *   program, since the reply depends on earlier calls of the other ranks alone, as any
 *   collective may.  Of two queries under way rank 0 may decide the later one first: then
 *   the next one finds that a plan is for an earlier version of the network.
 * - Calls that have begun keep their plan, by a reference of their own, and persistent
 *   requests that of their beginning.
 * - A query that ends with an error changes no plan: calls meet the failure themselves.
 * - A query holds its communicator until a deferred release, and MPI_Finalize waits for
 *   all queries, since a rank forwards the messages of others.
 */
#ifndef COLL_MTREE_ADAPT_REPLAN_H
#define COLL_MTREE_ADAPT_REPLAN_H

#include "coll_mtree/adapt/replan_schedule.h"
#include "coll_mtree/plan/planning_context.h"

/* What is asked of rank 0. */
typedef struct {
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm;
    coll_mtree_call_class_t call_class; /* of the calls over the plan */
    coll_mtree_traffic_t *traffic;      /* what the sample is made of, owned */
    double promised; /* seconds that the plans predict for the traffic; 0: not known */
    coll_mtree_link_check_t check; /* on rank 0: that was run; then the one that is to be
                                      run */
} coll_mtree_replan_query_t;

/* Free @a query, which is malloc'ed; NULL is allowed. */
void coll_mtree_replan_query_destroy(coll_mtree_replan_query_t *query);

/* What this rank contributes to @a query, sent as it is. */
void coll_mtree_replan_query_sample(const coll_mtree_replan_query_t *query,
                                    mtree_path_sample_t samples[COLL_MTREE_MOST_PATHS]);

/* On rank 0, in the planning thread: update the planning context by the @a samples of
 * @a query, COLL_MTREE_MOST_PATHS of each rank, and say what becomes of the @a plan.
 * COLL_MTREE_REPLY_PLAN: another one is to be made. */
coll_mtree_replan_reply_t coll_mtree_replan_decide(coll_mtree_replan_query_t *query,
                                                   const mtree_plan_t *plan,
                                                   const mtree_path_sample_t *samples);

/* Likewise, once the new plan exists: note that the plans of @a module change, and with
 * them the order of sums. */
void coll_mtree_replan_changes(mca_coll_mtree_module_t *module);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replanning: plans follow the network while a job runs.  docs/replan.md has the rules.
 *
 * A replan sequence is the blocking calls of a communicator, the nonblocking calls of one
 * class, or the starts of a persistent request.  When its calls have moved enough, the
 * ranks begin a replan query: an exchange that brings a sample of each rank to rank 0.
 * Rank 0 updates the planning context, and its reply says what becomes of the plans.
 * coll_mtree/call/plan_sequence.h begins queries and applies replies.
 *
 * These invariants keep the ranks in step:
 * - Calls are numbered in an order that all ranks share.  Which calls are numbered and at
 *   which number a query begins follows from that order, call classes, plans and
 *   parameters alone (coll_mtree/adapt/replan_schedule.h).
 * - A query takes its tags at the call at which it begins: from the communicator, or by
 *   rotation from those that a persistent request reserved when it was made.
 * - Queries of a sequence end in the order in which they began.
 * - A reply applies from COLL_MTREE_REPLAN_PATIENCE calls after the beginning of the
 *   query.  Those calls wait for it: blocking ones in Open MPI's progress, others in a
 *   gate.  This cannot hang a correct program, since each such call depends on
 *   earlier calls of the other ranks alone, as any collective may.
 * - Calls that have begun keep their plan, by a reference of their own.
 * - A query that ends with an error changes no plan.  Blocking calls meet the failure
 *   themselves; nonblocking calls for which the reply is due end with the query's code.
 * - A query holds its communicator until a deferred release, and MPI_Finalize waits for
 *   all queries, since a rank forwards the messages of others.
 */
#ifndef COLL_MTREE_ADAPT_REPLAN_H
#define COLL_MTREE_ADAPT_REPLAN_H

#include "coll_mtree/adapt/bandwidth_monitor.h"
#include "coll_mtree/adapt/replan_schedule.h"
#include "coll_mtree/plan/planning_context.h"

/* What is asked of rank 0. */
typedef struct {
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm;
    coll_mtree_call_class_t call_class; /* of the calls over the plan */
    bool is_blocking;              /* by blocking calls: for all of the communicator's */
    bool keeps_order;              /* calls of its class must give the same bits; unset
                                      for blocking calls */
    coll_mtree_traffic_t *traffic; /* what the sample is made of, owned; or NULL */
    double promised; /* seconds that the plans predict for the traffic; 0: not known */
    coll_mtree_link_check_t check; /* on rank 0: that was run; then the one that is to be
                                      run */
    /* On rank 0, of nonblocking calls: */
    bool has_changed; /* a reply has changed the plan of such as keep their order */
} coll_mtree_replan_query_t;

/* Free @a query, which is malloc'ed; NULL is allowed. */
void coll_mtree_replan_query_destroy(coll_mtree_replan_query_t *query);

/* What this rank contributes to @a query. */
void coll_mtree_replan_query_sample(const coll_mtree_replan_query_t *query,
                                    coll_mtree_rank_sample_t *sample_p);

/* On rank 0, in the planning thread: update the planning context by the @a samples
 * [ranks] of @a query, and say what becomes of the @a plan (NULL: there is none), which
 * was made for @a version of the network.  COLL_MTREE_REPLY_PLAN: another one is to be
 * made. */
coll_mtree_replan_reply_t
coll_mtree_replan_decide(coll_mtree_replan_query_t *query, const mtree_plan_t *plan,
                         unsigned version, const coll_mtree_rank_sample_t *samples);

/* Likewise, once the new plan exists: note that the plans of @a query change, and with
 * them the order of sums. */
void coll_mtree_replan_query_changes(coll_mtree_replan_query_t *query);

#endif

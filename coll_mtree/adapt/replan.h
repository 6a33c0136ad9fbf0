/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replanning: plans follow the network while a job runs.  docs/replan.md has the rules.
 *
 * A replan sequence is the blocking calls of a communicator
 * (coll_mtree/adapt/replan_blocking.h), the nonblocking calls of a plan entry, or the
 * starts of a persistent request (coll_mtree/adapt/replan_nonblocking.h).  When its calls
 * have moved enough, the ranks begin a replan query: an exchange that brings a sample of
 * each rank to rank 0.  Rank 0 updates the planning context, and its reply says what
 * becomes of the plans.
 *
 * These invariants keep the ranks in step:
 * - Calls are numbered in an order that all ranks share.  Which calls are numbered and at
 *   which number a query begins follows from that order, call classes, plans and
 *   parameters alone (coll_mtree/adapt/replan_schedule.h).
 * - A query takes its tags at the call at which it begins: from the communicator, or by
 *   rotation from those that a persistent request reserved when it was made.
 * - Queries of a sequence end in the order in which they began.
 * - A reply applies from COLL_MTREE_REPLAN_PATIENCE calls after the beginning of the
 *   query.  Those calls wait for it: blocking ones in Open MPI's progress, others in an
 *   ordered gate.  This cannot hang a correct program, since each such call depends on
 *   earlier calls of the other ranks alone, as any collective may.
 * - Calls that have begun keep their plan, by a reference of their own.
 * - A query that ends with an error changes no plan.  Blocking calls meet the failure
 *   themselves; nonblocking calls for which the reply is due end with the query's code.
 * - A query holds the owner of its sequence until a deferred release, and MPI_Finalize
 *   waits for all queries, since a rank forwards the messages of others.
 */
#ifndef COLL_MTREE_ADAPT_REPLAN_H
#define COLL_MTREE_ADAPT_REPLAN_H

#include "coll_mtree/adapt/bandwidth_monitor.h"
#include "coll_mtree/adapt/replan_schedule.h"
#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/base/ordered_gate.h"
#include "coll_mtree/control/exchange.h"
#include "coll_mtree/plan/decision.h"
#include "coll_mtree/plan/planning_context.h"

#include "base/list.h"

#include <stdatomic.h>

typedef struct coll_mtree_replan coll_mtree_replan_t;
typedef struct coll_mtree_replan_query coll_mtree_replan_query_t;

/* On rank 0, in the planning thread: the reply to the samples of @a query;
 * COLL_MTREE_REPLY_PLAN with its `new_plan`. */
typedef coll_mtree_replan_reply_t (*coll_mtree_replan_decide_t)(
    coll_mtree_replan_query_t *query);

struct coll_mtree_replan {
    coll_mtree_replan_decide_t decide;
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm;
    /* Hold and let go of the owner, by default the communicator. */
    void (*retain)(coll_mtree_replan_t *replan);
    void (*release)(coll_mtree_replan_t *replan);
    coll_mtree_replan_schedule_t schedule;
    mtree_list_t awaited; /* queries whose reply is not due, by number */
    /* Two gates, which open when the first plan is known: */
    coll_mtree_ordered_gate_t ends;  /* of queries: they end one after the other */
    atomic_bool is_ending;           /* one has passed it and has not ended */
    coll_mtree_ordered_gate_t gate;  /* of calls that never wait, and of due queries */
    const mtree_plan_part_t *newest; /* of the plan of the last query that ended; NULL:
                                        none */
    unsigned version;        /* on rank 0: of the network that the plans were made for */
    atomic_bool keeps_order; /* nonblocking calls: some must give the same bits */
    bool has_changed;        /* on rank 0: a reply has changed the plan of such calls */
};

struct coll_mtree_replan_query {
    coll_mtree_replan_t *replan;
    coll_mtree_exchange_t *exchange;
    mtree_list_t link;
    long call;          /* number of the call at which it began */
    atomic_int holders; /* the sequence and the exchange */
    atomic_bool ended;
    int status; /* Open MPI's code */
    coll_mtree_replan_reply_t reply;
    mtree_plan_t *new_plan; /* on rank 0, a reference of the query's; NULL: none */
    coll_mtree_decision_t decision; /* on rank 0; holds the query and the owner */
    const coll_mtree_rank_sample_t *samples; /* for that: [ranks], the exchange's */
    coll_mtree_replan_reply_t decided;
    mtree_plan_part_t *new_part; /* of it; NULL: none */
    coll_mtree_waiter_t end;     /* in the gate of ends */
    coll_mtree_waiter_t due;     /* in the gate, when the reply is due */
    coll_mtree_deferred_release_t deferred;
    /* Set by whoever begins it. */
    coll_mtree_call_class_t call_class;
    mtree_plan_part_t *part;       /* of the plan of the calls; or NULL */
    coll_mtree_traffic_t *traffic; /* what the sample is made of; or NULL */
    /* On rank 0, for blocking calls. */
    double promised; /* seconds that the plans predict for the traffic; 0: not known */
    coll_mtree_link_check_t check; /* that was run; then the one that is to be run */
};

/* A sequence without calls, whose queries take @a query_seconds of calls at least. */
void coll_mtree_replan_init(coll_mtree_replan_t *replan,
                            coll_mtree_replan_decide_t decide,
                            mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                            double query_seconds);

/* Free what it holds.  No query runs, since each holds the owner. */
void coll_mtree_replan_cleanup(coll_mtree_replan_t *replan);

/* The @a part of the first plan is known (NULL: there is none), on rank 0 for @a version
 * of the network: queries may end and calls pass the gate. */
void coll_mtree_replan_open(coll_mtree_replan_t *replan, const mtree_plan_part_t *part,
                            unsigned version);

/* A query that is to begin. */
coll_mtree_replan_query_t *coll_mtree_replan_query_create(coll_mtree_replan_t *replan);

/* Begin @a query, which is taken over, at the last call, with the tags from @a first_tag.
 * This rank's sample is the query's traffic. */
void coll_mtree_replan_query_begin(coll_mtree_replan_query_t *query, int first_tag);

/* The query whose reply is due at call number @a call, which must wait for it and then
 * release it; each is returned once.  NULL: none. */
coll_mtree_replan_query_t *coll_mtree_replan_take_due(coll_mtree_replan_t *replan,
                                                      long call);
void coll_mtree_replan_query_release(coll_mtree_replan_query_t *query);

/* On rank 0: update the planning context by the samples of @a query, unless they are not
 * @a usable.  Are there to be other plans than at the last update, which gain @a
 * least_gain? */
bool coll_mtree_replan_update(coll_mtree_replan_query_t *query, bool usable,
                              double least_gain);

/* Wait for the queries of this process to end. */
void coll_mtree_replan_finish(void);

#endif

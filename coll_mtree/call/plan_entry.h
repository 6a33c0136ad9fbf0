/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan entries: the plan that all ranks of a communicator use for one call class.
 *
 * The first call of a class that mtree may serve makes its entry, whatever form the call
 * has.  An exchange (coll_mtree/control/exchange.h) then brings the plan from rank 0;
 * no function waits in it, and nonblocking calls that come before its end wait in the
 * entry, while their callers go on; blocking ones wait for it.  Which classes there are
 * follows from the order of the calls alone, so all ranks make the same entries with the
 * same tags.  Communicators make their own, because calls on different communicators may
 * come in different orders.  Blocking calls do not, so they take over another's entry
 * (coll_mtree/call/agreed.h).
 *
 * Where calls are encrypted none goes to the fallback: without a plan all go over the
 * default plan, and before the topology is known without an entry.
 *
 * Otherwise, where no plan can be made, a blocking call goes to the fallback: all ranks
 * wait for the exchange and learn it at the same call.  A nonblocking call was accepted
 * before that, and would call the fallback out of order, so it runs over the default plan
 * (coll_mtree/call/default_plan.h).
 *
 * An entry is counted by its holders: classes while it is in force, what its group has
 * agreed on, its exchange, and the requests that use its plan.  So it may outlive the
 * communicator that made it, which only the exchange needs.  Where the network has
 * changed another entry follows it (coll_mtree/call/plan_sequence.h), or the next call of
 * its class makes another one.
 */
#ifndef COLL_MTREE_CALL_PLAN_ENTRY_H
#define COLL_MTREE_CALL_PLAN_ENTRY_H

#include "coll_mtree/call/replan_schedule.h"
#include "coll_mtree/call/request.h"
#include "coll_mtree/plan/plan_reply.h"
#include "coll_mtree/plan/plan_thread.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/relay/relays.h"

/* What is asked of rank 0 about a plan (coll_mtree/call/plan_sequence.h). */
typedef struct {
    coll_mtree_traffic_t *traffic; /* what the sample is made of, owned; NULL: nothing is
                                      asked */
    double promised;               /* seconds that the plans predict for the traffic */
    coll_mtree_link_check_t check; /* on rank 0: that was run; then the one that is to be
                                      run */
} coll_mtree_replan_query_t;

struct coll_mtree_plan_entry {
    atomic_int holders;
    mca_coll_mtree_module_t *module; /* of the communicator that made it, */
    ompi_communicator_t *comm;       /* retained until the exchange has ended */
    coll_mtree_deferred_release_t deferred;
    coll_mtree_call_class_t call_class;
    coll_mtree_replan_query_t query; /* its exchange; or the entry is the first of its
                                        class */
    atomic_bool is_complete;         /* the members down to `relay_plan` are final */
    opal_mutex_t lock;               /* of the list, and of changing the former: */
    mtree_list_t waiting; /* requests, in the order in which they were started */
    int status;           /* Open MPI's code */
    coll_mtree_replan_reply_t
        reply;                 /* of rank 0; to stay where the exchange has failed */
    mtree_plan_part_t *part;   /* of its plan; NULL: none could be made.  With a query at
                                  first of the plan that it is about */
    unsigned version;          /* on rank 0: of the network that it was made for */
    mtree_forecast_t forecast; /* of the plan, of that with relays if there is one */
    coll_mtree_relay_plan_t *relay_plan; /* the same with relays; NULL: there is none */
    bool warmed_up;                      /* a blocking call has gone over the trees */
    /* On rank 0, while the plan is made: */
    coll_mtree_exchange_t *exchange;
    coll_mtree_plan_task_t task;
    mtree_list_t lines;                 /* that the task has logged */
    const mtree_path_sample_t *samples; /* of the query, from all ranks, the exchange's;
                                           NULL: none */
    coll_mtree_replan_reply_t decided;
    coll_mtree_planned_t planned;
    mtree_piece_t trailer; /* owned; of the plan with relays, or none */
};

/* Where @a comm_class has no entry make one. */
void coll_mtree_plan_entry_ensure(mca_coll_mtree_module_t *module,
                                  ompi_communicator_t *comm,
                                  coll_mtree_comm_class_t *comm_class);

/* An entry of the class of @a req for the reply to @a query, whose members it takes over,
 * about the plan of @a req.  The caller holds it. */
coll_mtree_plan_entry_t *
coll_mtree_plan_entry_follow(const coll_mtree_request_t *req,
                             const coll_mtree_replan_query_t *query);

/* Hold the entry; release it (NULL is allowed), outside callbacks of the PML. */
void coll_mtree_plan_entry_retain(coll_mtree_plan_entry_t *entry);
void coll_mtree_plan_entry_release(coll_mtree_plan_entry_t *entry);

/* The same, and of its communicator. */
void coll_mtree_plan_entry_hold(coll_mtree_plan_entry_t *entry);
void coll_mtree_plan_entry_let_go(coll_mtree_plan_entry_t *entry);

/* For blocking calls of @a comm_class, which has an entry: wait for the plan, which
 * decides the class's server.  Open MPI's code. */
int coll_mtree_plan_entry_wait(mca_coll_mtree_module_t *module,
                               coll_mtree_comm_class_t *comm_class);

/* Does @a req have to wait for the plan?  It is passed then once that is there; from any
 * thread. */
bool coll_mtree_plan_entry_awaits(coll_mtree_plan_entry_t *entry,
                                  coll_mtree_request_t *req);

/* The plan of @a req, which waits no more, with its placement there: that of its entry,
 * or the default plan.  Rank programs need to know how long blocks are, so calls whose
 * blocks are unequal go over the default plan instead. */
const mtree_plan_part_t *coll_mtree_plan_entry_plan(coll_mtree_request_t *req);

/* Free what the classes of @a module hold, and the classes. */
void coll_mtree_plan_entries_destroy(mca_coll_mtree_module_t *module);

/* plan_exchange.c: start the exchange of a new entry.  All ranks start those of a
 * communicator in the same order. */
void coll_mtree_plan_exchange_start(coll_mtree_plan_entry_t *entry);

/* With the component: nothing is planned any more. */
void coll_mtree_plan_exchange_close(void);

/* For plan_exchange.c: the exchange has ended: calls may begin. */
void coll_mtree_plan_entry_complete(coll_mtree_plan_entry_t *entry);

/* @a module has a plan for @a version of the network, which rank 0 looks at. */
void coll_mtree_plan_entry_note_version(mca_coll_mtree_module_t *module,
                                        unsigned version);

#endif

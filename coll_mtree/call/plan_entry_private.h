/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan entries, for the files that make them: plan_entry.c has their life,
 * plan_exchange.c the exchange that brings the plan.
 */
#ifndef COLL_MTREE_CALL_PLAN_ENTRY_PRIVATE_H
#define COLL_MTREE_CALL_PLAN_ENTRY_PRIVATE_H

#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/control/exchange.h"
#include "coll_mtree/plan/decision.h"
#include "coll_mtree/plan/plan_reply.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/relay/relayed.h"

struct coll_mtree_plan_entry {
    atomic_int holders;
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm; /* retained until the exchange has ended */
    coll_mtree_deferred_release_t deferred;
    coll_mtree_call_class_t call_class;
    coll_mtree_exchange_t *exchange;
    mtree_list_t pending;          /* in the module's list until its exchange is opened */
    bool asks_hosts;               /* by its exchange */
    bool is_plain;                 /* it has no exchange: its calls go over the default */
    atomic_int unfinished;         /* of its opening and its being settled */
    atomic_bool settled;           /* status, part, version and forecast are final */
    int status;                    /* Open MPI's code */
    mtree_plan_t *plan;            /* on rank 0: the first; or NULL */
    mtree_plan_part_t *part;       /* of the first; NULL: none could be made */
    unsigned version;              /* on rank 0: of the network that it was made for */
    mtree_forecast_t forecast;     /* of the plan, of that with relays if there is one */
    coll_mtree_relayed_t *relayed; /* the same with relays; NULL: there is none */
    mtree_plan_part_t *default_part; /* call/default_plan.h; NULL: not needed yet */
    bool warmed_up;                  /* a blocking call has gone over the trees */
    coll_mtree_replan_nonblocking_t replan; /* of nonblocking calls */
    /* On rank 0, while the plan is made: */
    coll_mtree_decision_t decision;         /* holds the entry */
    const coll_mtree_host_t *contributions; /* [ranks], the exchange's; NULL: none */
    coll_mtree_planned_t planned;
    coll_mtree_appendix_t appendix; /* owned; of the plan with relays, or none */
};

/* Start the exchange of a new entry.  All ranks start those of a communicator in the same
 * order. */
coll_mtree_exchange_t *coll_mtree_plan_exchange_start(coll_mtree_plan_entry_t *entry);

/* The exchange has ended: calls may begin, and the exchange of the next entry may end. */
void coll_mtree_plan_entry_settled(coll_mtree_plan_entry_t *entry);

/* Log rank 0's line about the communicator, once. */
void coll_mtree_plan_entry_log(const coll_mtree_plan_entry_t *entry);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decisions that rank 0 makes in the planning thread (coll_mtree/plan/plan_thread.h),
 * while the exchange that asks for them waits and the program goes on.
 */
#ifndef COLL_MTREE_PLAN_DECISION_H
#define COLL_MTREE_PLAN_DECISION_H

#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/control/exchange.h"
#include "coll_mtree/plan/plan_thread.h"

/* A member of what is decided.  The thread uses it until `reply` or `release` is called;
 * at MPI_Finalize they may be called without `decide`. */
typedef struct coll_mtree_decision {
    /* Set by the caller that starts it. */
    ompi_communicator_t *comm;                            /* retained until the release */
    void (*decide)(struct coll_mtree_decision *decision); /* in the planning thread */
    /* Reply to @a exchange, unless that has failed. */
    void (*reply)(struct coll_mtree_decision *decision, coll_mtree_exchange_t *exchange);
    void (*release)(struct coll_mtree_decision *decision); /* free it */
    /* From here on the unit's own. */
    coll_mtree_plan_task_t task;
    coll_mtree_exchange_t *exchange; /* waits; NULL: none */
    mtree_list_t log;
    coll_mtree_deferred_release_t deferred;
} coll_mtree_decision_t;

/* Before the first decision, from a call of the user; and with the component. */
void coll_mtree_decisions_open(void);
void coll_mtree_decisions_close(void);

/* Postpone @a exchange, whose decision this is, and begin to decide; NULL: no exchange
 * waits, and `reply` is not called. */
void coll_mtree_decision_start(coll_mtree_decision_t *decision,
                               coll_mtree_exchange_t *exchange);

#endif

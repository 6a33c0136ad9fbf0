/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/decision.h"

#include "coll_mtree/base/fallback.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/transport/progress.h"

#include <stdatomic.h>

static atomic_bool is_open;

static coll_mtree_decision_t *decision_of(coll_mtree_plan_task_t *task)
{
    return MTREE_CONTAINER_OF(task, coll_mtree_decision_t, task);
}

static void release_deferred(coll_mtree_deferred_release_t *deferred)
{
    coll_mtree_decision_t *decision =
        MTREE_CONTAINER_OF(deferred, coll_mtree_decision_t, deferred);
    ompi_communicator_t *comm = decision->comm;

    decision->release(decision);
    OBJ_RELEASE(comm);
}

static void run(coll_mtree_plan_task_t *task)
{
    coll_mtree_log_keep(&decision_of(task)->log);
    decision_of(task)->decide(decision_of(task));
    coll_mtree_log_keep(NULL);
}

static void decided(coll_mtree_exchange_t *exchange, void *arg)
{
    coll_mtree_decision_t *decision = arg;

    if (exchange != NULL) {
        decision->reply(decision, exchange);
    }
    coll_mtree_deferred_release_add(&decision->deferred);
}

static void end(coll_mtree_plan_task_t *task)
{
    coll_mtree_decision_t *decision = decision_of(task);

    coll_mtree_log_write(&decision->log);
    /* It may be released from here on. */
    if (decision->exchange != NULL) {
        coll_mtree_exchange_resume(decision->exchange);
    } else {
        coll_mtree_deferred_release_add(&decision->deferred);
    }
}

void coll_mtree_decisions_open(void)
{
    if (!atomic_exchange(&is_open, true)) {
        /* The planning thread asks, too, and must not be the one that looks it up. */
        (void)coll_mtree_fallback_is_configured();
        coll_mtree_progress_add(coll_mtree_plan_thread_poll);
    }
}

void coll_mtree_decisions_close(void)
{
    coll_mtree_plan_thread_close();
    coll_mtree_progress_remove(coll_mtree_plan_thread_poll);
    atomic_store(&is_open, false);
}

void coll_mtree_decision_start(coll_mtree_decision_t *decision,
                               coll_mtree_exchange_t *exchange)
{
    OBJ_RETAIN(decision->comm);
    decision->exchange = exchange;
    decision->deferred.release = release_deferred;
    mtree_list_init(&decision->log);
    decision->task = (coll_mtree_plan_task_t){.run = run, .end = end};
    if (exchange != NULL) {
        coll_mtree_exchange_postpone(exchange, decided, decision);
    }
    coll_mtree_plan_thread_add(&decision->task);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

#include "coll_mtree/adapt/follow.h"
#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/base/hints.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/call/backend_choice.h"
#include "coll_mtree/call/comm_class.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/call/request.h"
#include "coll_mtree/topology/source.h"

/*
 * Open MPI itself starts nonblocking collectives of a few integers, from within its
 * progress, while MPI_Comm_idup is under way: at another moment of the program on each
 * rank.  Taking part in them would put what is counted by calls (tags, agreements) out of
 * step, so nonblocking calls up to this size are never served.
 */
#define INTERNAL_BYTES 64

static int64_t dispatch_num_tags(mca_coll_mtree_module_t *module,
                                 ompi_communicator_t *comm, const mtree_call_t *call)
{
    return coll_mtree_backend_num_tags(coll_mtree_hints_max_trees(module, comm),
                                       call->collective, ompi_comm_size(comm));
}

/* Blocking calls are autotuned.  A barrier is an allreduce of nothing, to which what is
 * measured of others does not apply. */
static bool is_autotuned(const coll_mtree_coll_args_t *args, coll_mtree_form_t form)
{
    bool is_barrier = args->call.collective == MTREE_ALLREDUCE && args->op == NULL;

    return form == MTREE_BLOCKING && !is_barrier;
}

/* What is known of the plan of @a comm_class; its autotuner has been asked for the call
 * of
 * @a trial, if it is to be. */
static coll_mtree_plan_facts_t plan_facts(const mca_coll_mtree_module_t *module,
                                          const coll_mtree_comm_class_t *comm_class,
                                          const coll_mtree_trial_t *trial, bool autotuned)
{
    coll_mtree_plan_facts_t facts = {.is_unserved = module->unserved,
                                     .is_known = comm_class->known,
                                     .is_autotuned = autotuned,
                                     .is_timed = trial->autotuner != NULL};

    if (facts.is_known) {
        facts.has_plan = coll_mtree_plan_entry_has_plan(comm_class->entry);
        facts.confidence = coll_mtree_plan_entry_confidence(comm_class->entry);
        facts.trials = comm_class->autotuner->trials;
    }
    return facts;
}

/* What serves the call.  Where no topology is known yet, a blocking call may wait until
 * one is. */
static coll_mtree_backend_t
dispatch_choose(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                const coll_mtree_coll_args_t *args, coll_mtree_form_t form,
                const coll_mtree_comm_class_t *comm_class, coll_mtree_trial_t *trial,
                coll_mtree_fallback_reason_t *reason_p)
{
    const coll_mtree_call_facts_t call_facts = {
        .is_supported = args->verdict == MTREE_COLL_ARGS_SERVED,
        .is_unserved = module->unserved,
        .num_tags = dispatch_num_tags(module, comm, &args->call),
        .most_tags = coll_mtree_tags_most()};
    coll_mtree_backend_t selected = COLL_MTREE_TREES;
    coll_mtree_plan_facts_t facts;

    if (!coll_mtree_backend_is_possible(&call_facts, reason_p)) {
        return COLL_MTREE_FALLBACK;
    }
    if (!coll_mtree_source_is_settled(module, args->call.collective,
                                      form == MTREE_BLOCKING)) {
        *reason_p =
            module->unserved ? COLL_MTREE_REASON_GROUP : COLL_MTREE_REASON_TOPOLOGY;
        return COLL_MTREE_FALLBACK;
    }
    if (comm_class->known && is_autotuned(args, form)) {
        selected = coll_mtree_autotune_begin(comm_class->autotuner, trial);
    }
    facts = plan_facts(module, comm_class, trial, is_autotuned(args, form));
    facts.selected = selected;
    *reason_p = coll_mtree_backend_reason(&facts);
    return coll_mtree_backend_choose(&facts);
}

/* No bytes, no messages; some ranks may not even get here, Open MPI returns at a count of
 * zero. */
static int dispatch_empty(coll_mtree_form_t form, ompi_request_t **request_p)
{
    if (form == MTREE_PERSISTENT) {
        return ompi_request_persistent_noop_create(request_p);
    }
    if (form == MTREE_NONBLOCKING) {
        *request_p = &ompi_request_empty;
    }
    return OMPI_SUCCESS;
}

void coll_mtree_dispatch_declined(coll_mtree_count_t *count, coll_mtree_backend_t backend,
                                  coll_mtree_fallback_reason_t reason)
{
    if (backend == COLL_MTREE_FALLBACK) {
        coll_mtree_statistics_fell_back(count, reason);
    } else {
        coll_mtree_statistics_served(count, backend);
    }
}

static bool is_internal(const coll_mtree_coll_args_t *args, coll_mtree_form_t form)
{
    return form == MTREE_NONBLOCKING && args->verdict == MTREE_COLL_ARGS_SERVED &&
           args->call.units * args->call.unit_bytes <= INTERNAL_BYTES;
}

/* The only place where a rank may learn that there is no plan and go to the fallback,
 * since every rank waits here. */
static int dispatch_blocking(mca_coll_mtree_module_t *module,
                             coll_mtree_comm_class_t *comm_class,
                             coll_mtree_request_t *req, coll_mtree_trial_t *trial)
{
    int rc = coll_mtree_plan_entry_wait(req->entry, comm_class);

    req->blocking = true;
    if (rc == OMPI_SUCCESS) {
        coll_mtree_statistics_served(&trial->count,
                                     req->ring ? COLL_MTREE_RING : COLL_MTREE_TREES);
        rc = coll_mtree_request_start(req);
        if (rc == OMPI_SUCCESS) {
            rc = coll_mtree_request_wait(req);
        }
        if (rc == OMPI_SUCCESS) {
            coll_mtree_plan_entry_note(req->entry, req);
        }
    } else if (rc == MTREE_DECLINED) {
        coll_mtree_plan_facts_t facts = plan_facts(module, comm_class, trial, true);

        coll_mtree_statistics_fell_back(&trial->count, coll_mtree_backend_reason(&facts));
    }
    coll_mtree_request_release(req);
    coll_mtree_deferred_release_run();
    return rc;
}

/* A nonblocking call, which is counted as such, or a persistent request. */
static int dispatch_later(mca_coll_mtree_module_t *module,
                          coll_mtree_comm_class_t *comm_class, coll_mtree_request_t *req,
                          coll_mtree_form_t form, ompi_request_t **request_p)
{
    int rc = OMPI_SUCCESS;

    if (form == MTREE_PERSISTENT) {
        coll_mtree_request_pursue(req, module, &comm_class->node.call_class);
    } else {
        rc = coll_mtree_pursuit_count(req->pursuit, comm_class->node.call_class.bytes);
    }
    if (rc == OMPI_SUCCESS && form == MTREE_NONBLOCKING) {
        rc = coll_mtree_request_start(req);
    }
    if (rc != OMPI_SUCCESS) {
        coll_mtree_request_release(req);
        return rc;
    }
    *request_p = &req->super.super;
    return OMPI_SUCCESS;
}

/* May the call of @a args be looked at?  OMPI_SUCCESS: yes; else the call's end. */
static int dispatch_enter(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                          const coll_mtree_coll_args_t *args, coll_mtree_form_t form)
{
    if (!module->enabled) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* MPI_Comm_dup() makes several on each new communicator: nothing is looked up. */
    if (is_internal(args, form)) {
        coll_mtree_statistics_left(COLL_MTREE_REASON_INTERNAL);
        return MTREE_DECLINED;
    }
    return args->verdict == MTREE_COLL_ARGS_NO_MEMORY ||
                   !coll_mtree_source_create(module, comm)
               ? OMPI_ERR_OUT_OF_RESOURCE
               : OMPI_SUCCESS;
}

/* Take up what a blocking call is told at this point of the order of calls, and what the
 * communicator asks for. */
static void dispatch_catch_up(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                              coll_mtree_coll_args_t *args, coll_mtree_form_t form)
{
    coll_mtree_change_t change = COLL_MTREE_STAY;
    const coll_mtree_hints_t *hints;

    if (form == MTREE_BLOCKING && args->verdict == MTREE_COLL_ARGS_SERVED) {
        change = coll_mtree_follow_catch_up(module);
    }
    if (change != COLL_MTREE_STAY) {
        coll_mtree_plan_entries_renew(module, change == COLL_MTREE_REBALANCE);
        coll_mtree_counters_add_replan();
    }
    hints = coll_mtree_hints_get(module, comm);
    if (hints->chunk_bytes >= 0) {
        args->call.chunk_bytes = (size_t)hints->chunk_bytes;
    }
}

/* The call of @a args, which it takes, by mtree itself: over trees or around a ring. */
static int dispatch_run(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                        coll_mtree_coll_args_t *args, coll_mtree_form_t form,
                        coll_mtree_comm_class_t *comm_class, bool ring,
                        coll_mtree_trial_t *trial, ompi_request_t **request_p)
{
    coll_mtree_plan_entry_t *entry = coll_mtree_plan_entry_get(module, comm, comm_class);
    coll_mtree_request_t *req;

    if (entry == NULL) {
        coll_mtree_coll_args_cleanup(args);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    req = coll_mtree_request_create(
        comm, args, entry,
        coll_mtree_tags_reserve(module, (int)dispatch_num_tags(module, comm, &args->call),
                                form == MTREE_PERSISTENT),
        form == MTREE_PERSISTENT);
    if (req == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    req->ring = ring;
    req->transfer.record = trial->count.record;
    if (form == MTREE_BLOCKING) {
        return dispatch_blocking(module, comm_class, req, trial);
    }
    req->count = trial->count;
    return dispatch_later(module, comm_class, req, form, request_p);
}

static int dispatch(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                    coll_mtree_coll_args_t *args, coll_mtree_form_t form,
                    coll_mtree_trial_t *trial, ompi_request_t **request_p)
{
    coll_mtree_fallback_reason_t reason = COLL_MTREE_REASON_CALL;
    coll_mtree_backend_t backend;
    coll_mtree_comm_class_t *comm_class;
    int rc;

    coll_mtree_deferred_release_run();
    if (args->verdict == MTREE_COLL_ARGS_EMPTY) {
        return dispatch_empty(form, request_p);
    }
    rc = dispatch_enter(module, comm, args, form);
    if (rc != OMPI_SUCCESS) {
        coll_mtree_coll_args_cleanup(args);
        return rc;
    }
    /* The replies that are applied now may change the class of the call. */
    dispatch_catch_up(module, comm, args, form);
    comm_class = coll_mtree_comm_class_of(module, &args->call);
    if (comm_class == NULL) {
        coll_mtree_coll_args_cleanup(args);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    coll_mtree_statistics_open(&trial->count, module, comm, args->function, comm_class,
                               (double)args->call.units * (double)args->call.unit_bytes);
    backend = dispatch_choose(module, comm, args, form, comm_class, trial, &reason);
    if (backend == COLL_MTREE_FALLBACK || backend == COLL_MTREE_BASE_ALGORITHM) {
        coll_mtree_dispatch_declined(&trial->count, backend, reason);
        coll_mtree_coll_args_cleanup(args);
        return MTREE_DECLINED;
    }
    return dispatch_run(module, comm, args, form, comm_class, backend == COLL_MTREE_RING,
                        trial, request_p);
}

int coll_mtree_dispatch(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                        coll_mtree_coll_args_t *args, coll_mtree_form_t form,
                        coll_mtree_trial_t *trial, ompi_request_t **request_p)
{
    int rc = dispatch(module, comm, args, form, trial, request_p);

    return rc == OMPI_ERR_OUT_OF_RESOURCE ? coll_mtree_no_memory(comm) : rc;
}

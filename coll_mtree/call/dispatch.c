#include "coll_mtree/call/dispatch.h"

#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/adapt/follow.h"
#include "coll_mtree/base/hints.h"
#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/call/request.h"
#include "coll_mtree/topology/source.h"
#include "coll_mtree/base/tags.h"

#include "schedule/stream.h"

/*
 * Open MPI itself starts nonblocking collectives of a few integers, from within its
 * progress, while MPI_Comm_idup is under way: at another moment of the program on each
 * rank.  Taking part in them would put what is counted by calls (tags, agreements) out of
 * step, so nonblocking calls up to this size are never served.
 */
#define INTERNAL_BYTES 64

/* Tags that a call may need whatever its plan will be. */
static int64_t serve_num_tags(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                              const mtree_call_t *call)
{
    int64_t trees = coll_mtree_hints_max_trees(module, comm);

    if (mtree_collective_is_gathering(call->collective)) {
        trees *= ompi_comm_size(comm);
    }
    return trees * MTREE_STREAM_TAGS;
}

/* Does the guard try who is faster?  A barrier is an allreduce of nothing, to which what
 * is measured of others does not apply. */
static bool is_guarded(const coll_mtree_coll_args_t *task, coll_mtree_form_t form)
{
    bool is_barrier = task->call.collective == MTREE_ALLREDUCE && task->op == NULL;

    return form == MTREE_BLOCKING && !is_barrier;
}

/*
 * Who takes the call.  All that enters is the same on every rank at this point
 * of the order of calls; in particular not what this rank has heard so far from an
 * agreement that is under way, only what a blocking call has waited for before.  Where no
 * topology is known yet, a blocking call may wait until one is.
 */
static coll_mtree_backend_t
serve_choose(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
             const coll_mtree_coll_args_t *task, coll_mtree_form_t form,
             const coll_mtree_call_class_t *kind, coll_mtree_trial_t *turn,
             coll_mtree_fallback_reason_t *why_p)
{
    coll_mtree_trial_t *guarded = is_guarded(task, form) ? turn : NULL;
    coll_mtree_backend_t server;

    if (task->verdict != MTREE_COLL_ARGS_SERVED) {
        *why_p = COLL_MTREE_REASON_CALL;
        return COLL_MTREE_FALLBACK;
    }
    if (module->unserved) {
        *why_p = COLL_MTREE_REASON_GROUP;
        return COLL_MTREE_FALLBACK;
    }
    if (serve_num_tags(module, comm, &task->call) > coll_mtree_tags_most()) {
        *why_p = COLL_MTREE_REASON_TAGS;
        return COLL_MTREE_FALLBACK;
    }
    if (!coll_mtree_source_is_settled(module, task->call.collective,
                                      form == MTREE_BLOCKING)) {
        *why_p = module->unserved ? COLL_MTREE_REASON_GROUP : COLL_MTREE_REASON_TOPOLOGY;
        return COLL_MTREE_FALLBACK;
    }
    server = coll_mtree_plan_entry_backend(module, kind, guarded);
    if (server == COLL_MTREE_FALLBACK) {
        *why_p = coll_mtree_plan_entry_reason(module, kind, guarded);
    }
    return server;
}

/* No bytes, no messages; some ranks may not even get here, Open MPI returns at a count of
 * zero. */
static int serve_empty(coll_mtree_form_t form, ompi_request_t **request_p)
{
    if (form == MTREE_PERSISTENT) {
        return ompi_request_persistent_noop_create(request_p);
    }
    if (form == MTREE_NONBLOCKING) {
        *request_p = &ompi_request_empty;
    }
    return OMPI_SUCCESS;
}

void coll_mtree_dispatch_declined(coll_mtree_count_t *count, coll_mtree_backend_t server,
                                  coll_mtree_fallback_reason_t why)
{
    if (server == COLL_MTREE_FALLBACK) {
        coll_mtree_statistics_fell_back(count, why);
    } else {
        coll_mtree_statistics_served(count, server);
    }
}

static bool is_internal(const coll_mtree_coll_args_t *task, coll_mtree_form_t form)
{
    return form == MTREE_NONBLOCKING && task->verdict == MTREE_COLL_ARGS_SERVED &&
           task->call.units * task->call.unit_bytes <= INTERNAL_BYTES;
}

/* Only here a rank may learn that there is no plan and go to the fallback: every rank
 * waits. */
static int serve_blocking(mca_coll_mtree_module_t *module,
                          const coll_mtree_call_class_t *kind, coll_mtree_request_t *run,
                          coll_mtree_trial_t *turn)
{
    int rc = coll_mtree_plan_entry_wait(run->agreement);

    run->blocking = true;
    if (rc == OMPI_SUCCESS) {
        coll_mtree_statistics_served(&turn->count,
                                     run->ring ? COLL_MTREE_RING : COLL_MTREE_TREES);
        rc = coll_mtree_request_start(run);
        if (rc == OMPI_SUCCESS) {
            rc = coll_mtree_request_wait(run);
        }
        if (rc == OMPI_SUCCESS) {
            coll_mtree_plan_entry_note(run->agreement, run);
        }
    } else if (rc == MTREE_DECLINED) {
        coll_mtree_statistics_fell_back(&turn->count,
                                        coll_mtree_plan_entry_reason(module, kind, turn));
    }
    coll_mtree_request_release(run);
    coll_mtree_deferred_release_run();
    return rc;
}

/* A nonblocking call, which is counted as such, or a persistent request. */
static int serve_later(mca_coll_mtree_module_t *module,
                       const coll_mtree_call_class_t *kind, coll_mtree_request_t *run,
                       coll_mtree_form_t form, ompi_request_t **request_p)
{
    int rc = OMPI_SUCCESS;

    if (form == MTREE_PERSISTENT) {
        coll_mtree_request_pursue(run, module, kind);
    } else {
        rc = coll_mtree_pursuit_count(run->pursuit, kind->bytes);
    }
    if (rc == OMPI_SUCCESS && form == MTREE_NONBLOCKING) {
        rc = coll_mtree_request_start(run);
    }
    if (rc != OMPI_SUCCESS) {
        coll_mtree_request_release(run);
        return rc;
    }
    *request_p = &run->super.super;
    return OMPI_SUCCESS;
}

/* May the call of @a task be looked at?  OMPI_SUCCESS: yes; else the call's end. */
static int serve_enter(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                       const coll_mtree_coll_args_t *task, coll_mtree_form_t form)
{
    if (!module->enabled) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* MPI_Comm_dup() makes several on each new communicator: nothing is looked up. */
    if (is_internal(task, form)) {
        coll_mtree_statistics_left(COLL_MTREE_REASON_INTERNAL);
        return MTREE_DECLINED;
    }
    return task->verdict == MTREE_COLL_ARGS_NO_MEMORY ||
                   !coll_mtree_source_create(module, comm)
               ? OMPI_ERR_OUT_OF_RESOURCE
               : OMPI_SUCCESS;
}

/* Take up what a blocking call is told at this point of the order of calls, and what the
 * communicator asks for. */
static void serve_catch_up(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                           coll_mtree_coll_args_t *task, coll_mtree_form_t form)
{
    coll_mtree_change_t change = COLL_MTREE_STAY;
    const coll_mtree_hints_t *hints;

    if (form == MTREE_BLOCKING && task->verdict == MTREE_COLL_ARGS_SERVED) {
        change = coll_mtree_follow_catch_up(module);
    }
    if (change != COLL_MTREE_STAY) {
        coll_mtree_plan_entries_renew(module, change == COLL_MTREE_REBALANCE);
        coll_mtree_statistics_add_replan();
    }
    hints = coll_mtree_hints_get(module, comm);
    if (hints->chunk_bytes >= 0) {
        task->call.chunk_bytes = (size_t)hints->chunk_bytes;
    }
}

/* The call of @a task, which it takes, by mtree itself: over trees or around a ring. */
static int serve_run(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                     coll_mtree_coll_args_t *task, coll_mtree_form_t form,
                     const coll_mtree_call_class_t *kind, bool ring,
                     coll_mtree_trial_t *turn, ompi_request_t **request_p)
{
    coll_mtree_plan_entry_t *agreement = coll_mtree_plan_entry_get(module, comm, kind);
    coll_mtree_request_t *run;

    if (agreement == NULL) {
        coll_mtree_coll_args_cleanup(task);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    run = coll_mtree_request_create(
        comm, task, agreement,
        coll_mtree_tags_reserve(module, (int)serve_num_tags(module, comm, &task->call),
                                form == MTREE_PERSISTENT),
        form == MTREE_PERSISTENT);
    if (run == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    run->ring = ring;
    run->passage.record = turn->count.record;
    if (form == MTREE_BLOCKING) {
        return serve_blocking(module, kind, run, turn);
    }
    run->count = turn->count;
    return serve_later(module, kind, run, form, request_p);
}

static int serve(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                 coll_mtree_coll_args_t *task, coll_mtree_form_t form,
                 coll_mtree_trial_t *turn, ompi_request_t **request_p)
{
    coll_mtree_fallback_reason_t why = COLL_MTREE_REASON_CALL;
    coll_mtree_backend_t server;
    coll_mtree_call_class_t kind;
    int rc;

    coll_mtree_deferred_release_run();
    if (task->verdict == MTREE_COLL_ARGS_EMPTY) {
        return serve_empty(form, request_p);
    }
    rc = serve_enter(module, comm, task, form);
    if (rc != OMPI_SUCCESS) {
        coll_mtree_coll_args_cleanup(task);
        return rc;
    }
    /* What it is told now may change what kind of call this one is. */
    serve_catch_up(module, comm, task, form);
    kind = coll_mtree_call_class_of(module, &task->call);
    coll_mtree_statistics_open(&turn->count, module, comm, task->function, &kind,
                               (double)task->call.units * (double)task->call.unit_bytes);
    server = serve_choose(module, comm, task, form, &kind, turn, &why);
    if (server == COLL_MTREE_FALLBACK || server == COLL_MTREE_BASE_ALGORITHM) {
        coll_mtree_dispatch_declined(&turn->count, server, why);
        coll_mtree_coll_args_cleanup(task);
        return MTREE_DECLINED;
    }
    return serve_run(module, comm, task, form, &kind, server == COLL_MTREE_RING, turn,
                     request_p);
}

int coll_mtree_dispatch(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                        coll_mtree_coll_args_t *task, coll_mtree_form_t form,
                        coll_mtree_trial_t *turn, ompi_request_t **request_p)
{
    int rc = serve(module, comm, task, form, turn, request_p);

    return rc == OMPI_ERR_OUT_OF_RESOURCE ? coll_mtree_no_memory(comm) : rc;
}

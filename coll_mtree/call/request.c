/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/request.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/call/plan_entry.h"

#include "base/clock.h"
#include "base/memory.h"
#include "opal/runtime/opal_progress.h"
#include "schedule/arrival/arrival.h"
#include "schedule/operation.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* Bytes of coll_mtree_arrival_aside that no broadcast holds. */
static atomic_size_t aside_left;

void coll_mtree_requests_open(void)
{
    atomic_init(&aside_left, coll_mtree_params.arrival_aside);
}

static void request_destroy(coll_mtree_request_t *req)
{
    ompi_communicator_t *comm = req->comm;

    coll_mtree_buffers_cleanup(&req->buffers);
    mtree_goodput_destroy(req->goodput);
    mtree_layout_destroy(req->layout);
    mtree_plan_part_destroy(req->part);
    if (req->super.super.req_persistent) {
        coll_mtree_tag_slots_release(&req->module->tags.slots, req->slot);
    }
    coll_mtree_coll_args_cleanup(&req->args);
    coll_mtree_plan_entry_release(req->entry);
    OBJ_RELEASE(req);
    /* With its last reference goes the module. */
    OBJ_RELEASE(comm);
}

static void request_destroy_deferred(coll_mtree_deferred_release_t *deferred)
{
    request_destroy(MTREE_CONTAINER_OF(deferred, coll_mtree_request_t, deferred));
}

static bool request_let_go(coll_mtree_request_t *req)
{
    return atomic_fetch_sub(&req->holders, 1) == 1;
}

/* Release the reference of another holder, perhaps in a callback. */
static void request_drop(coll_mtree_request_t *req)
{
    if (request_let_go(req)) {
        coll_mtree_deferred_release_add(&req->deferred);
    }
}

void coll_mtree_request_release(coll_mtree_request_t *req)
{
    OMPI_REQUEST_FINI(&req->super.super);
    if (request_let_go(req)) {
        request_destroy(req);
    }
}

static int request_free(ompi_request_t **request)
{
    coll_mtree_request_release((coll_mtree_request_t *)*request);
    coll_mtree_deferred_release_run();
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int request_start(size_t count, ompi_request_t **requests)
{
    for (size_t i = 0; i < count; i++) {
        coll_mtree_request_start((coll_mtree_request_t *)requests[i]);
    }
    return OMPI_SUCCESS;
}

/* MPI does not let collectives be cancelled. */
static int request_cancel(ompi_request_t *request, int complete)
{
    (void)request;
    (void)complete;
    return MPI_ERR_REQUEST;
}

static void request_construct(coll_mtree_request_t *req)
{
    ompi_request_t *request = &req->super.super;

    request->req_type = OMPI_REQUEST_COLL;
    request->req_start = request_start;
    request->req_free = request_free;
    request->req_cancel = request_cancel;
    request->req_status = ompi_status_empty;
    memset((char *)req + sizeof(req->super), 0, sizeof(*req) - sizeof(req->super));
    atomic_init(&req->holders, 1);
    req->deferred.release = request_destroy_deferred;
}

OBJ_CLASS_INSTANCE(coll_mtree_request_t, ompi_coll_base_nbc_request_t, request_construct,
                   NULL);

_Static_assert(MTREE_CALL_TAGS <= COLL_MTREE_CALL_TAGS, "every call has its tags");
_Static_assert(MTREE_ARRIVAL_TAGS <= COLL_MTREE_CALL_TAGS, "by arrival, too");

coll_mtree_request_t *coll_mtree_request_create(mca_coll_mtree_module_t *module,
                                                ompi_communicator_t *comm,
                                                coll_mtree_coll_args_t *args,
                                                coll_mtree_comm_class_t *comm_class,
                                                bool persistent)
{
    coll_mtree_request_t *req = OBJ_NEW(coll_mtree_request_t);

    mtree_require(req == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    if (persistent) {
        req->slot = coll_mtree_tag_slots_take(&module->tags.slots);
        req->first_tag = coll_mtree_tag_range_persistent(&module->tags, req->slot);
    } else {
        req->call.number = module->calls.issued++;
        req->first_tag = coll_mtree_tag_range_call(&module->tags, req->call.number);
    }
    coll_mtree_coll_args_keep(args, ompi_comm_size(comm));
    req->call.bytes = args->call.units * args->call.unit_bytes;
    OMPI_REQUEST_INIT(&req->super.super, persistent);
    req->super.super.req_mpi_object.comm = comm;
    req->comm = comm;
    req->module = module;
    OBJ_RETAIN(comm);
    req->comm_class = comm_class;
    req->entry = comm_class->entry;
    if (req->entry != NULL) {
        coll_mtree_plan_entry_retain(req->entry);
    }
    req->args = *args;
    req->args.call.longest_bytes = module->longest_bytes;
    return req;
}

static void request_leave(coll_mtree_request_t *req);

/* Runs in a callback of the PML or in the call that started it. */
static void request_end(coll_mtree_request_t *req, int rc)
{
    mtree_require(rc == OMPI_ERR_OUT_OF_RESOURCE ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    coll_mtree_statistics_close(&req->count);
    req->super.super.req_status.MPI_ERROR = rc;
    ompi_request_complete(&req->super.super, true);
    if (rc != OMPI_SUCCESS && !req->super.super.req_persistent) {
        coll_mtree_calls_break(req->module);
    } else if (req->layout != NULL) {
        request_leave(req);
    }
    request_drop(req);
}

/* Its operation or program has ended, and is freed. */
static void request_close(coll_mtree_request_t *req, mtree_status_t status)
{
    double unit = (double)req->args.call.unit_bytes;

    if (req->over_tcp) {
        coll_mtree_tcp_end(&req->transport, status);
    }
    if (req->goodput != NULL) {
        mtree_goodput_end(req->goodput, mtree_clock_seconds());
    }
    coll_mtree_counters_add_scratch(-(ptrdiff_t)req->scratch);
    if (status == MTREE_OK) {
        coll_mtree_buffers_deliver(&req->buffers);
        coll_mtree_statistics_passed(&req->transfer, req->goodput, req->layout, unit,
                                     unit / (double)req->buffers.super.extent);
    } else if (!req->transport.super.ends_all) {
        /* Messages to and from its memory may never end: it is held for ever. */
        atomic_fetch_add(&req->holders, 1);
    }
    request_end(req, coll_mtree_transport_code(&req->transport, status));
}

static void request_ended(mtree_operation_t *operation, mtree_status_t status, void *arg)
{
    mtree_operation_free(operation);
    request_close(arg, status);
}

/* No message of an arrival-ordered operation is under way any more. */
static void request_released(void *arg)
{
    coll_mtree_request_t *req = arg;

    request_leave(req);
    request_drop(req);
}

/* The code of a call that does not fit the plan of rank 0. */
static int different_calls(const coll_mtree_request_t *req, const mtree_plan_part_t *part)
{
    const mtree_placement_t *placement = req->placement;
    const mtree_call_t *call = &req->args.call;
    char own[32] = "", planned[80];
    const char *name = mtree_collective_name(part->collective);

    (void)snprintf(planned, sizeof(planned), "%s", name);
    if (part->collective == call->collective && part->root >= 0) {
        const int *ranks = &placement->first[part->root];

        /* The part has the root's host, not which of its ranks it is. */
        (void)snprintf(own, sizeof(own), " with root %d", call->root);
        (void)snprintf(planned, sizeof(planned), "%s with root %d%s", name,
                       placement->ranks[ranks[0]],
                       ranks[1] - ranks[0] > 1 ? " or another rank of its host" : "");
    }
    return coll_mtree_different_calls(req->comm, req->args.function, own, planned);
}

/* Lay the call out over the plan that rank 0 has sent.  Open MPI's code. */
static int request_lay_out(coll_mtree_request_t *req, const mtree_plan_part_t *part)
{
    const int rank = ompi_comm_rank(req->comm);
    mtree_status_t status;

    req->args.call.overlap = mtree_operation_overlap(&req->buffers.super);
    status =
        mtree_layout_create(part, req->placement, &req->args.call, rank, &req->layout);
    if (status == MTREE_ERR_UNSUPPORTED) {
        return different_calls(req, part);
    }
    mtree_require(status);
    return OMPI_SUCCESS;
}

/*
 * Is the call of @a args arrival-ordered where @a part is of its plan?  The same on all
 * ranks.  With an arrival-ordered plan, other calls go over its tree: reductions whose
 * order must not depend on when ranks arrive, barriers, in which no rank is early, and
 * what is to be encrypted, since arrival-ordered calls go over the PML.
 */
static bool is_by_arrival(const mtree_plan_part_t *part,
                          const coll_mtree_coll_args_t *args)
{
    if (coll_mtree_params.encrypt || part->plan == NULL ||
        !mtree_plan_is_by_arrival(part->plan) ||
        !mtree_arrival_serves(args->call.collective)) {
        return false;
    }
    return args->call.collective == MTREE_BCAST ||
           (args->op != NULL && !coll_mtree_params.deterministic);
}

/* Make what depends on the plan; a persistent request does so once. */
static int request_prepare(coll_mtree_request_t *req)
{
    const mtree_plan_part_t *part;

    if (req->part != NULL) {
        return OMPI_SUCCESS;
    }
    part = coll_mtree_plan_entry_plan(req);
    req->args.call.recovery = coll_mtree_tcp_recovery(req->comm, part);
    coll_mtree_buffers_init(&req->buffers, &req->args, ompi_comm_rank(req->comm),
                            ompi_comm_size(req->comm));
    if (!is_by_arrival(part, &req->args)) {
        int rc = request_lay_out(req, part);

        if (rc != OMPI_SUCCESS) {
            coll_mtree_buffers_cleanup(&req->buffers);
            return rc;
        }
        req->goodput = mtree_goodput_create(req->layout);
    }
    req->buffers.super.goodput = req->goodput;
    req->transfer.num_trees = part->num_trees;
    req->part = mtree_plan_part_retain(part);
    coll_mtree_transport_init(&req->transport, req->comm,
                              req->args.op != NULL ? req->args.datatype : MPI_BYTE,
                              req->first_tag);
    req->scratch = req->layout == NULL
                       ? 0
                       : mtree_operation_scratch(req->layout, &req->buffers.super);
    return OMPI_SUCCESS;
}

static void request_start_by_arrival(coll_mtree_request_t *req)
{
    mtree_operation_t *operation;
    mtree_arrival_t arrival = {.plan = req->part->plan,
                               .placement = req->placement,
                               .call = &req->args.call,
                               .rank = ompi_comm_rank(req->comm),
                               .transport = &req->transport.super,
                               .control = &req->control.super,
                               .window_bytes = coll_mtree_params.arrival_room,
                               .copy_budget = &aside_left,
                               .reuses_tags = req->super.super.req_persistent};

    req->over_tcp = false;
    coll_mtree_transport_init(&req->control, req->comm, MPI_BYTE, req->first_tag);
    /* Until none of its messages is under way. */
    atomic_fetch_add(&req->holders, 1);
    mtree_arrival_start(&arrival, &req->buffers.super, request_ended, request_released,
                        req, &operation);
}

static void request_begin_tcp(coll_mtree_request_t *req)
{
    req->over_tcp = coll_mtree_tcp_begin(
        &req->tcp, &req->transport, req->part, req->layout->peers, req->layout->num_peers,
        req->placement,
        req->super.super.req_persistent ? req->starts++ : (uint32_t)req->call.number);
}

/* Make ready what @a req needs to run over its plan.  Open MPI's code. */
static int request_get_ready(coll_mtree_request_t *req)
{
    int rc = req->entry == NULL ? OMPI_SUCCESS : req->entry->status;

    if (!req->blocking) {
        coll_mtree_statistics_served(&req->count, COLL_MTREE_TREES);
    }
    /* Ranks that lost a process do not wait for its messages, which might all be sent. */
    if (rc == OMPI_SUCCESS) {
        rc = coll_mtree_loss_of(req->comm);
    }
    if (rc == OMPI_SUCCESS) {
        rc = request_prepare(req);
    }
    if (rc == OMPI_SUCCESS) {
        rc = coll_mtree_buffers_begin(&req->buffers);
    }
    if (rc == OMPI_SUCCESS) {
        coll_mtree_counters_add_scratch((ptrdiff_t)req->scratch);
        req->transfer.began = mtree_clock_seconds();
    }
    return rc;
}

/* The plan is known and the window allows it: begin.  The operation may end here, and
 * the request may be freed. */
static void request_begin(coll_mtree_request_t *req)
{
    mtree_operation_t *operation;
    int rc = request_get_ready(req);

    if (rc != OMPI_SUCCESS) {
        request_end(req, rc);
    } else if (req->layout == NULL) {
        request_start_by_arrival(req);
    } else {
        request_begin_tcp(req);
        mtree_operation_start(req->layout, &req->transport.super, &req->buffers.super,
                              request_ended, req, &operation);
    }
}

/* Under the lock, which this releases: begin the calls that the window lets begin, one at
 * a time.  The thread that does so looks again before it ends. */
static void begin_calls(mca_coll_mtree_module_t *module)
{
    coll_mtree_windowed_call_t *call;

    if (module->beginning) {
        opal_mutex_unlock(&module->lock);
        return;
    }
    module->beginning = true;
    while ((call = coll_mtree_call_window_take(&module->calls)) != NULL) {
        opal_mutex_unlock(&module->lock);
        request_begin(MTREE_CONTAINER_OF(call, coll_mtree_request_t, call));
        opal_mutex_lock(&module->lock);
    }
    module->beginning = false;
    opal_mutex_unlock(&module->lock);
}

void coll_mtree_calls_break(mca_coll_mtree_module_t *module)
{
    opal_mutex_lock(&module->lock);
    coll_mtree_call_window_break(&module->calls);
    begin_calls(module);
}

/* No message of @a req, which has begun, is under way any more. */
static void request_leave(coll_mtree_request_t *req)
{
    mca_coll_mtree_module_t *module = req->module;

    if (req->super.super.req_persistent) {
        return;
    }
    opal_mutex_lock(&module->lock);
    coll_mtree_call_window_leave(&module->calls, &req->call);
    begin_calls(module);
}

/* Its plan is there. */
static void request_pass(coll_mtree_request_t *req)
{
    mca_coll_mtree_module_t *module = req->module;

    if (req->super.super.req_persistent) {
        request_begin(req);
        return;
    }
    opal_mutex_lock(&module->lock);
    coll_mtree_call_window_enter(&module->calls, &req->call);
    begin_calls(module);
}

void coll_mtree_request_start(coll_mtree_request_t *req)
{
    atomic_fetch_add(&req->holders, 1);
    req->super.super.req_complete = REQUEST_PENDING;
    req->super.super.req_state = OMPI_REQUEST_ACTIVE;
    if (!req->blocking) {
        coll_mtree_statistics_enter(&req->count);
    }
    req->pass = request_pass;
    if (req->entry == NULL || !coll_mtree_plan_entry_awaits(req->entry, req)) {
        request_pass(req);
    }
    /* Open MPI reports losses of processes in its progress, where a rank that only sends
     * would never be. */
    if (coll_mtree_survives()) {
        opal_progress();
    }
}

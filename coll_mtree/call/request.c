/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/request.h"

#include "coll_mtree/adapt/bandwidth_monitor.h"
#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/call/arrival.h"
#include "coll_mtree/call/plan_entry.h"

#include "base/clock.h"
#include "schedule/operation.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

static void request_destroy(coll_mtree_request_t *req);
static void request_pass(coll_mtree_waiter_t *waiter);

static void request_destroy_deferred(coll_mtree_deferred_release_t *deferred)
{
    request_destroy(MTREE_CONTAINER_OF(deferred, coll_mtree_request_t, deferred));
}

static bool request_let_go(coll_mtree_request_t *req)
{
    return atomic_fetch_sub(&req->holders, 1) == 1;
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
    int rc = OMPI_SUCCESS;

    for (size_t i = 0; i < count && rc == OMPI_SUCCESS; i++) {
        rc = coll_mtree_request_start((coll_mtree_request_t *)requests[i]);
    }
    return rc;
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
}

OBJ_CLASS_INSTANCE(coll_mtree_request_t, ompi_coll_base_nbc_request_t, request_construct,
                   NULL);

/*
 * The user may free datatypes and operation while the call is under way.  Open MPI
 * retains them for nonblocking calls, but not for persistent ones in all versions.
 */
static void request_retain_types(coll_mtree_coll_args_t *args)
{
    OBJ_RETAIN(args->datatype);
    if (args->own.from_type != NULL) {
        OBJ_RETAIN(args->own.from_type);
    }
    if (args->op != NULL) {
        OBJ_RETAIN(args->op);
    }
}

static void request_release_types(coll_mtree_coll_args_t *args)
{
    OBJ_RELEASE(args->datatype);
    if (args->own.from_type != NULL) {
        OBJ_RELEASE(args->own.from_type);
    }
    if (args->op != NULL) {
        OBJ_RELEASE(args->op);
    }
}

coll_mtree_request_t *coll_mtree_request_create(ompi_communicator_t *comm,
                                                coll_mtree_coll_args_t *args,
                                                coll_mtree_plan_entry_t *entry,
                                                int first_tag, bool persistent)
{
    coll_mtree_request_t *req = OBJ_NEW(coll_mtree_request_t);

    if (req == NULL) {
        coll_mtree_coll_args_cleanup(args);
        return NULL;
    }
    OMPI_REQUEST_INIT(&req->super.super, persistent);
    req->super.super.req_mpi_object.comm = comm;
    req->comm = comm;
    OBJ_RETAIN(comm);
    req->entry = entry;
    coll_mtree_plan_entry_retain(entry);
    req->replan = coll_mtree_plan_entry_replan(entry);
    req->waiter.is_ready = NULL;
    req->waiter.pass = request_pass;
    req->is_settled = false;
    req->args = *args;
    req->args.call.longest_bytes = req->replan->super.module->longest_bytes;
    request_retain_types(&req->args);
    memset(&req->buffers, 0, sizeof(req->buffers));
    req->count.record = req->transfer.record = NULL;
    req->scratch = 0;
    req->first_tag = first_tag;
    req->blocking = req->ring = false;
    req->part = NULL;
    req->by_arrival = false;
    req->layout = NULL;
    req->goodput = NULL;
    req->arrival_times = NULL;
    atomic_init(&req->holders, 1);
    req->deferred.release = request_destroy_deferred;
    return req;
}

static coll_mtree_request_t *request_of(coll_mtree_replan_t *own)
{
    return MTREE_CONTAINER_OF(own, coll_mtree_request_t, own_replan.super);
}

static void own_retain(coll_mtree_replan_t *own)
{
    atomic_fetch_add(&request_of(own)->holders, 1);
}

/* Runs outside callbacks. */
static void own_release(coll_mtree_replan_t *own)
{
    if (request_let_go(request_of(own))) {
        request_destroy(request_of(own));
    }
}

void coll_mtree_request_replan(coll_mtree_request_t *req, mca_coll_mtree_module_t *module,
                               const coll_mtree_call_class_t *call_class)
{
    coll_mtree_replan_nonblocking_init(&req->own_replan, module, req->comm, call_class,
                                       true);
    req->own_replan.super.retain = own_retain;
    req->own_replan.super.release = own_release;
    req->replan = &req->own_replan;
}

/* Free what was prepared for a plan. */
static void request_unprepare(coll_mtree_request_t *req)
{
    coll_mtree_buffers_cleanup(&req->buffers);
    memset(&req->buffers, 0, sizeof(req->buffers));
    mtree_goodput_destroy(req->goodput);
    req->goodput = NULL;
    free(req->arrival_times);
    req->arrival_times = NULL;
    mtree_layout_destroy(req->layout);
    req->layout = NULL;
    req->scratch = 0;
    mtree_plan_part_destroy(req->part);
    req->part = NULL;
}

static void request_destroy(coll_mtree_request_t *req)
{
    ompi_communicator_t *comm = req->comm;

    request_unprepare(req);
    if (req->replan == &req->own_replan) {
        coll_mtree_replan_nonblocking_cleanup(&req->own_replan);
    }
    request_release_types(&req->args);
    coll_mtree_coll_args_cleanup(&req->args);
    coll_mtree_plan_entry_release(req->entry);
    OBJ_RELEASE(req);
    /* With its last reference goes the module. */
    OBJ_RELEASE(comm);
}

/* The starts of a persistent request have an order of their own, the same on all ranks.
 */
static int request_count_start(coll_mtree_request_t *req)
{
    const mtree_call_t *call = &req->args.call;

    if (req->replan != &req->own_replan) {
        return OMPI_SUCCESS;
    }
    if (!req->is_settled) {
        req->is_settled = true;
        coll_mtree_plan_entry_settle(req->entry, &req->own_replan);
    }
    return coll_mtree_replan_nonblocking_count(&req->own_replan,
                                               (double)(call->units * call->unit_bytes));
}

int coll_mtree_request_start(coll_mtree_request_t *req)
{
    int rc = request_count_start(req);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    atomic_fetch_add(&req->holders, 1);
    req->super.super.req_complete = REQUEST_PENDING;
    req->super.super.req_state = OMPI_REQUEST_ACTIVE;
    if (req->count.record != NULL) {
        req->count.began = mtree_clock_seconds();
        coll_mtree_statistics_served(&req->count, COLL_MTREE_TREES);
    }
    coll_mtree_ordered_gate_join(&req->replan->super.gate, &req->waiter);
    /* Open MPI reports losses of processes in its progress, where a rank that only sends
     * would never be. */
    if (coll_mtree_survives()) {
        opal_progress();
    }
    return OMPI_SUCCESS;
}

int coll_mtree_request_wait(coll_mtree_request_t *req)
{
    ompi_request_wait_completion(&req->super.super);
    return req->super.super.req_status.MPI_ERROR;
}

/* Runs in a callback of the PML or in the call that started it. */
static void request_end(coll_mtree_request_t *req, int rc)
{
    coll_mtree_statistics_close(&req->count);
    req->super.super.req_status.MPI_ERROR =
        rc == OMPI_ERR_OUT_OF_RESOURCE ? coll_mtree_no_memory(req->comm) : rc;
    ompi_request_complete(&req->super.super, true);
    if (request_let_go(req)) {
        coll_mtree_deferred_release_add(&req->deferred);
    }
}

static void request_ended(mtree_operation_t *operation, mtree_status_t status, void *arg)
{
    coll_mtree_request_t *req = arg;
    double unit = (double)req->args.call.unit_bytes;

    mtree_operation_free(operation);
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

/* No message of an arrival-ordered operation is under way any more. */
static void request_released(void *arg)
{
    coll_mtree_request_t *req = arg;

    if (request_let_go(req)) {
        coll_mtree_deferred_release_add(&req->deferred);
    }
}

/* Note that no rank has arrived yet; false: no memory. */
static bool request_await_all(coll_mtree_request_t *req)
{
    size_t ranks = (size_t)ompi_comm_size(req->comm);

    req->arrival_times = malloc(ranks * sizeof(*req->arrival_times));
    for (size_t rank = 0; req->arrival_times != NULL && rank < ranks; rank++) {
        req->arrival_times[rank] = -1;
    }
    return req->arrival_times != NULL;
}

/* Make what depends on the plan; a persistent request does so once per plan. */
static int request_prepare(coll_mtree_request_t *req, const mtree_plan_part_t *part,
                           const mtree_placement_t *placement)
{
    const coll_mtree_hints_t *hints = &req->replan->super.module->hints;
    int rc;

    if (req->part == part) {
        return OMPI_SUCCESS;
    }
    request_unprepare(req);
    if (hints->chunk_bytes >= 0) {
        req->args.call.chunk_bytes = (size_t)hints->chunk_bytes;
    }
    rc = coll_mtree_buffers_init(&req->buffers, &req->args, ompi_comm_rank(req->comm),
                                 ompi_comm_size(req->comm));
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    req->by_arrival = coll_mtree_arrival_serves(part, &req->args);
    if (!req->by_arrival &&
        mtree_layout_create(part, placement, &req->args.call, ompi_comm_rank(req->comm),
                            &req->layout) != MTREE_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (req->layout != NULL &&
        mtree_goodput_create(req->layout, &req->goodput) != MTREE_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (coll_mtree_params.replan && req->by_arrival && !req->super.super.req_persistent &&
        !request_await_all(req)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    req->buffers.super.goodput = req->goodput;
    req->transfer.num_trees = req->ring ? 0 : part->num_trees;
    req->part = mtree_plan_part_retain(part);
    coll_mtree_transport_init(&req->transport, req->comm,
                              req->args.op != NULL ? req->args.datatype : MPI_BYTE,
                              req->first_tag);
    if (req->layout != NULL) {
        req->scratch = mtree_operation_scratch(req->layout, &req->buffers.super);
    }
    return OMPI_SUCCESS;
}

static mtree_status_t request_operate(coll_mtree_request_t *req,
                                      const mtree_plan_part_t *part,
                                      const mtree_placement_t *placement)
{
    mtree_operation_t *operation;
    mtree_status_t status;

    if (!req->by_arrival) {
        return mtree_operation_start(req->layout, &req->transport.super,
                                     &req->buffers.super, request_ended, req, &operation);
    }
    atomic_fetch_add(&req->holders, 1);
    req->began = mtree_clock_seconds();
    status = coll_mtree_arrival_start(req, part->plan, placement, request_ended,
                                      request_released, &operation);
    if (status != MTREE_OK) {
        atomic_fetch_sub(&req->holders, 1);
    }
    return status;
}

/* The bandwidth monitor counts nonblocking calls that are monitored, and all calls that
 * share links with them, but for the first over each plan, which opens connections. */
static void request_monitor(coll_mtree_request_t *req, const mtree_placement_t *placement)
{
    mca_coll_mtree_module_t *module = req->replan->super.module;
    mtree_bandwidth_monitor_t *monitor;

    if (req->goodput == NULL || placement != module->placement) {
        return;
    }
    monitor = req->replan->is_monitored && !req->blocking
                  ? coll_mtree_bandwidth_monitor_get(module)
                  : coll_mtree_bandwidth_monitor_find(module);
    mtree_goodput_share(req->goodput, req->replan->warmed_up ? monitor : NULL,
                        placement->host, ompi_comm_rank(req->comm),
                        (double)req->args.call.unit_bytes /
                            (double)req->buffers.super.extent);
    req->replan->warmed_up = true;
}

/* Its plan is known: begin. */
static void request_pass(coll_mtree_waiter_t *waiter)
{
    coll_mtree_request_t *req = MTREE_CONTAINER_OF(waiter, coll_mtree_request_t, waiter);
    const mtree_placement_t *placement;
    const mtree_plan_part_t *part;
    int rc =
        coll_mtree_plan_entry_plan(req->entry, req->replan, req->ring, &part, &placement);

    /* Ranks that lost a process do not wait for its messages, which might all be sent. */
    if (rc == OMPI_SUCCESS) {
        rc = coll_mtree_loss_of(req->comm);
    }
    if (rc == OMPI_SUCCESS) {
        rc = request_prepare(req, part, placement);
    }
    if (rc == OMPI_SUCCESS) {
        rc = coll_mtree_buffers_begin(&req->buffers);
    }
    if (rc == OMPI_SUCCESS) {
        request_monitor(req, placement);
    }
    coll_mtree_counters_add_scratch((ptrdiff_t)req->scratch);
    req->transfer.began = mtree_clock_seconds();
    if (rc == OMPI_SUCCESS && request_operate(req, part, placement) != MTREE_OK) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* On success the operation may have ended and the request may be freed. */
    if (rc != OMPI_SUCCESS) {
        coll_mtree_counters_add_scratch(-(ptrdiff_t)req->scratch);
        request_end(req, rc);
    }
}

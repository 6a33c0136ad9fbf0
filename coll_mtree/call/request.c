#include "coll_mtree/call/request.h"

#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/call/arrival.h"
#include "coll_mtree/adapt/bandwidth_monitor.h"

#include "schedule/operation.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

static void run_destroy(coll_mtree_request_t *run);
static void run_pass(coll_mtree_waiter_t *place);

static void run_destroy_retired(coll_mtree_deferred_release_t *retired)
{
    run_destroy((coll_mtree_request_t *)((char *)retired -
                                         offsetof(coll_mtree_request_t, retired)));
}

static bool run_let_go(coll_mtree_request_t *run)
{
    return atomic_fetch_sub(&run->holders, 1) == 1;
}

void coll_mtree_request_release(coll_mtree_request_t *run)
{
    OMPI_REQUEST_FINI(&run->super.super);
    if (run_let_go(run)) {
        run_destroy(run);
    }
}

static int run_request_free(ompi_request_t **request)
{
    coll_mtree_request_release((coll_mtree_request_t *)*request);
    coll_mtree_deferred_release_run();
    *request = MPI_REQUEST_NULL;
    return OMPI_SUCCESS;
}

static int run_request_start(size_t count, ompi_request_t **requests)
{
    int rc = OMPI_SUCCESS;

    for (size_t i = 0; i < count && rc == OMPI_SUCCESS; i++) {
        rc = coll_mtree_request_start((coll_mtree_request_t *)requests[i]);
    }
    return rc;
}

/* MPI does not let collectives be cancelled. */
static int run_request_cancel(ompi_request_t *request, int complete)
{
    (void)request;
    (void)complete;
    return MPI_ERR_REQUEST;
}

static void run_construct(coll_mtree_request_t *run)
{
    ompi_request_t *request = &run->super.super;

    request->req_type = OMPI_REQUEST_COLL;
    request->req_start = run_request_start;
    request->req_free = run_request_free;
    request->req_cancel = run_request_cancel;
    request->req_status = ompi_status_empty;
}

OBJ_CLASS_INSTANCE(coll_mtree_request_t, ompi_coll_base_nbc_request_t, run_construct,
                   NULL);

/*
 * The user may free datatypes and operation while the call is under way.  Open MPI
 * retains them for nonblocking calls, but not for persistent ones in all versions.
 */
static void run_retain_types(coll_mtree_coll_args_t *task)
{
    OBJ_RETAIN(task->datatype);
    if (task->own.from_type != NULL) {
        OBJ_RETAIN(task->own.from_type);
    }
    if (task->op != NULL) {
        OBJ_RETAIN(task->op);
    }
}

static void run_release_types(coll_mtree_coll_args_t *task)
{
    OBJ_RELEASE(task->datatype);
    if (task->own.from_type != NULL) {
        OBJ_RELEASE(task->own.from_type);
    }
    if (task->op != NULL) {
        OBJ_RELEASE(task->op);
    }
}

coll_mtree_request_t *coll_mtree_request_create(ompi_communicator_t *comm,
                                                coll_mtree_coll_args_t *task,
                                                coll_mtree_plan_entry_t *agreement,
                                                int first_tag, bool persistent)
{
    coll_mtree_request_t *run = OBJ_NEW(coll_mtree_request_t);

    if (run == NULL) {
        coll_mtree_coll_args_cleanup(task);
        return NULL;
    }
    OMPI_REQUEST_INIT(&run->super.super, persistent);
    run->super.super.req_mpi_object.comm = comm;
    run->comm = comm;
    OBJ_RETAIN(comm);
    run->agreement = agreement;
    run->pursuit = coll_mtree_plan_entry_pursuit(agreement);
    run->place.is_ready = NULL;
    run->place.pass = run_pass;
    run->started = false;
    run->task = *task;
    run->task.call.longest_bytes = run->pursuit->module->longest_bytes;
    run_retain_types(&run->task);
    memset(&run->data, 0, sizeof(run->data));
    run->count.record = run->passage.record = NULL;
    run->scratch = 0;
    run->first_tag = first_tag;
    run->blocking = run->ring = false;
    run->plan = NULL;
    run->by_arrival = false;
    run->layout = NULL;
    run->goodput = NULL;
    run->came = NULL;
    atomic_init(&run->holders, 1);
    run->retired.release = run_destroy_retired;
    return run;
}

static coll_mtree_request_t *run_of(coll_mtree_pursuit_t *own)
{
    return (coll_mtree_request_t *)((char *)own - offsetof(coll_mtree_request_t, own));
}

static void own_retain(coll_mtree_pursuit_t *own)
{
    atomic_fetch_add(&run_of(own)->holders, 1);
}

/* Runs outside callbacks. */
static void own_release(coll_mtree_pursuit_t *own)
{
    if (run_let_go(run_of(own))) {
        run_destroy(run_of(own));
    }
}

void coll_mtree_request_pursue(coll_mtree_request_t *run, mca_coll_mtree_module_t *module,
                               const coll_mtree_call_class_t *kind)
{
    coll_mtree_pursuit_init(&run->own, module, run->comm, kind, true);
    run->own.retain = own_retain;
    run->own.release = own_release;
    run->pursuit = &run->own;
}

/* Free what was prepared for a plan. */
static void run_unprepare(coll_mtree_request_t *run)
{
    coll_mtree_buffers_cleanup(&run->data);
    memset(&run->data, 0, sizeof(run->data));
    mtree_goodput_destroy(run->goodput);
    run->goodput = NULL;
    free(run->came);
    run->came = NULL;
    mtree_layout_destroy(run->layout);
    run->layout = NULL;
    run->scratch = 0;
    run->plan = NULL;
}

static void run_destroy(coll_mtree_request_t *run)
{
    ompi_communicator_t *comm = run->comm;

    run_unprepare(run);
    if (run->pursuit == &run->own) {
        coll_mtree_pursuit_cleanup(&run->own);
    }
    run_release_types(&run->task);
    coll_mtree_coll_args_cleanup(&run->task);
    OBJ_RELEASE(run);
    /* With the last one goes the module, which the run's agreement belongs to. */
    OBJ_RELEASE(comm);
}

/* The starts of a persistent request come in an order of their own, which is the same on
 * all ranks. */
static int run_count_start(coll_mtree_request_t *run)
{
    const mtree_call_t *call = &run->task.call;

    if (run->pursuit != &run->own) {
        return OMPI_SUCCESS;
    }
    if (!run->started) {
        run->started = true;
        coll_mtree_plan_entry_settle(run->agreement, &run->own);
    }
    return coll_mtree_pursuit_count(&run->own, (double)(call->units * call->unit_bytes));
}

int coll_mtree_request_start(coll_mtree_request_t *run)
{
    int rc = run_count_start(run);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    atomic_fetch_add(&run->holders, 1);
    run->super.super.req_complete = REQUEST_PENDING;
    run->super.super.req_state = OMPI_REQUEST_ACTIVE;
    if (run->count.record != NULL) {
        run->count.began = coll_mtree_clock();
        coll_mtree_statistics_served(&run->count, COLL_MTREE_TREES);
    }
    coll_mtree_ordered_gate_join(&run->pursuit->queue, &run->place);
    /* Who only sends, and waits for nobody, hears of losses here: they are told in Open
     * MPI's progress. */
    if (coll_mtree_survives()) {
        opal_progress();
    }
    return OMPI_SUCCESS;
}

int coll_mtree_request_wait(coll_mtree_request_t *run)
{
    ompi_request_wait_completion(&run->super.super);
    return run->super.super.req_status.MPI_ERROR;
}

/* Runs in a callback of the PML or in the call that started it. */
static void run_end(coll_mtree_request_t *run, int rc)
{
    coll_mtree_statistics_close(&run->count);
    run->super.super.req_status.MPI_ERROR =
        rc == OMPI_ERR_OUT_OF_RESOURCE ? coll_mtree_no_memory(run->comm) : rc;
    ompi_request_complete(&run->super.super, true);
    if (run_let_go(run)) {
        coll_mtree_deferred_release_add(&run->retired);
    }
}

static void run_ended(mtree_operation_t *operation, mtree_status_t status, void *arg)
{
    coll_mtree_request_t *run = arg;
    double unit = (double)run->task.call.unit_bytes;

    mtree_operation_free(operation);
    if (run->goodput != NULL) {
        mtree_goodput_end(run->goodput, coll_mtree_clock());
    }
    coll_mtree_statistics_add_scratch(-(ptrdiff_t)run->scratch);
    if (status == MTREE_OK) {
        coll_mtree_buffers_deliver(&run->data, &run->task);
        coll_mtree_statistics_passed(&run->passage, run->goodput, run->layout, unit,
                                     unit / (double)run->data.super.extent);
    } else if (!run->transport.super.ends_all) {
        /* Messages may be under way for ever, to and from what the run holds. */
        atomic_fetch_add(&run->holders, 1);
    }
    run_end(run, coll_mtree_transport_code(&run->transport, status));
}

/* What came after the end, of a run by arrival: it held the run besides. */
static void run_released(void *arg)
{
    coll_mtree_request_t *run = arg;

    if (run_let_go(run)) {
        coll_mtree_deferred_release_add(&run->retired);
    }
}

/* By arrival, nobody has come yet; false: no memory. */
static bool run_await_all(coll_mtree_request_t *run)
{
    size_t ranks = (size_t)ompi_comm_size(run->comm);

    run->came = malloc(ranks * sizeof(*run->came));
    for (size_t rank = 0; run->came != NULL && rank < ranks; rank++) {
        run->came[rank] = -1;
    }
    return run->came != NULL;
}

/* A persistent request does this once for each plan that it goes by. */
static int run_prepare(coll_mtree_request_t *run, const mtree_plan_t *plan,
                       const mtree_placement_t *placement)
{
    int rc;

    if (run->plan == plan) {
        return OMPI_SUCCESS;
    }
    run_unprepare(run);
    rc = coll_mtree_buffers_init(&run->data, &run->task, ompi_comm_rank(run->comm),
                                 ompi_comm_size(run->comm));
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    run->by_arrival = coll_mtree_arrival_serves(plan, &run->task);
    if (!run->by_arrival &&
        mtree_layout_create(plan, placement, &run->task.call, ompi_comm_rank(run->comm),
                            &run->layout) != MTREE_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (run->layout != NULL &&
        mtree_goodput_create(run->layout, &run->goodput) != MTREE_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (mca_coll_mtree_component.follow && run->by_arrival &&
        !run->super.super.req_persistent && !run_await_all(run)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    run->data.super.goodput = run->goodput;
    run->passage.num_trees = run->ring ? 0 : plan->num_trees;
    run->plan = plan;
    coll_mtree_transport_init(&run->transport, run->comm,
                              run->task.op != NULL ? run->task.datatype : MPI_BYTE,
                              run->first_tag);
    if (run->layout != NULL) {
        run->scratch = mtree_operation_scratch(run->layout, &run->data.super);
    }
    return OMPI_SUCCESS;
}

static mtree_status_t run_operate(coll_mtree_request_t *run, const mtree_plan_t *plan,
                                  const mtree_placement_t *placement)
{
    mtree_operation_t *operation;
    mtree_status_t status;

    if (!run->by_arrival) {
        return mtree_operation_start(run->layout, &run->transport.super, &run->data.super,
                                     run_ended, run, &operation);
    }
    atomic_fetch_add(&run->holders, 1);
    run->began = coll_mtree_clock();
    status = coll_mtree_arrival_start(run, plan, placement, run_ended, run_released,
                                      &operation);
    if (status != MTREE_OK) {
        atomic_fetch_sub(&run->holders, 1);
    }
    return status;
}

/* Calls that are followed without waiting are gauged, and all that share links with them;
 * but for the first over each plan, which opens connections. */
static void run_gauge(coll_mtree_request_t *run, const mtree_placement_t *placement)
{
    mca_coll_mtree_module_t *module = run->pursuit->module;
    mtree_bandwidth_monitor_t *gauge;

    if (run->goodput == NULL || placement != module->placement) {
        return;
    }
    gauge = run->pursuit->is_followed && !run->blocking
                ? coll_mtree_bandwidth_monitor_get(module)
                : coll_mtree_bandwidth_monitor_find(module);
    mtree_goodput_share(run->goodput, run->pursuit->warm ? gauge : NULL, placement->host,
                        ompi_comm_rank(run->comm),
                        (double)run->task.call.unit_bytes /
                            (double)run->data.super.extent);
    run->pursuit->warm = true;
}

/* Its plan is there: begin. */
static void run_pass(coll_mtree_waiter_t *place)
{
    coll_mtree_request_t *run =
        (coll_mtree_request_t *)((char *)place - offsetof(coll_mtree_request_t, place));
    const mtree_placement_t *placement;
    const mtree_plan_t *plan;
    int rc = coll_mtree_plan_entry_plan(run->agreement, run->pursuit, run->ring, &plan,
                                        &placement);

    /* Its messages might all be sent at once, to those that have given up. */
    if (rc == OMPI_SUCCESS) {
        rc = coll_mtree_loss_of(run->comm);
    }
    if (rc == OMPI_SUCCESS) {
        rc = run_prepare(run, plan, placement);
    }
    if (rc == OMPI_SUCCESS) {
        rc = coll_mtree_buffers_begin(&run->task);
    }
    if (rc == OMPI_SUCCESS) {
        run_gauge(run, placement);
    }
    coll_mtree_statistics_add_scratch((ptrdiff_t)run->scratch);
    run->passage.began = coll_mtree_clock();
    if (rc == OMPI_SUCCESS && run_operate(run, plan, placement) != MTREE_OK) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* Otherwise the run may have ended and be gone. */
    if (rc != OMPI_SUCCESS) {
        coll_mtree_statistics_add_scratch(-(ptrdiff_t)run->scratch);
        run_end(run, rc);
    }
}

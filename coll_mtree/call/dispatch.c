/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "coll_mtree/call/dispatch.h"

#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/call/agreed.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/call/plan_sequence.h"
#include "coll_mtree/call/relayed_call.h"
#include "coll_mtree/call/request.h"
#include "coll_mtree/topology/source.h"

#include "base/memory.h"
#include "base/units.h"

#include <dlfcn.h>
#include <string.h>

/*
 * Open MPI itself starts nonblocking collectives of a few integers, from within its
 * progress, while MPI_Comm_idup is under way: at another moment of the program on each
 * rank.  If mtree served them, ranks would reserve tags and make plan entries in
 * different orders; so nonblocking calls up to this size are not served.  Where calls are
 * encrypted those of the program are: they are told apart by who has called.
 */
#define INTERNAL_BYTES 64

void coll_mtree_dispatch_init(coll_mtree_mpi_call_t *call, const char *function,
                              coll_mtree_form_t form, ompi_communicator_t *comm,
                              mca_coll_base_module_t *module)
{
    memset(call, 0, sizeof(*call));
    call->module = (mca_coll_mtree_module_t *)module;
    call->comm = comm;
    call->form = form;
    call->args.function = function;
    call->args.verdict = MTREE_COLL_ARGS_DECLINED;
    if (form == MTREE_BLOCKING) {
        coll_mtree_statistics_enter(&call->count);
    }
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

/* The request of @a call, of @a comm_class. */
static coll_mtree_request_t *dispatch_make(coll_mtree_mpi_call_t *call,
                                           coll_mtree_comm_class_t *comm_class)
{
    coll_mtree_request_t *req =
        coll_mtree_request_create(call->module, call->comm, &call->args, comm_class,
                                  call->form == MTREE_PERSISTENT);

    req->transfer.record = call->count.record;
    req->blocking = call->form == MTREE_BLOCKING;
    if (req->blocking) {
        coll_mtree_statistics_served(&call->count, COLL_MTREE_TREES);
        return req;
    }
    req->count = call->count;
    return req;
}

/* The blocking call @a req has ended, with @a rc. */
static void dispatch_finish(coll_mtree_request_t *req, int rc)
{
    if (rc == OMPI_SUCCESS) {
        coll_mtree_plan_sequence_note(req);
    }
    coll_mtree_request_release(req);
    coll_mtree_deferred_release_run();
}

/* Is @a code, to which a collective returns, of a function whose name is MPI_... or
 * PMPI_...?  Open MPI's other functions have none of these names, or none that is seen
 * outside of its library. */
static bool is_of_program(const void *code)
{
    const char *name;
    Dl_info info;

    if (dladdr(code, &info) == 0 || info.dli_sname == NULL) {
        return false;
    }
    name = info.dli_sname[0] == 'P' ? info.dli_sname + 1 : info.dli_sname;
    return strncmp(name, "MPI_", strlen("MPI_")) == 0;
}

static bool is_internal(const coll_mtree_mpi_call_t *call)
{
    const mtree_call_t *what = &call->args.call;

    return call->form == MTREE_NONBLOCKING &&
           call->args.verdict == MTREE_COLL_ARGS_SERVED && !what->unequal &&
           what->units * what->unit_bytes <= INTERNAL_BYTES &&
           !(coll_mtree_params.encrypt && is_of_program(call->returns_to));
}

/* Apply the replanning replies that are due at this point of the order of calls. */
static void dispatch_catch_up(coll_mtree_mpi_call_t *call)
{
    if (call->form == MTREE_BLOCKING && call->args.verdict == MTREE_COLL_ARGS_SERVED &&
        coll_mtree_plan_sequence_catch_up(call->module)) {
        coll_mtree_agreed_forget_plans(call->module, call->comm);
    }
}

/* The class of @a call, by the path that it may take, where that has not failed.  Only
 * the thread that makes a collective call on the communicator looks up; MPI allows one at
 * a time. */
static coll_mtree_comm_class_t *class_of(const coll_mtree_mpi_call_t *call)
{
    mca_coll_mtree_module_t *module = call->module;
    const mtree_call_t *what = &call->args.call;
    coll_mtree_call_class_t call_class = coll_mtree_call_class_of(
        what->collective, what->root, what->units * what->unit_bytes);
    coll_mtree_comm_class_t *comm_class;

    call_class.path = coll_mtree_relayed_call_path(call->comm, &call->args,
                                                   call->form == MTREE_BLOCKING);
    comm_class = coll_mtree_comm_class_get(module, &call_class);
    if (comm_class->path_failed) {
        call_class.path = COLL_MTREE_BY_RANKS;
        comm_class = coll_mtree_comm_class_get(module, &call_class);
    }
    return comm_class;
}

/* Are there tags for the call?  The first time that there are none one line tells. */
static bool has_tags(const coll_mtree_mpi_call_t *call)
{
    mca_coll_mtree_module_t *module = call->module;

    if (coll_mtree_tags_has(module, call->comm, call->form == MTREE_PERSISTENT)) {
        return true;
    }
    if (!module->tags.is_spent) {
        module->tags.is_spent = true;
        coll_mtree_verbose(call->comm, 1, "%s goes to the fallback, since %s",
                           call->args.function,
                           coll_mtree_reason_text(COLL_MTREE_REASON_TAGS));
    }
    return false;
}

/* A blocking call may wait until there is one. */
static bool has_topology(const coll_mtree_mpi_call_t *call)
{
    mca_coll_mtree_module_t *module = call->module;
    const mtree_call_t *what = &call->args.call;

    if (module->source == NULL) {
        coll_mtree_proc_group_place(module, call->comm);
        coll_mtree_source_create(module, call->comm, &module->processes->hosts);
    }
    return coll_mtree_source_has_topology(module) ||
           (call->form == MTREE_BLOCKING &&
            coll_mtree_agreed_topology(module, call->comm,
                                       (double)what->units * (double)what->unit_bytes));
}

/* May mtree serve the call, by what is known before any message of it?  Otherwise
 * *reason_p is why the fallback serves.  Where no topology is known yet, a blocking call
 * may wait until one is. */
static bool is_possible(const coll_mtree_mpi_call_t *call,
                        const coll_mtree_server_t *server,
                        coll_mtree_fallback_reason_t *reason_p)
{
    mca_coll_mtree_module_t *module = call->module;
    bool is_bound = coll_mtree_server_is_bound(server, call->args.keeps_order);

    if (call->args.verdict != MTREE_COLL_ARGS_SERVED) {
        *reason_p = COLL_MTREE_REASON_CALL;
        return false;
    }
    if (module->cannot_serve && !is_bound && !coll_mtree_params.encrypt) {
        *reason_p = COLL_MTREE_REASON_GROUP;
        return false;
    }
    if (!has_tags(call)) {
        *reason_p = COLL_MTREE_REASON_TAGS;
        return false;
    }
    if (!coll_mtree_params.encrypt && !has_topology(call)) {
        *reason_p =
            module->cannot_serve ? COLL_MTREE_REASON_GROUP : COLL_MTREE_REASON_TOPOLOGY;
        return false;
    }
    return true;
}

/* Wait until the server of @a comm_class is decided.  Open MPI's code. */
static int wait_for_decision(const coll_mtree_mpi_call_t *call,
                             coll_mtree_comm_class_t *comm_class)
{
    bool shares = call->form == MTREE_BLOCKING;
    int rc;

    if (shares) {
        coll_mtree_agreed_take_plan(call->module, call->comm, comm_class);
    }
    coll_mtree_plan_entry_ensure(call->module, call->comm, comm_class);
    rc = coll_mtree_plan_entry_wait(call->module, comm_class);
    if (shares && rc == OMPI_SUCCESS) {
        coll_mtree_agreed_give_plan(call->module, call->comm, comm_class);
    }
    return rc;
}

/*
 * Must a call whose data goes nowhere in the clear go over the default plan, at once?  So
 * it does before the topology is known, or where it never is.  Then other plans follow,
 * but where calls keep their order for ever.
 */
static bool is_plain(const coll_mtree_mpi_call_t *call,
                     const coll_mtree_comm_class_t *comm_class)
{
    return call->module->cannot_serve || !has_topology(call) ||
           (coll_mtree_params.deterministic && comm_class->entry == NULL &&
            coll_mtree_server_is_bound(&comm_class->server, true));
}

/*
 * Who serves @a call of @a comm_class; *reason_p is why, where that is the fallback.  A
 * blocking call, and the making of a persistent request, waits for the plan of its class,
 * and may wait for a topology.  Open MPI's code.
 */
static int choose_server(const coll_mtree_mpi_call_t *call,
                         coll_mtree_comm_class_t *comm_class,
                         coll_mtree_backend_t *backend_p,
                         coll_mtree_fallback_reason_t *reason_p)
{
    const coll_mtree_server_t *server = &comm_class->server;
    int rc = OMPI_SUCCESS;

    *backend_p = COLL_MTREE_FALLBACK;
    if (!is_possible(call, server, reason_p)) {
        return OMPI_SUCCESS;
    }
    if (coll_mtree_params.encrypt && is_plain(call, comm_class)) {
        *backend_p = COLL_MTREE_TREES;
        return OMPI_SUCCESS;
    }
    if (!server->is_decided && call->form == MTREE_NONBLOCKING) {
        *backend_p = coll_mtree_server_before(server, call->args.keeps_order);
        *reason_p = COLL_MTREE_REASON_ORDER;
        if (*backend_p == COLL_MTREE_TREES) {
            coll_mtree_plan_entry_ensure(call->module, call->comm, comm_class);
        }
        return OMPI_SUCCESS;
    }
    if (!server->is_decided) {
        rc = wait_for_decision(call, comm_class);
    }
    if (rc == OMPI_SUCCESS) {
        *backend_p = server->backend;
        *reason_p = call->module->cannot_serve ? COLL_MTREE_REASON_GROUP : server->reason;
    }
    return rc;
}

/* @a backend serves @a call; if the call keeps its order, later ones of its class may
 * have to stay with that. */
static void note_server(const coll_mtree_mpi_call_t *call,
                        coll_mtree_comm_class_t *comm_class, coll_mtree_backend_t backend)
{
    if (!call->args.keeps_order) {
        return;
    }
    if (backend == COLL_MTREE_TREES) {
        atomic_store(&call->module->keeps_order, true);
    }
    if (coll_mtree_server_note(&comm_class->server, backend)) {
        atomic_store(&call->module->is_reordered, true);
        coll_mtree_verbose(call->comm, 0,
                           "%s of about %s is served %s from here on, which combines in "
                           "another order",
                           call->args.function,
                           MTREE_UNITS_SIZE(comm_class->node.call_class.bytes),
                           backend == COLL_MTREE_TREES ? "over trees" : "by Open MPI");
    }
}

/* Does mtree serve @a call, of @a comm_class?  MTREE_DECLINED: the fallback does.  Calls
 * without tags are no part of their class's order.  Open MPI's code. */
static int dispatch_choose(coll_mtree_mpi_call_t *call,
                           coll_mtree_comm_class_t *comm_class)
{
    coll_mtree_fallback_reason_t reason = COLL_MTREE_REASON_CALL;
    coll_mtree_backend_t backend;
    int rc = choose_server(call, comm_class, &backend, &reason);

    if (rc != OMPI_SUCCESS && call->form == MTREE_BLOCKING) {
        /* On other ranks it has a number. */
        call->module->calls.issued++;
        coll_mtree_calls_break(call->module);
    }
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (reason != COLL_MTREE_REASON_TAGS) {
        note_server(call, comm_class, backend);
    }
    if (backend == COLL_MTREE_TREES) {
        return OMPI_SUCCESS;
    }
    coll_mtree_not_encrypted(call->comm, call->args.function,
                             coll_mtree_reason_text(reason));
    coll_mtree_statistics_fell_back(&call->count, reason);
    return MTREE_DECLINED;
}

/* The class over whose plan mtree serves @a call, in *class_p.  MTREE_DECLINED: it does
 * not.  Open MPI's code. */
static int dispatch_look_up(coll_mtree_mpi_call_t *call,
                            coll_mtree_comm_class_t **class_p)
{
    const coll_mtree_coll_args_t *args = &call->args;
    int rc;

    /* MPI_Comm_dup() makes several on each new communicator: nothing is looked up. */
    if (is_internal(call)) {
        coll_mtree_statistics_fell_back(&call->count, COLL_MTREE_REASON_INTERNAL);
        return MTREE_DECLINED;
    }
    rc = coll_mtree_agreed_size(call->module, call->comm, &call->args,
                                call->form != MTREE_NONBLOCKING,
                                call->form == MTREE_PERSISTENT);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    dispatch_catch_up(call);
    *class_p = class_of(call);
    coll_mtree_statistics_open(&call->count, call->module, call->comm, args->function,
                               *class_p,
                               (double)args->call.units * (double)args->call.unit_bytes);
    return dispatch_choose(call, *class_p);
}

int coll_mtree_dispatch(coll_mtree_mpi_call_t *call, ompi_request_t **request_p)
{
    coll_mtree_comm_class_t *comm_class;
    coll_mtree_request_t *req = NULL;
    int rc;

    coll_mtree_deferred_release_run();
    if (call->args.verdict == MTREE_COLL_ARGS_EMPTY) {
        rc = dispatch_empty(call->form, request_p);
    } else {
        rc = dispatch_look_up(call, &comm_class);
        req = rc == OMPI_SUCCESS ? dispatch_make(call, comm_class) : NULL;
    }
    if (req != NULL && call->form != MTREE_PERSISTENT &&
        !coll_mtree_relayed_call_run(req, &call->count)) {
        coll_mtree_request_start(req);
        if (req->blocking) {
            ompi_request_wait_completion(&req->super.super);
            rc = req->super.super.req_status.MPI_ERROR;
        }
    }
    if (req != NULL && req->blocking) {
        dispatch_finish(req, rc);
    } else if (req != NULL) {
        *request_p = &req->super.super;
    } else {
        coll_mtree_coll_args_cleanup(&call->args);
    }
    mtree_require(rc == OMPI_ERR_OUT_OF_RESOURCE ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    return rc;
}

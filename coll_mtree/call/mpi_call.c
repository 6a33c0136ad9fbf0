/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/mpi_call.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/call/agreed.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/topology/source.h"

#include "base/units.h"

/* Are there tags for the call?  The first time that there are none one line tells. */
static bool has_tags(const coll_mtree_mpi_call_t *call)
{
    mca_coll_mtree_module_t *module = call->module;
    int count = call->form != MTREE_PERSISTENT
                    ? 0
                    : coll_mtree_request_tags(call->args.call.collective);

    if (coll_mtree_tags_has(module, call->comm, count)) {
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
    const mtree_call_t *what = &call->args.call;

    return coll_mtree_source_is_settled(call->module) ||
           (call->form == MTREE_BLOCKING &&
            coll_mtree_agreed_settle(call->module, call->comm,
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
    if (module->unserved && !is_bound && !coll_mtree_params_encrypt()) {
        *reason_p = COLL_MTREE_REASON_GROUP;
        return false;
    }
    if (!has_tags(call)) {
        *reason_p = COLL_MTREE_REASON_TAGS;
        return false;
    }
    if (!coll_mtree_params_encrypt() && !has_topology(call)) {
        *reason_p =
            module->unserved ? COLL_MTREE_REASON_GROUP : COLL_MTREE_REASON_TOPOLOGY;
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
    rc = coll_mtree_plan_entry_wait(
        coll_mtree_plan_entry_get(call->module, call->comm, comm_class), comm_class);
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
                     coll_mtree_comm_class_t *comm_class)
{
    mca_coll_mtree_module_t *module = call->module;

    if (module->unserved || !has_topology(call)) {
        return true;
    }
    if (coll_mtree_plan_entry_is_plain(comm_class->entry) &&
        !(coll_mtree_params.deterministic &&
          coll_mtree_server_is_bound(&comm_class->server, true))) {
        coll_mtree_plan_entry_renew(comm_class);
    }
    return coll_mtree_plan_entry_is_plain(comm_class->entry);
}

int coll_mtree_mpi_call_choose(const coll_mtree_mpi_call_t *call,
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
    if (coll_mtree_params_encrypt() && is_plain(call, comm_class)) {
        *backend_p = COLL_MTREE_TREES;
        (void)coll_mtree_plan_entry_plain(call->module, call->comm, comm_class);
        return OMPI_SUCCESS;
    }
    if (!server->is_decided && call->form == MTREE_NONBLOCKING) {
        *backend_p = coll_mtree_server_before(server, call->args.keeps_order);
        *reason_p = COLL_MTREE_REASON_ORDER;
        return OMPI_SUCCESS;
    }
    if (!server->is_decided) {
        rc = wait_for_decision(call, comm_class);
    }
    if (rc == OMPI_SUCCESS) {
        *backend_p = server->backend;
        *reason_p = call->module->unserved ? COLL_MTREE_REASON_GROUP : server->reason;
    }
    return rc;
}

void coll_mtree_mpi_call_note(const coll_mtree_mpi_call_t *call,
                              coll_mtree_comm_class_t *comm_class,
                              coll_mtree_backend_t backend)
{
    if (!call->args.keeps_order) {
        return;
    }
    if (backend == COLL_MTREE_TREES) {
        atomic_store(&call->module->keeps_order, true);
    }
    if (coll_mtree_server_note(&comm_class->server, backend)) {
        char size[32];

        atomic_store(&call->module->all_reordered, true);
        mtree_units_format_size(comm_class->node.call_class.bytes, size, sizeof(size));
        coll_mtree_verbose(call->comm, 0,
                           "%s of about %s is served %s from here on, which combines in "
                           "another order",
                           call->args.function, size,
                           backend == COLL_MTREE_TREES ? "over trees" : "by Open MPI");
    }
}

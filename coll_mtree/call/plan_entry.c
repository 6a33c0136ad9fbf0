/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/plan_entry.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/call/default_plan.h"
#include "coll_mtree/control/exchange.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/transport/progress.h"

#include "base/memory.h"

#include <stdlib.h>

void coll_mtree_plan_entry_retain(coll_mtree_plan_entry_t *entry)
{
    atomic_fetch_add(&entry->holders, 1);
}

void coll_mtree_plan_entry_release(coll_mtree_plan_entry_t *entry)
{
    if (entry == NULL || atomic_fetch_sub(&entry->holders, 1) > 1) {
        return;
    }
    OBJ_DESTRUCT(&entry->lock);
    free(entry->query.traffic);
    free(entry->query.check.streams);
    mtree_plan_part_destroy(entry->part);
    coll_mtree_relay_plan_destroy(entry->relay_plan);
    mtree_plan_destroy(entry->planned.plan);
    mtree_plan_destroy(entry->planned.relay_plan);
    free((char *)entry->trailer.bytes);
    free(entry);
}

void coll_mtree_plan_entry_hold(coll_mtree_plan_entry_t *entry)
{
    coll_mtree_plan_entry_retain(entry);
    OBJ_RETAIN(entry->comm);
}

void coll_mtree_plan_entry_let_go(coll_mtree_plan_entry_t *entry)
{
    ompi_communicator_t *comm = entry->comm;

    coll_mtree_plan_entry_release(entry);
    /* With its last reference goes the module. */
    OBJ_RELEASE(comm);
}

void coll_mtree_plan_entry_note_version(mca_coll_mtree_module_t *module, unsigned version)
{
    unsigned oldest = atomic_load(&module->version);

    while (version < oldest &&
           !atomic_compare_exchange_weak(&module->version, &oldest, version)) {}
}

/* The exchange holds the entry and the communicator no more. */
static void plan_entry_release_exchange(coll_mtree_deferred_release_t *deferred)
{
    coll_mtree_plan_entry_let_go(
        MTREE_CONTAINER_OF(deferred, coll_mtree_plan_entry_t, deferred));
}

void coll_mtree_plan_entry_complete(coll_mtree_plan_entry_t *entry)
{
    mtree_list_t waiting, *link;

    mtree_list_init(&waiting);
    opal_mutex_lock(&entry->lock);
    atomic_store(&entry->is_complete, true);
    mtree_list_move(&waiting, &entry->waiting);
    opal_mutex_unlock(&entry->lock);
    while ((link = mtree_list_take(&waiting)) != NULL) {
        coll_mtree_request_t *req =
            MTREE_CONTAINER_OF(link, coll_mtree_request_t, waiting);

        req->pass(req);
    }
    /* From here on another thread may free the module. */
    coll_mtree_deferred_release_add(&entry->deferred);
}

bool coll_mtree_plan_entry_awaits(coll_mtree_plan_entry_t *entry,
                                  coll_mtree_request_t *req)
{
    bool waits = !atomic_load(&entry->is_complete);

    if (waits) {
        opal_mutex_lock(&entry->lock);
        waits = !atomic_load(&entry->is_complete);
        if (waits) {
            mtree_list_append(&entry->waiting, &req->waiting);
        }
        opal_mutex_unlock(&entry->lock);
    }
    return waits;
}

/* One holds a new entry, its class. */
static coll_mtree_plan_entry_t *plan_entry_new(mca_coll_mtree_module_t *module,
                                               ompi_communicator_t *comm,
                                               const coll_mtree_call_class_t *call_class)
{
    coll_mtree_plan_entry_t *entry = mtree_calloc(1, sizeof(*entry));

    atomic_init(&entry->holders, 1);
    entry->module = module;
    entry->comm = comm;
    entry->call_class = *call_class;
    OBJ_CONSTRUCT(&entry->lock, opal_mutex_t);
    mtree_list_init(&entry->waiting);
    return entry;
}

/* Its exchange holds it, too. */
static void plan_entry_start(coll_mtree_plan_entry_t *entry)
{
    coll_mtree_plan_entry_hold(entry);
    entry->deferred.release = plan_entry_release_exchange;
    coll_mtree_plan_exchange_start(entry);
}

coll_mtree_plan_entry_t *
coll_mtree_plan_entry_follow(const coll_mtree_request_t *req,
                             const coll_mtree_replan_query_t *query)
{
    coll_mtree_plan_entry_t *next =
        plan_entry_new(req->module, req->comm, &req->entry->call_class);

    next->query = *query;
    next->part = mtree_plan_part_retain(req->entry->part);
    plan_entry_start(next);
    return next;
}

void coll_mtree_plan_entry_ensure(mca_coll_mtree_module_t *module,
                                  ompi_communicator_t *comm,
                                  coll_mtree_comm_class_t *comm_class)
{
    if (comm_class->entry == NULL) {
        comm_class->entry = plan_entry_new(module, comm, &comm_class->node.call_class);
        plan_entry_start(comm_class->entry);
    }
}

int coll_mtree_plan_entry_wait(mca_coll_mtree_module_t *module,
                               coll_mtree_comm_class_t *comm_class)
{
    const coll_mtree_plan_entry_t *entry = comm_class->entry;
    const bool encrypts = coll_mtree_params.encrypt;

    coll_mtree_progress_wait_for(&entry->is_complete);
    if (entry->status != OMPI_SUCCESS) {
        return entry->status;
    }
    /* From here on all ranks know it. */
    module->cannot_serve = entry->reply == COLL_MTREE_REPLY_NEVER;
    coll_mtree_server_decide(&comm_class->server, encrypts || entry->part != NULL,
                             encrypts ? mtree_forecast_of(true) : entry->forecast,
                             coll_mtree_params.deterministic);
    return OMPI_SUCCESS;
}

/* The default plan's part for this rank, which is a host of its own there, and the
 * module's placement of such hosts. */
static const mtree_plan_part_t *default_part(coll_mtree_request_t *req)
{
    const mtree_call_t *call = &req->args.call;
    mca_coll_mtree_module_t *module = req->module;
    coll_mtree_comm_class_t *comm_class = req->comm_class;
    int ranks = ompi_comm_size(req->comm);
    mtree_plan_t *plan;

    opal_mutex_lock(&module->lock);
    if (module->default_placement == NULL) {
        module->default_placement = coll_mtree_default_placement_create(ranks);
    }
    if (comm_class->default_part == NULL) {
        plan = coll_mtree_default_plan_create(call->collective, call->root, ranks);
        comm_class->default_part =
            mtree_plan_part_create(plan, ompi_comm_rank(req->comm));
        mtree_plan_destroy(plan);
    }
    opal_mutex_unlock(&module->lock);
    req->placement = module->default_placement;
    return comm_class->default_part;
}

const mtree_plan_part_t *coll_mtree_plan_entry_plan(coll_mtree_request_t *req)
{
    const mtree_plan_part_t *part = req->entry == NULL ? NULL : req->entry->part;

    if (part == NULL || (part->order != NULL && req->args.call.unequal)) {
        return default_part(req);
    }
    req->placement = req->module->placement;
    return part;
}

static void class_clear(void *element)
{
    const coll_mtree_comm_class_t *comm_class = element;

    coll_mtree_plan_entry_release(comm_class->entry);
    mtree_plan_part_destroy(comm_class->default_part);
}

void coll_mtree_plan_entries_destroy(mca_coll_mtree_module_t *module)
{
    coll_mtree_class_table_cleanup(&module->classes, class_clear);
    mtree_placement_destroy(module->default_placement);
}

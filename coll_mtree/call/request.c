/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/request.h"

#include "coll_mtree/base/tags.h"
#include "coll_mtree/call/plan_entry.h"

#include "base/memory.h"
#include "schedule/lanes.h"

#include <stdlib.h>

static void request_destroy(coll_mtree_request_t *req);

static void request_destroy_deferred(coll_mtree_deferred_release_t *deferred)
{
    request_destroy(MTREE_CONTAINER_OF(deferred, coll_mtree_request_t, deferred));
}

static bool request_let_go(coll_mtree_request_t *req)
{
    return atomic_fetch_sub(&req->holders, 1) == 1;
}

void coll_mtree_request_drop(coll_mtree_request_t *req)
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

int coll_mtree_request_tags(mtree_collective_t collective)
{
    return mtree_lanes(collective) * MTREE_LANE_TAGS;
}

coll_mtree_request_t *coll_mtree_request_create(mca_coll_mtree_module_t *module,
                                                ompi_communicator_t *comm,
                                                coll_mtree_coll_args_t *args,
                                                coll_mtree_plan_entry_t *entry,
                                                bool persistent)
{
    coll_mtree_request_t *req = OBJ_NEW(coll_mtree_request_t);

    mtree_require(req == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    if (persistent) {
        req->slot = coll_mtree_tags_take_slot(
            module, coll_mtree_request_tags(args->call.collective));
        req->first_tag = coll_mtree_tags_of_slot(module, req->slot);
    } else {
        req->call.number = module->calls.issued++;
        req->first_tag = coll_mtree_tags_of_call(req->call.number);
    }
    coll_mtree_coll_args_keep(args, ompi_comm_size(comm));
    req->call.bytes = args->call.units * args->call.unit_bytes;
    OMPI_REQUEST_INIT(&req->super.super, persistent);
    req->super.super.req_mpi_object.comm = comm;
    req->comm = comm;
    req->module = module;
    OBJ_RETAIN(comm);
    req->entry = entry;
    coll_mtree_plan_entry_retain(entry);
    req->args = *args;
    req->args.call.longest_bytes = module->longest_bytes;
    return req;
}

static void request_destroy(coll_mtree_request_t *req)
{
    ompi_communicator_t *comm = req->comm;

    coll_mtree_request_unprepare(req);
    if (req->super.super.req_persistent) {
        coll_mtree_tags_release_slot(req->module, req->slot);
    }
    coll_mtree_coll_args_cleanup(&req->args);
    coll_mtree_plan_entry_release(req->entry);
    OBJ_RELEASE(req);
    /* With its last reference goes the module. */
    OBJ_RELEASE(comm);
}

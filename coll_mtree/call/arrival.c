/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/arrival.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/plan/plan_reply.h"

#include "schedule/arrival/arrival.h"

#include <stdatomic.h>

/* Bytes of coll_mtree_arrival_aside that no broadcast holds. */
static atomic_size_t aside_left;

void coll_mtree_arrival_open(void)
{
    atomic_init(&aside_left, coll_mtree_params.arrival_aside);
}

bool coll_mtree_arrival_serves(const mtree_plan_part_t *part,
                               const coll_mtree_coll_args_t *args)
{
    if (coll_mtree_params_encrypt() || !coll_mtree_part_is_by_arrival(part) ||
        !mtree_arrival_serves(args->call.collective)) {
        return false;
    }
    return args->call.collective == MTREE_BCAST ||
           (args->op != NULL && !coll_mtree_params.deterministic);
}

mtree_status_t
coll_mtree_arrival_start(coll_mtree_request_t *req, const mtree_plan_t *plan,
                         const mtree_placement_t *placement, mtree_operation_func_t func,
                         void (*released)(void *req), mtree_operation_t **operation_p)
{
    mtree_arrival_t arrival = {.plan = plan,
                               .placement = placement,
                               .call = &req->args.call,
                               .rank = ompi_comm_rank(req->comm),
                               .transport = &req->transport.super,
                               .control = &req->control.super,
                               .window_bytes = coll_mtree_params.arrival_room,
                               .copy_budget = &aside_left,
                               .reuses_tags = req->super.super.req_persistent};

    coll_mtree_transport_init(&req->control, req->comm, MPI_BYTE, req->first_tag);
    return mtree_arrival_start(&arrival, &req->buffers.super, func, released, req,
                               operation_p);
}

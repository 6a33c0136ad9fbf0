#include "coll_mtree/call/arrival.h"

#include "coll_mtree/call/plan_entry.h"

#include "schedule/arrival/arrival.h"

bool coll_mtree_arrival_serves(const mtree_plan_t *plan,
                               const coll_mtree_coll_args_t *task)
{
    if (!mtree_plan_is_by_arrival(plan) || !mtree_arrival_serves(task->call.collective)) {
        return false;
    }
    return task->call.collective == MTREE_BCAST ||
           (task->op != NULL && !mca_coll_mtree_component.deterministic);
}

mtree_status_t
coll_mtree_arrival_start(coll_mtree_request_t *run, const mtree_plan_t *plan,
                         const mtree_placement_t *placement, mtree_operation_func_t func,
                         void (*released)(void *run), mtree_operation_t **operation_p)
{
    bool persistent = run->super.super.req_persistent;
    mtree_arrival_t arrival = {.plan = plan,
                               .placement = placement,
                               .call = &run->task.call,
                               .rank = ompi_comm_rank(run->comm),
                               .transport = &run->transport.super,
                               .control = &run->control.super,
                               .room = mca_coll_mtree_component.arrival_room,
                               .aside = &mca_coll_mtree_component.aside_left,
                               .came = run->came,
                               .stays =
                                   coll_mtree_plan_entry_is_by_arrival(run->agreement),
                               .lasting = persistent};

    /* `stays`: where calls turned to arrival by themselves ranks must be able to come
     * together again.  Those that leave before the others come before them to the next
     * call, too, and who was late once would stay late for ever. */
    coll_mtree_transport_init(&run->control, run->comm, MPI_BYTE, run->first_tag);
    return mtree_arrival_start(&arrival, &run->data.super, func, released, run,
                               operation_p);
}

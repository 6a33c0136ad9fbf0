#include "coll_mtree/call/dispatch.h"

/*
 * A byte goes up and down the trees planned for the smallest messages: where nothing is
 * folded what it holds does not matter, so all calls share it.
 */
static char token;

static void barrier_task(coll_mtree_coll_args_t *task, MTREE_PARAMETERS_barrier)
{
    (void)comm;
    if (!mca_coll_mtree_component.barrier) {
        return;
    }
    coll_mtree_coll_args_move(task, MTREE_ALLREDUCE, &token, 1, MPI_BYTE);
    task->verdict = MTREE_COLL_ARGS_SERVED;
}

MTREE_DEFINE_FORMS(barrier)

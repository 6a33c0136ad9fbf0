#include "coll_mtree/call/dispatch.h"

/* Count and datatype may differ between ranks, their product may not. */
static void bcast_task(coll_mtree_coll_args_t *task, MTREE_PARAMETERS_bcast)
{
    (void)comm;
    coll_mtree_coll_args_move(task, MTREE_BCAST, buffer, (size_t)count, dtype);
    task->call.root = root;
}

MTREE_DEFINE_FORMS(bcast)

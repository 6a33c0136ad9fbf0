#include "coll_mtree/call/dispatch.h"

static void reduce_task(coll_mtree_coll_args_t *task, MTREE_PARAMETERS_reduce)
{
    bool is_root = ompi_comm_rank(comm) == root;

    coll_mtree_coll_args_fold(task, MTREE_REDUCE, sbuf, is_root ? rbuf : NULL,
                              (size_t)count, dtype, op);
    task->call.root = root;
}

MTREE_DEFINE_FORMS(reduce)

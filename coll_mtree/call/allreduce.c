#include "coll_mtree/call/dispatch.h"

static void allreduce_task(coll_mtree_coll_args_t *task, MTREE_PARAMETERS_allreduce)
{
    (void)comm;
    coll_mtree_coll_args_fold(task, MTREE_ALLREDUCE, sbuf, rbuf, (size_t)count, dtype,
                              op);
}

MTREE_DEFINE_FORMS(allreduce)

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

static void allreduce_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(allreduce))
{
    (void)comm;
    coll_mtree_coll_args_fold(args, MTREE_ALLREDUCE, sbuf, rbuf, (size_t)count, dtype,
                              op);
}

MTREE_DEFINE_FORMS(allreduce)

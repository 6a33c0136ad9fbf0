/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

static void reduce_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(reduce))
{
    bool is_root = ompi_comm_rank(comm) == root;

    coll_mtree_coll_args_fold(args, MTREE_REDUCE, sbuf, is_root ? rbuf : NULL,
                              (size_t)count, dtype, op);
    args->call.root = root;
}

MTREE_DEFINE_FORMS(reduce)

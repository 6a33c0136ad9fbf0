/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/dispatch.h"

/* The result of rank 0 is what it contributes. */
static void scan_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(scan))
{
    coll_mtree_coll_args_fold(args, MTREE_SCAN, sbuf, rbuf, (size_t)count, dtype, op);
    if (ompi_comm_rank(comm) == 0) {
        coll_mtree_coll_args_own_block(args, sbuf, (size_t)count, dtype, rbuf,
                                       (size_t)count);
    }
}

MTREE_DEFINE_FORMS(scan)

/* Rank 0 has no result. */
static void exscan_args(coll_mtree_coll_args_t *args, MTREE_PARAMETERS(exscan))
{
    (void)comm;
    coll_mtree_coll_args_fold(args, MTREE_SCAN, sbuf, rbuf, (size_t)count, dtype, op);
    args->is_exclusive = true;
}

MTREE_DEFINE_FORMS(exscan)

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/blocks.h"
#include "coll_mtree/call/dispatch.h"

#include "schedule/operation.h"

/*
 * Rank r gets rcounts[r] elements (no array: rcount each).  The engine writes each block
 * at its place in the whole vector, so the output begins that far before the user's
 * buffer. In place, the result would overwrite what was not sent yet, so it stays in a
 * buffer of its own until the end.
 */
static void scatter_args(coll_mtree_coll_args_t *args, const void *sbuf, void *rbuf,
                         coll_mtree_int_array_t rcounts, size_t rcount,
                         ompi_datatype_t *dtype, ompi_op_t *op, ompi_communicator_t *comm)
{
    int rank = ompi_comm_rank(comm), ranks = ompi_comm_size(comm);
    ptrdiff_t lower, extent;
    size_t count = rcount * (size_t)ranks, first = rcount * (size_t)rank;
    size_t own = rcount;

    if (rcounts.items != NULL) {
        count = coll_mtree_blocks_sum(rcounts, ranks);
        first = coll_mtree_blocks_sum(rcounts, rank);
        own = (size_t)coll_mtree_int_array_at(rcounts, rank);
    }
    ompi_datatype_get_extent(dtype, &lower, &extent);
    coll_mtree_coll_args_fold(args, MTREE_REDUCE_SCATTER, sbuf, rbuf, count, dtype, op);
    if (rcounts.items != NULL) {
        coll_mtree_coll_args_blocks(args, rcounts, 1, ranks);
    }
    args->count = own;
    args->output = mtree_address(rbuf, -(ptrdiff_t)first * extent);
    args->stashed = sbuf == MPI_IN_PLACE;
    args->scatter_to = rbuf;
}

static void reduce_scatter_args(coll_mtree_coll_args_t *args,
                                MTREE_PARAMETERS(reduce_scatter))
{
    scatter_args(args, sbuf, rbuf, coll_mtree_counts(rcounts), 0, dtype, op, comm);
}

MTREE_DEFINE_FORMS(reduce_scatter)

static void reduce_scatter_block_args(coll_mtree_coll_args_t *args,
                                      MTREE_PARAMETERS(reduce_scatter_block))
{
    scatter_args(args, sbuf, rbuf, (coll_mtree_int_array_t){NULL}, (size_t)rcount, dtype,
                 op, comm);
}

MTREE_DEFINE_FORMS(reduce_scatter_block)

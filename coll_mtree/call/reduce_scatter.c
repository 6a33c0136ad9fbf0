#include "coll_mtree/call/dispatch.h"

#include "schedule/operation.h"

/*
 * Rank r gets rcounts[r] elements (NULL: rcount each).  The engine puts each block at its
 * place in the whole vector, so the output begins as far before the user's.  In place the
 * result would overwrite what was not sent yet: it is kept aside until the end.
 */
static void scatter_task(coll_mtree_coll_args_t *task, const void *sbuf, void *rbuf,
                         const int *rcounts, int rcount, ompi_datatype_t *dtype,
                         ompi_op_t *op, ompi_communicator_t *comm)
{
    int rank = ompi_comm_rank(comm), ranks = ompi_comm_size(comm);
    ptrdiff_t lower, extent;
    size_t first = 0, count = 0;

    for (int r = 0; r < ranks; r++) {
        first = r == rank ? count : first;
        count += (size_t)(rcounts != NULL ? rcounts[r] : rcount);
    }
    ompi_datatype_get_extent(dtype, &lower, &extent);
    coll_mtree_coll_args_fold(task, MTREE_REDUCE_SCATTER, sbuf, rbuf, count, dtype, op);
    if (rcounts != NULL) {
        coll_mtree_coll_args_blocks(task, rcounts, 1, ranks);
    }
    task->count = (size_t)(rcounts != NULL ? rcounts[rank] : rcount);
    task->output = mtree_address(rbuf, -(ptrdiff_t)first * extent);
    task->aside = sbuf == MPI_IN_PLACE;
    task->scatter_to = rbuf;
}

static void reduce_scatter_task(coll_mtree_coll_args_t *task,
                                MTREE_PARAMETERS_reduce_scatter)
{
    scatter_task(task, sbuf, rbuf, rcounts, 0, dtype, op, comm);
}

MTREE_DEFINE_FORMS(reduce_scatter)

static void reduce_scatter_block_task(coll_mtree_coll_args_t *task,
                                      MTREE_PARAMETERS_reduce_scatter_block)
{
    scatter_task(task, sbuf, rbuf, NULL, rcount, dtype, op, comm);
}

MTREE_DEFINE_FORMS(reduce_scatter_block)

#include "coll_mtree/call/coll_args.h"

#include <stdlib.h>

/* From bytes alone, which are the same on all ranks even where datatypes differ. */
static coll_mtree_verdict_t verdict_by_bytes(size_t bytes)
{
    if (bytes == 0) {
        return MTREE_COLL_ARGS_EMPTY;
    }
    return bytes >= mca_coll_mtree_component.min_bytes ? MTREE_COLL_ARGS_SERVED
                                                       : MTREE_COLL_ARGS_DECLINED;
}

void coll_mtree_coll_args_fold(coll_mtree_coll_args_t *task,
                               mtree_collective_t collective, const void *sbuf,
                               void *rbuf, size_t count, ompi_datatype_t *dtype,
                               ompi_op_t *op)
{
    ptrdiff_t lower, extent;
    size_t size;

    ompi_datatype_type_size(dtype, &size);
    ompi_datatype_get_extent(dtype, &lower, &extent);
    /* MPI wants the same datatype on all ranks here, so its extent may decide too. */
    task->verdict = verdict_by_bytes(size * count);
    if (task->verdict == MTREE_COLL_ARGS_SERVED &&
        (!ompi_op_is_commute(op) || extent <= 0)) {
        task->verdict = MTREE_COLL_ARGS_DECLINED;
    }
    task->call.collective = collective;
    task->call.units = count;
    task->call.unit_bytes = size;
    task->call.chunk_bytes = mca_coll_mtree_component.chunk_bytes;
    task->input = sbuf == MPI_IN_PLACE ? rbuf : sbuf;
    task->output = rbuf;
    task->datatype = dtype;
    task->count = count;
    task->op = op;
}

void coll_mtree_coll_args_move(coll_mtree_coll_args_t *task,
                               mtree_collective_t collective, void *output, size_t count,
                               ompi_datatype_t *dtype)
{
    size_t size;

    ompi_datatype_type_size(dtype, &size);
    task->verdict = verdict_by_bytes(size * count);
    task->call.collective = collective;
    task->call.units = size * count;
    task->call.unit_bytes = 1;
    task->call.chunk_bytes = mca_coll_mtree_component.chunk_bytes;
    task->output = output;
    task->datatype = dtype;
    task->count = count;
}

void coll_mtree_coll_args_own_block(coll_mtree_coll_args_t *task, const void *sbuf,
                                    int scount, ompi_datatype_t *sdtype, void *to,
                                    int to_count)
{
    if (sbuf == MPI_IN_PLACE || to_count == 0) {
        return;
    }
    task->own = (coll_mtree_own_block_t){.from = sbuf,
                                         .from_count = scount,
                                         .from_type = sdtype,
                                         .to = to,
                                         .to_count = to_count};
}

void coll_mtree_coll_args_blocks(coll_mtree_coll_args_t *task, const int *rcounts,
                                 size_t element, int ranks)
{
    if (task->verdict != MTREE_COLL_ARGS_SERVED) {
        return;
    }
    task->blocks = malloc(((size_t)ranks + 1) * sizeof(*task->blocks));
    if (task->blocks == NULL) {
        task->verdict = MTREE_COLL_ARGS_NO_MEMORY;
        return;
    }
    task->blocks[0] = 0;
    for (int rank = 0; rank < ranks; rank++) {
        task->blocks[rank + 1] = task->blocks[rank] + (size_t)rcounts[rank] * element;
    }
    task->call.blocks = task->blocks;
}

void coll_mtree_coll_args_cleanup(coll_mtree_coll_args_t *task)
{
    free(task->blocks);
    free(task->displace);
}

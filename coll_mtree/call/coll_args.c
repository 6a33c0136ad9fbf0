/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/coll_args.h"

#include "coll_mtree/base/blocks.h"
#include "coll_mtree/base/params.h"

#include "base/memory.h"
#include "schedule/operation.h"

#include <stdlib.h>
#include <string.h>

coll_mtree_side_t coll_mtree_side_of(const void *buffer, size_t count,
                                     ompi_datatype_t *type, int only)
{
    return (coll_mtree_side_t){
        .buffer = buffer, .only = only, .count = count, .type = type};
}

coll_mtree_side_t coll_mtree_side_of_unequal(const void *buffer,
                                             coll_mtree_int_array_t counts,
                                             coll_mtree_int_array_t displs,
                                             ompi_datatype_t *type,
                                             ompi_datatype_t *const *types)
{
    return (coll_mtree_side_t){.buffer = buffer,
                               .only = -1,
                               .type = type,
                               .counts = counts,
                               .displs = displs,
                               .types = types};
}

static ompi_datatype_t *type_of(const coll_mtree_side_t *side, int rank)
{
    return side->types != NULL ? side->types[rank] : side->type;
}

coll_mtree_elements_t coll_mtree_side_block(const coll_mtree_side_t *side, int rank)
{
    coll_mtree_elements_t block = {.type = MPI_BYTE};
    ptrdiff_t lower, extent, place = 0;

    if (!coll_mtree_side_exists(side) || (side->only >= 0 && side->only != rank)) {
        return block;
    }
    block.type = type_of(side, rank);
    block.count = side->counts.items == NULL
                      ? side->count
                      : (size_t)coll_mtree_int_array_at(side->counts, rank);
    ompi_datatype_get_extent(block.type, &lower, &extent);
    if (side->displs.items != NULL) {
        place = coll_mtree_int_array_at(side->displs, rank) *
                (side->types != NULL ? 1 : extent);
    } else if (side->only < 0) {
        place = (ptrdiff_t)rank * (ptrdiff_t)side->count * extent;
    }
    block.address = mtree_address(side->buffer, place);
    return block;
}

size_t coll_mtree_side_bytes(const coll_mtree_side_t *side, int ranks)
{
    size_t bytes = 0;

    for (int rank = 0; rank < ranks; rank++) {
        const coll_mtree_elements_t block = coll_mtree_side_block(side, rank);

        bytes += coll_mtree_elements_bytes(&block);
    }
    return bytes;
}

/* Copy @a bytes at *array_p, which may be NULL, to *to_p, which moves on. */
static void copy_array(const void **array_p, size_t bytes, char **to_p)
{
    if (*array_p != NULL) {
        memcpy(*to_p, *array_p, bytes);
        *array_p = *to_p;
        *to_p += bytes;
    }
}

/* Copy the user's arrays, and hold the datatypes, which the user may free while the call
 * is under way. */
static void side_keep(coll_mtree_side_t *side, int ranks)
{
    const size_t counts = coll_mtree_int_array_bytes(side->counts, ranks);
    const size_t displs = coll_mtree_int_array_bytes(side->displs, ranks);
    const size_t types = side->types == NULL ? 0 : (size_t)ranks * sizeof(*side->types);
    char *to;

    if (!coll_mtree_side_exists(side)) {
        return;
    }
    to = side->copies = mtree_malloc(types + counts + displs);
    copy_array((const void **)&side->types, types, &to);
    /* Of the two the displacements are never the narrower ones. */
    copy_array(&side->displs.items, displs, &to);
    copy_array(&side->counts.items, counts, &to);
    side->held = side->types != NULL ? ranks : 1;
    for (int rank = 0; rank < side->held; rank++) {
        OBJ_RETAIN(type_of(side, rank));
    }
}

static void side_release(coll_mtree_side_t *side)
{
    for (int rank = 0; rank < side->held; rank++) {
        ompi_datatype_t *type = type_of(side, rank);

        OBJ_RELEASE(type);
    }
    side->held = 0;
    free(side->copies);
}

/* From bytes alone, which are the same on all ranks even where datatypes differ. */
static coll_mtree_verdict_t verdict_by_bytes(size_t bytes)
{
    if (bytes == 0) {
        return MTREE_COLL_ARGS_EMPTY;
    }
    return bytes >= coll_mtree_params_min_bytes() ? MTREE_COLL_ARGS_SERVED
                                                  : MTREE_COLL_ARGS_DECLINED;
}

static bool is_logical(const ompi_op_t *op)
{
    switch (op->op_type) {
    case OMPI_OP_LAND:
    case OMPI_OP_BAND:
    case OMPI_OP_LOR:
    case OMPI_OP_BOR:
    case OMPI_OP_LXOR:
    case OMPI_OP_BXOR:
        return true;
    default:
        return false;
    }
}

/* Open MPI flags the pairs of a floating-point number and its place as integers. */
static bool is_integer(const ompi_datatype_t *dtype)
{
    return (dtype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE) ==
               OMPI_DATATYPE_FLAG_DATA_INT &&
           dtype != MPI_FLOAT_INT && dtype != MPI_DOUBLE_INT &&
           dtype != MPI_LONG_DOUBLE_INT;
}

/*
 * May another order of the operands give other bits?  Sums of floating-point numbers
 * round, the greatest of them may be a NaN or either zero, and what an operation of the
 * user's does is not known.
 */
static bool has_order(const ompi_op_t *op, const ompi_datatype_t *dtype)
{
    return !ompi_op_is_intrinsic((ompi_op_t *)op) ||
           !(is_logical(op) || is_integer(dtype));
}

void coll_mtree_coll_args_fold(coll_mtree_coll_args_t *args,
                               mtree_collective_t collective, const void *sbuf,
                               void *rbuf, size_t count, ompi_datatype_t *dtype,
                               ompi_op_t *op)
{
    ptrdiff_t lower, extent;
    size_t size;

    ompi_datatype_type_size(dtype, &size);
    ompi_datatype_get_extent(dtype, &lower, &extent);
    /* MPI wants the same datatype on all ranks here, so its extent may decide too. */
    args->verdict = verdict_by_bytes(size * count);
    /* Scans are summed in the order of the ranks. */
    if (args->verdict == MTREE_COLL_ARGS_SERVED &&
        ((!ompi_op_is_commute(op) && !mtree_collective_is_prefix(collective)) ||
         extent <= 0)) {
        args->verdict = MTREE_COLL_ARGS_DECLINED;
    }
    args->call.collective = collective;
    args->call.units = count;
    args->call.unit_bytes = size;
    args->call.chunk_bytes = coll_mtree_params.chunk_bytes;
    args->input = sbuf == MPI_IN_PLACE ? rbuf : sbuf;
    args->output = rbuf;
    args->datatype = dtype;
    args->count = count;
    args->op = op;
    args->keeps_order = args->verdict == MTREE_COLL_ARGS_SERVED && has_order(op, dtype);
}

void coll_mtree_coll_args_move(coll_mtree_coll_args_t *args,
                               mtree_collective_t collective, coll_mtree_side_t result,
                               size_t count)
{
    const size_t bytes = result.type->super.size * count;

    args->verdict = verdict_by_bytes(bytes);
    args->call.collective = collective;
    args->call.units = bytes;
    args->call.unit_bytes = 1;
    args->call.chunk_bytes = coll_mtree_params.chunk_bytes;
    args->recv = result;
    args->output = (void *)result.buffer;
    args->datatype = result.type;
    args->count = count;
}

void coll_mtree_coll_args_blocks(coll_mtree_coll_args_t *args,
                                 coll_mtree_int_array_t rcounts, size_t element,
                                 int ranks)
{
    if (args->verdict != MTREE_COLL_ARGS_SERVED) {
        return;
    }
    args->blocks = coll_mtree_blocks_create(rcounts, element, ranks);
    args->call.blocks = args->blocks;
}

void coll_mtree_coll_args_exchange(coll_mtree_coll_args_t *args,
                                   mtree_collective_t collective, bool in_place,
                                   size_t bytes, int ranks)
{
    args->call.collective = collective;
    args->call.unit_bytes = 1;
    args->call.chunk_bytes = coll_mtree_params.chunk_bytes;
    args->datatype = MPI_BYTE;
    if (in_place) {
        args->send = args->recv;
        args->copies_sent = true;
    }
    args->call.unequal = ranks == 0;
    args->own_bytes = bytes;
    args->call.units = bytes * (size_t)ranks;
    args->verdict =
        ranks == 0 ? MTREE_COLL_ARGS_SERVED : verdict_by_bytes(args->call.units);
}

void coll_mtree_coll_args_size(coll_mtree_coll_args_t *args, double bytes)
{
    /* Some blocks may have bytes even where the others had none so far. */
    args->call.units = bytes < 1 ? 1 : (size_t)bytes;
    /* Fewer than one are a size that is not known yet. */
    args->verdict = bytes >= (double)coll_mtree_params_min_bytes()
                        ? MTREE_COLL_ARGS_SERVED
                        : MTREE_COLL_ARGS_DECLINED;
}

/*
 * Open MPI retains datatypes and operation for nonblocking calls, but not for persistent
 * ones in all versions.
 */
void coll_mtree_coll_args_keep(coll_mtree_coll_args_t *args, int ranks)
{
    if (args->op != NULL) {
        OBJ_RETAIN(args->op);
        OBJ_RETAIN(args->datatype);
        args->held = true;
    }
    side_keep(&args->send, ranks);
    side_keep(&args->recv, ranks);
}

void coll_mtree_coll_args_cleanup(coll_mtree_coll_args_t *args)
{
    if (args->held) {
        OBJ_RELEASE(args->op);
        OBJ_RELEASE(args->datatype);
    }
    side_release(&args->send);
    side_release(&args->recv);
    free(args->blocks);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/buffers.h"

#include "coll_mtree/call/blocks.h"
#include "coll_mtree/report/trace.h"

#include "opal/datatype/opal_convertor.h"

#include <stdlib.h>

/* Longer than two basic elements of any datatype. */
#define SPARE_BYTES 128

/* MPI's functions compute inout = in op inout.  mtree reduces by commutative operations
 * only, so the sides may be swapped.  Open MPI calls a user's function by the rules of
 * its language, such as Fortran, only where there is no third buffer. */
static void buffers_fold(void *arg, const void *a, const void *b, void *out, size_t count)
{
    const coll_mtree_coll_args_t *args = ((coll_mtree_buffers_t *)arg)->args;

    if (out != b && ompi_op_is_intrinsic(args->op)) {
        ompi_3buff_op_reduce(args->op, (void *)a, (void *)b, out, (int)count,
                             args->datatype);
        return;
    }
    if (out != b) {
        ompi_datatype_copy_content_same_ddt(args->datatype, count, out, (void *)b);
    }
    ompi_op_reduce(args->op, (void *)a, out, count, args->datatype);
}

/*
 * A convertor at byte @a offset of the packed image; for packing, up to one basic element
 * before.  Each chunk has a new one, because Open MPI's convertors are wrong after they
 * are positioned a second time.  Returns its offset.
 */
static size_t buffers_convertor(const coll_mtree_buffers_t *buffers, size_t offset,
                                bool pack, opal_convertor_t *convertor)
{
    const coll_mtree_coll_args_t *args = buffers->args;
    size_t size, first = 0, count = args->count;
    void *address = args->output;

    /* Blocks that are not in sequence have a packed image each. */
    if (args->displace != NULL) {
        int block = coll_mtree_blocks_find(args->blocks, buffers->num_blocks, offset);

        ompi_datatype_type_size(args->datatype, &size);
        first = args->blocks[block];
        count = (args->blocks[block + 1] - first) / size;
        address = mtree_address(address, args->displace[block]);
    }
    OBJ_CONSTRUCT(convertor, opal_convertor_t);
    if (pack) {
        opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor,
                                                 &args->datatype->super, count, address,
                                                 0, convertor);
    } else {
        opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor,
                                                 &args->datatype->super, count, address,
                                                 0, convertor);
    }
    offset -= first;
    opal_convertor_set_position(convertor, &offset);
    return first + offset;
}

/* Pack up to @a length bytes from the convertor's position; how many. */
static size_t convertor_pack(opal_convertor_t *convertor, void *bytes, size_t length)
{
    struct iovec iov = {.iov_base = bytes, .iov_len = length};
    uint32_t num_iovs = 1;
    size_t done = length;

    opal_convertor_pack(convertor, &iov, &num_iovs, &done);
    return done;
}

/*
 * Open MPI packs whole basic elements only: it begins at the start of one, and stops
 * before one that does not fit.  Elements that a chunk's ends cut are packed into
 * `spare`.
 */
static void buffers_pack(void *arg, size_t offset, void *bytes, size_t length)
{
    const coll_mtree_buffers_t *buffers = arg;
    char *to = bytes;

    while (length > 0) {
        opal_convertor_t convertor;
        char spare[SPARE_BYTES];
        size_t before = offset - buffers_convertor(buffers, offset, true, &convertor);
        size_t done = before == 0 ? convertor_pack(&convertor, to, length) : 0;

        if (done == 0) {
            done = convertor_pack(&convertor, spare, sizeof(spare)) - before;
            done = done < length ? done : length;
            memcpy(to, spare + before, done);
        }
        OBJ_DESTRUCT(&convertor);
        to += done;
        offset += done;
        length -= done;
    }
}

static void buffers_unpack(void *arg, size_t offset, const void *bytes, size_t length)
{
    struct iovec iov = {.iov_base = (void *)bytes, .iov_len = length};
    opal_convertor_t convertor;
    uint32_t num_iovs = 1;
    size_t done = length;

    (void)buffers_convertor(arg, offset, false, &convertor);
    opal_convertor_unpack(&convertor, &iov, &num_iovs, &done);
    OBJ_DESTRUCT(&convertor);
}

static int buffers_init_fold(coll_mtree_buffers_t *buffers, int rank)
{
    const coll_mtree_coll_args_t *args = buffers->args;
    ptrdiff_t lower, extent, true_extent;
    size_t ranks_first;

    ompi_datatype_get_extent(args->datatype, &lower, &extent);
    ompi_datatype_get_true_extent(args->datatype, &buffers->super.gap, &true_extent);
    buffers->super.input = args->input;
    buffers->super.output = args->output;
    buffers->super.extent = extent;
    buffers->super.span = (size_t)true_extent;
    buffers->super.fold = buffers_fold;
    if (!args->stashed || args->count == 0) {
        return OMPI_SUCCESS;
    }
    buffers->stash = malloc((size_t)extent * (args->count - 1) + buffers->super.span);
    if (buffers->stash == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ranks_first = args->blocks != NULL ? args->blocks[rank] : args->count * (size_t)rank;
    buffers->super.output = mtree_address(
        buffers->stash, -buffers->super.gap - (ptrdiff_t)ranks_first * extent);
    return OMPI_SUCCESS;
}

/*
 * Data to be moved: units are bytes of the packed image, which is what all ranks have in
 * common when their datatypes differ.  Whether it lies packed in memory is each rank's
 * own affair.
 */
static int buffers_init_move(coll_mtree_buffers_t *buffers, int ranks)
{
    const coll_mtree_coll_args_t *args = buffers->args;
    ptrdiff_t lower, extent;

    buffers->super.extent = 1;
    buffers->super.span = 1;
    buffers->num_blocks = args->displace != NULL ? ranks : 1;
    if (!ompi_datatype_is_contiguous_memory_layout(args->datatype,
                                                   args->count > 1 ? 2 : 1)) {
        buffers->super.pack = buffers_pack;
        buffers->super.unpack = buffers_unpack;
        return OMPI_SUCCESS;
    }
    ompi_datatype_get_true_extent(args->datatype, &lower, &extent);
    buffers->super.output = mtree_address(args->output, lower);
    buffers->super.input = buffers->super.output;
    if (args->displace == NULL) {
        return OMPI_SUCCESS;
    }
    buffers->shift = malloc((size_t)ranks * sizeof(*buffers->shift));
    if (buffers->shift == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int r = 0; r < ranks; r++) {
        buffers->shift[r] = args->displace[r] - (ptrdiff_t)args->blocks[r];
    }
    buffers->super.shift = buffers->shift;
    return OMPI_SUCCESS;
}

int coll_mtree_buffers_init(coll_mtree_buffers_t *buffers,
                            const coll_mtree_coll_args_t *args, int rank, int ranks)
{
    int rc = coll_mtree_staging_init(&buffers->staging, args, rank, ranks);

    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    buffers->args = buffers->staging.user != NULL ? &buffers->staging.args : args;
    buffers->super.arg = buffers;
    buffers->super.trace = coll_mtree_trace_get();
    return args->op != NULL ? buffers_init_fold(buffers, rank)
                            : buffers_init_move(buffers, ranks);
}

int coll_mtree_buffers_begin(const coll_mtree_buffers_t *buffers)
{
    const coll_mtree_coll_args_t *args = buffers->args;

    coll_mtree_staging_begin(&buffers->staging);
    if (args->own.from_type == NULL) {
        return OMPI_SUCCESS;
    }
    return ompi_datatype_sndrcv(args->own.from, args->own.from_count, args->own.from_type,
                                args->own.to, args->own.to_count, args->datatype);
}

void coll_mtree_buffers_deliver(const coll_mtree_buffers_t *buffers)
{
    const coll_mtree_coll_args_t *args = buffers->args;

    if (buffers->stash != NULL) {
        ompi_datatype_copy_content_same_ddt(
            args->datatype, args->count, args->scatter_to,
            mtree_address(buffers->stash, -buffers->super.gap));
    }
    coll_mtree_staging_end(&buffers->staging);
}

void coll_mtree_buffers_cleanup(coll_mtree_buffers_t *buffers)
{
    coll_mtree_staging_cleanup(&buffers->staging);
    free(buffers->shift);
    free(buffers->stash);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/buffers.h"

#include "coll_mtree/call/blocks.h"
#include "coll_mtree/report/trace.h"

#include "opal/datatype/opal_convertor.h"

#include <stdlib.h>

/* Longer than two basic elements of any datatype. */
#define SPARE_BYTES 128

/* MPI's functions give in op inout; mtree folds commutative operations only, so the side
 * is free.  Open MPI calls a user's function by the rules of its language, Fortran's say,
 * only where there is no third buffer. */
static void data_fold(void *arg, const void *a, const void *b, void *out, size_t count)
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
 * A convertor that stands at byte @a offset of the packed image, or for packing at most a
 * basic element before.  It is made anew for each chunk: Open MPI's convertors lose their
 * way when they are moved a second time.  Returns where it stands.
 */
static size_t data_convertor(const coll_mtree_buffers_t *data, size_t offset, bool pack,
                             opal_convertor_t *convertor)
{
    const coll_mtree_coll_args_t *args = data->args;
    size_t size, first = 0, count = args->count;
    void *address = args->output;

    /* Where blocks are apart each has a packed image of its own. */
    if (args->displace != NULL) {
        int block = coll_mtree_blocks_find(args->blocks, data->num_blocks, offset);

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

/* Pack up to @a length bytes from where the convertor stands. */
static size_t convertor_pack(opal_convertor_t *convertor, void *bytes, size_t length)
{
    struct iovec iov = {.iov_base = bytes, .iov_len = length};
    uint32_t num_iovs = 1;
    size_t done = length;

    opal_convertor_pack(convertor, &iov, &num_iovs, &done);
    return done;
}

/*
 * Open MPI packs whole basic elements only: it goes back to where one begins, and stops
 * before one that does not fit.  The elements that a chunk's ends cut are packed aside.
 */
static void data_pack(void *arg, size_t offset, void *bytes, size_t length)
{
    const coll_mtree_buffers_t *data = arg;
    char *to = bytes;

    while (length > 0) {
        opal_convertor_t convertor;
        char spare[SPARE_BYTES];
        size_t before = offset - data_convertor(data, offset, true, &convertor);
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

static void data_unpack(void *arg, size_t offset, const void *bytes, size_t length)
{
    struct iovec iov = {.iov_base = (void *)bytes, .iov_len = length};
    opal_convertor_t convertor;
    uint32_t num_iovs = 1;
    size_t done = length;

    (void)data_convertor(arg, offset, false, &convertor);
    opal_convertor_unpack(&convertor, &iov, &num_iovs, &done);
    OBJ_DESTRUCT(&convertor);
}

static int data_init_fold(coll_mtree_buffers_t *data, int rank)
{
    const coll_mtree_coll_args_t *args = data->args;
    ptrdiff_t lower, extent, true_extent;
    size_t ranks_first;

    ompi_datatype_get_extent(args->datatype, &lower, &extent);
    ompi_datatype_get_true_extent(args->datatype, &data->super.gap, &true_extent);
    data->super.input = args->input;
    data->super.output = args->output;
    data->super.extent = extent;
    data->super.span = (size_t)true_extent;
    data->super.fold = data_fold;
    if (!args->aside || args->count == 0) {
        return OMPI_SUCCESS;
    }
    data->aside = malloc((size_t)extent * (args->count - 1) + data->super.span);
    if (data->aside == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    ranks_first = args->blocks != NULL ? args->blocks[rank] : args->count * (size_t)rank;
    data->super.output =
        mtree_address(data->aside, -data->super.gap - (ptrdiff_t)ranks_first * extent);
    return OMPI_SUCCESS;
}

/*
 * Data to be moved: units are bytes of the packed image, which is what all ranks have in
 * common when their datatypes differ.  Whether it lies packed in memory is each rank's
 * own affair.
 */
static int data_init_move(coll_mtree_buffers_t *data, int ranks)
{
    const coll_mtree_coll_args_t *args = data->args;
    ptrdiff_t lower, extent;

    data->super.extent = 1;
    data->super.span = 1;
    data->num_blocks = args->displace != NULL ? ranks : 1;
    if (!ompi_datatype_is_contiguous_memory_layout(args->datatype,
                                                   args->count > 1 ? 2 : 1)) {
        data->super.pack = data_pack;
        data->super.unpack = data_unpack;
        return OMPI_SUCCESS;
    }
    ompi_datatype_get_true_extent(args->datatype, &lower, &extent);
    data->super.output = mtree_address(args->output, lower);
    data->super.input = data->super.output;
    if (args->displace == NULL) {
        return OMPI_SUCCESS;
    }
    data->shift = malloc((size_t)ranks * sizeof(*data->shift));
    if (data->shift == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int r = 0; r < ranks; r++) {
        data->shift[r] = args->displace[r] - (ptrdiff_t)args->blocks[r];
    }
    data->super.shift = data->shift;
    return OMPI_SUCCESS;
}

int coll_mtree_buffers_init(coll_mtree_buffers_t *data,
                            const coll_mtree_coll_args_t *args, int rank, int ranks)
{
    data->args = args;
    data->super.arg = data;
    data->super.trace = coll_mtree_trace_get();
    return args->op != NULL ? data_init_fold(data, rank) : data_init_move(data, ranks);
}

int coll_mtree_buffers_begin(const coll_mtree_coll_args_t *args)
{
    if (args->own.from_type == NULL) {
        return OMPI_SUCCESS;
    }
    return ompi_datatype_sndrcv(args->own.from, args->own.from_count, args->own.from_type,
                                args->own.to, args->own.to_count, args->datatype);
}

void coll_mtree_buffers_deliver(const coll_mtree_buffers_t *data,
                                const coll_mtree_coll_args_t *args)
{
    if (data->aside != NULL) {
        ompi_datatype_copy_content_same_ddt(args->datatype, args->count, args->scatter_to,
                                            mtree_address(data->aside, -data->super.gap));
    }
}

void coll_mtree_buffers_cleanup(coll_mtree_buffers_t *data)
{
    free(data->shift);
    free(data->aside);
}

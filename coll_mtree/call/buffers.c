/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/buffers.h"

#include "coll_mtree/base/blocks.h"
#include "coll_mtree/report/trace.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The elements of a chunk fit into an int: they have COLL_MTREE_ANY_LENGTH bytes at most,
 * or are one, or through relays no more than the user counts.
 *
 * MPI's functions compute inout = in op inout.  Of scans @a a is of lower ranks than @a
 * b; else mtree reduces by commutative operations only.  Open MPI calls a user's function
 * by the rules of its language, such as Fortran, only where there is no third buffer. */
static void buffers_fold(void *arg, const void *a, const void *b, void *out, size_t count)
{
    const coll_mtree_coll_args_t *args = ((coll_mtree_buffers_t *)arg)->args;

    if (out != b && ompi_op_is_intrinsic(args->op)) {
        ompi_3buff_op_reduce(args->op, (void *)a, (void *)b, out,
                             (coll_mtree_mpi_count_t)count, args->datatype);
        return;
    }
    if (out != b) {
        ompi_datatype_copy_content_same_ddt(args->datatype, count, out, (void *)b);
    }
    ompi_op_reduce(args->op, (void *)a, out, count, args->datatype);
}

static void buffers_copy(void *arg, const void *from, void *to, size_t count)
{
    const coll_mtree_coll_args_t *args = ((coll_mtree_buffers_t *)arg)->args;

    ompi_datatype_copy_content_same_ddt(args->datatype, count, to, (void *)from);
}

/* The elements in whose packed image byte *offset_p lies, which becomes the offset there:
 * of a personalized call those of the block of @a rank in @a side, of others all, or a
 * block where these are not in sequence, and have a packed image each. */
static coll_mtree_elements_t buffers_part(const coll_mtree_buffers_t *buffers,
                                          const coll_mtree_side_t *side, int rank,
                                          size_t *offset_p)
{
    const coll_mtree_coll_args_t *args = buffers->args;

    if (!mtree_collective_is_personalized(args->call.collective)) {
        if (args->blocks == NULL) {
            return (coll_mtree_elements_t){args->output, args->count, args->datatype};
        }
        rank = coll_mtree_blocks_find(args->blocks, buffers->ranks, *offset_p);
        *offset_p -= args->blocks[rank];
        side = &args->recv;
    }
    return coll_mtree_side_block(side, rank);
}

/* Blocks that are stashed are copied to their places before and after the call alone. */
static void buffers_pack(void *arg, int rank, size_t offset, void *bytes, size_t length)
{
    const coll_mtree_buffers_t *buffers = arg;

    if (buffers->send.stash != NULL) {
        memcpy(bytes, buffers->send.address[rank] + offset, length);
    } else {
        const coll_mtree_elements_t part =
            buffers_part(buffers, &buffers->args->send, rank, &offset);

        coll_mtree_pack(&part, offset, bytes, length);
    }
}

static void buffers_unpack(void *arg, int rank, size_t offset, const void *bytes,
                           size_t length)
{
    const coll_mtree_buffers_t *buffers = arg;

    if (buffers->recv.stash != NULL) {
        memcpy(buffers->recv.address[rank] + offset, bytes, length);
    } else {
        const coll_mtree_elements_t part =
            buffers_part(buffers, &buffers->args->recv, rank, &offset);

        coll_mtree_unpack(&part, offset, bytes, length);
    }
}

/* The first byte of elements that are packed, or of others. */
static char *first_byte(const coll_mtree_elements_t *elements)
{
    ptrdiff_t lower, extent;

    ompi_datatype_get_true_extent(elements->type, &lower, &extent);
    return mtree_address(elements->address, lower);
}

/* Are the elements in a device's memory?  Where this rank has none there is no address.
 */
static bool are_on_device(coll_mtree_elements_t elements)
{
    const char *first = first_byte(&elements);

    return elements.count > 0 && first != NULL && coll_mtree_is_on_device(first);
}

/* Memory for @a count elements of the call; *first_p is the address of the first one. */
static char *stash_elements(const coll_mtree_buffers_t *buffers, size_t count,
                            void **first_p)
{
    char *stash =
        mtree_malloc((size_t)buffers->super.extent * (count - 1) + buffers->super.span);

    *first_p = mtree_address(stash, -buffers->super.gap);
    return stash;
}

/* The result of a reduce_scatter is one block of the vector that the engine sees. */
static void buffers_init_fold(coll_mtree_buffers_t *buffers)
{
    const coll_mtree_coll_args_t *args = buffers->args;
    const bool scatters = args->call.collective == MTREE_REDUCE_SCATTER;
    ptrdiff_t lower, extent, true_extent;
    void *first;

    ompi_datatype_get_extent(args->datatype, &lower, &extent);
    ompi_datatype_get_true_extent(args->datatype, &buffers->super.gap, &true_extent);
    buffers->super.input = args->input;
    buffers->super.output = args->output;
    buffers->super.extent = extent;
    buffers->super.span = (size_t)true_extent;
    buffers->super.fold = buffers_fold;
    buffers->super.copy = buffers_copy;
    buffers->super.is_exclusive = args->call.is_exclusive;
    buffers->result = (coll_mtree_elements_t){scatters ? args->scatter_to : args->output,
                                              args->count, args->datatype};
    if (are_on_device((coll_mtree_elements_t){(void *)args->input, args->call.units,
                                              args->datatype})) {
        buffers->input = stash_elements(buffers, args->call.units, &first);
        buffers->super.input = first;
    }
    if (args->count > 0 && (args->stashed || are_on_device(buffers->result))) {
        buffers->stash = stash_elements(buffers, args->count, &first);
        buffers->super.output =
            mtree_address(first, (ptrdiff_t)((uintptr_t)args->output -
                                             (uintptr_t)buffers->result.address));
    }
}

/* Are the blocks, of which one that is not empty stands for all, in a device's memory? */
static bool is_side_on_device(const coll_mtree_side_t *side, int ranks)
{
    for (int rank = 0; rank < ranks; rank++) {
        const coll_mtree_elements_t block = coll_mtree_side_block(side, rank);

        if (coll_mtree_elements_bytes(&block) > 0) {
            return are_on_device(block);
        }
    }
    return false;
}

static void make_stash(coll_mtree_side_buffers_t *buffers, int ranks)
{
    size_t at = 0;

    for (int rank = 0; rank < ranks; rank++) {
        at += buffers->units[rank];
    }
    buffers->stash = mtree_malloc(at);
    at = 0;
    for (int rank = 0; rank < ranks; rank++) {
        buffers->address[rank] = buffers->stash + at;
        at += buffers->units[rank];
    }
}

/* With @a copies, and where they cannot be unpacked in parts, all blocks are stashed. */
static void side_init(coll_mtree_side_buffers_t *buffers, const coll_mtree_side_t *side,
                      int ranks, bool copies)
{
    const size_t count = (size_t)ranks;

    if (!coll_mtree_side_exists(side)) {
        return;
    }
    buffers->units = mtree_calloc(count, sizeof(*buffers->units));
    buffers->address = mtree_calloc(count, sizeof(*buffers->address));
    for (int peer = 0; peer < ranks; peer++) {
        const coll_mtree_elements_t block = coll_mtree_side_block(side, peer);

        buffers->units[peer] = coll_mtree_elements_bytes(&block);
        if (coll_mtree_elements_are_packed(&block)) {
            buffers->address[peer] = first_byte(&block);
        } else {
            copies = copies || coll_mtree_elements_are_long(&block);
        }
    }
    if (copies || is_side_on_device(side, ranks)) {
        make_stash(buffers, ranks);
    }
}

/*
 * Data to be moved: units are bytes of the packed image, which is what all ranks have in
 * common when their datatypes differ.  Whether it lies packed in memory is each rank's
 * own affair.
 */
static void buffers_init_move(coll_mtree_buffers_t *buffers)
{
    const coll_mtree_coll_args_t *args = buffers->args;
    const coll_mtree_elements_t all = {args->output, args->count, args->datatype};
    const bool is_packed = coll_mtree_elements_are_packed(&all);

    buffers->super.extent = 1;
    buffers->super.span = 1;
    if (is_side_on_device(&args->recv, buffers->ranks) ||
        (!is_packed && coll_mtree_elements_are_long(&all))) {
        side_init(&buffers->recv, &args->recv, buffers->ranks, true);
        buffers->super.input = buffers->super.output = buffers->recv.stash;
        return;
    }
    if (!is_packed) {
        buffers->super.pack = buffers_pack;
        buffers->super.unpack = buffers_unpack;
        return;
    }
    buffers->super.input = buffers->super.output = first_byte(&all);
    if (args->blocks == NULL) {
        return;
    }
    buffers->shift = mtree_malloc((size_t)buffers->ranks * sizeof(*buffers->shift));
    for (int r = 0; r < buffers->ranks; r++) {
        buffers->shift[r] =
            (ptrdiff_t)((uintptr_t)coll_mtree_side_block(&args->recv, r).address -
                        (uintptr_t)args->output - args->blocks[r]);
    }
    buffers->super.shift = buffers->shift;
}

static void side_cleanup(coll_mtree_side_buffers_t *buffers)
{
    free(buffers->units);
    free(buffers->address);
    free(buffers->stash);
}

/* The engine reads sizes where blocks are @a unequal. */
static mtree_side_t side_view(const coll_mtree_side_buffers_t *buffers, bool unequal)
{
    return (mtree_side_t){.units = unequal ? buffers->units : NULL,
                          .address = buffers->address};
}

/* Copy to their stashes what this rank sends and the block of the result that it has from
 * the beginning, before the first message; and the others from theirs, after the last. */
static void sides_stash(const coll_mtree_buffers_t *buffers)
{
    const coll_mtree_side_buffers_t *send = &buffers->send, *recv = &buffers->recv;
    const int rank = buffers->rank;

    for (int peer = 0; send->stash != NULL && peer < buffers->ranks; peer++) {
        const coll_mtree_elements_t block =
            coll_mtree_side_block(&buffers->args->send, peer);

        if (peer != rank) {
            coll_mtree_pack(&block, 0, send->address[peer], send->units[peer]);
        }
    }
    if (recv->stash != NULL) {
        const coll_mtree_elements_t own =
            coll_mtree_side_block(&buffers->args->recv, rank);

        coll_mtree_pack(&own, 0, recv->address[rank], recv->units[rank]);
    }
}

static void sides_deliver(const coll_mtree_buffers_t *buffers)
{
    const coll_mtree_side_buffers_t *recv = &buffers->recv;

    for (int peer = 0; recv->stash != NULL && peer < buffers->ranks; peer++) {
        const coll_mtree_elements_t block =
            coll_mtree_side_block(&buffers->args->recv, peer);

        if (peer != buffers->rank && recv->units[peer] > 0) {
            coll_mtree_unpack(&block, 0, recv->address[peer], recv->units[peer]);
        }
    }
}

/* Blocks of bytes, as for data to be moved. */
static void buffers_init_exchange(coll_mtree_buffers_t *buffers)
{
    const coll_mtree_coll_args_t *args = buffers->args;

    side_init(&buffers->send, &args->send, buffers->ranks, args->copies_sent);
    side_init(&buffers->recv, &args->recv, buffers->ranks, false);
    buffers->super.extent = 1;
    buffers->super.span = 1;
    buffers->super.send = side_view(&buffers->send, args->call.unequal);
    buffers->super.recv = side_view(&buffers->recv, args->call.unequal);
    buffers->super.pack = buffers_pack;
    buffers->super.unpack = buffers_unpack;
}

void coll_mtree_buffers_init(coll_mtree_buffers_t *buffers,
                             const coll_mtree_coll_args_t *args, int rank, int ranks)
{
    buffers->args = args;
    buffers->rank = rank;
    buffers->ranks = ranks;
    buffers->super.arg = buffers;
    buffers->super.trace = coll_mtree_trace_get();
    if (mtree_collective_is_personalized(args->call.collective)) {
        buffers_init_exchange(buffers);
    } else if (args->op != NULL) {
        buffers_init_fold(buffers);
    } else {
        buffers_init_move(buffers);
    }
}

/* Copy the block from this rank to itself, where it has one on both sides.  Counts are
 * the user's, who has them in MPI's type. */
static int copy_own_block(const coll_mtree_buffers_t *buffers)
{
    const int rank = buffers->rank;
    const coll_mtree_elements_t from = coll_mtree_side_block(&buffers->args->send, rank);
    const coll_mtree_elements_t to = coll_mtree_side_block(&buffers->args->recv, rank);

    return buffers->args->copies_sent || from.count == 0 || to.count == 0
               ? OMPI_SUCCESS
               : ompi_datatype_sndrcv(from.address, (coll_mtree_mpi_count_t)from.count,
                                      from.type, to.address,
                                      (coll_mtree_mpi_count_t)to.count, to.type);
}

int coll_mtree_buffers_begin(const coll_mtree_buffers_t *buffers)
{
    const coll_mtree_coll_args_t *args = buffers->args;
    int rc = copy_own_block(buffers);

    sides_stash(buffers);
    if (buffers->input != NULL) {
        buffers_copy((void *)buffers, args->input, (void *)buffers->super.input,
                     args->call.units);
    }
    /* The result of rank 0 of a scan is what it contributes. */
    if (buffers->stash != NULL && args->call.collective == MTREE_SCAN &&
        buffers->rank == 0) {
        buffers_copy((void *)buffers, buffers->result.address, buffers->super.output,
                     args->count);
    }
    return rc;
}

void coll_mtree_buffers_deliver(const coll_mtree_buffers_t *buffers)
{
    /* Rank 0 of an exclusive scan has no result. */
    if (buffers->stash != NULL &&
        (!buffers->args->call.is_exclusive || buffers->rank > 0)) {
        ompi_datatype_copy_content_same_ddt(
            buffers->args->datatype, buffers->args->count, buffers->result.address,
            mtree_address(buffers->stash, -buffers->super.gap));
    }
    sides_deliver(buffers);
}

void coll_mtree_buffers_cleanup(coll_mtree_buffers_t *buffers)
{
    side_cleanup(&buffers->send);
    side_cleanup(&buffers->recv);
    free(buffers->shift);
    free(buffers->input);
    free(buffers->stash);
    memset(buffers, 0, sizeof(*buffers));
}

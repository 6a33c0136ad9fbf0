/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Bcast, MPI_Allreduce and MPI_Allgather of a program that MPICH built, over the
 * trees of a plan.  The library is loaded before MPICH's (LD_PRELOAD), whose own
 * functions serve what this one does not.
 *
 * Whether a call is served follows from what is the same on all of its ranks: from its
 * bytes and, where it reduces, from datatype and operation.  Datatypes with gaps, which
 * may differ between ranks, are packed.
 */
#include "mpich/communicator.h"

#include "base/memory.h"
#include "schedule/layout.h"
#include "schedule/operation.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Calls of fewer bytes are MPICH's. */
#define LEAST_BYTES 65536

/* What a reduction folds. */
typedef struct {
    MPI_Op op;
    MPI_Datatype type;
    size_t size;
    int code; /* MPI_SUCCESS, or of the first fold that failed */
} fold_t;

/* Of this process alone; its errors are returned, and no handler of the user's hears of
 * what is tried on it. */
static MPI_Comm trial_comm = MPI_COMM_NULL;
static pthread_once_t trial_once = PTHREAD_ONCE_INIT;

static void trial_open(void)
{
    mtree_mpich_must(PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &trial_comm));
    mtree_mpich_must(PMPI_Comm_set_errhandler(trial_comm, MPI_ERRORS_RETURN));
}

/* Would MPICH communicate elements of @a type?  Not if it is not committed, say.  Calls
 * that it refuses are its own, and it says so in its own words. */
static bool is_usable(MPI_Datatype type)
{
    char nothing;
    int position = 0;

    pthread_once(&trial_once, trial_open);
    return PMPI_Pack(&nothing, 0, type, &nothing, 0, &position, trial_comm) ==
           MPI_SUCCESS;
}

/* Does @a op fold elements of @a type, of @a size bytes?  Ranks find the same. */
static bool folds(MPI_Op op, MPI_Datatype type, size_t size)
{
    char element[64] = {0};

    pthread_once(&trial_once, trial_open);
    return size <= sizeof(element) &&
           PMPI_Allreduce(MPI_IN_PLACE, element, 1, type, op, trial_comm) == MPI_SUCCESS;
}

/* Bytes of @a count elements of @a type in each of @a blocks; 0 where a call of these is
 * MPICH's.  Messages have an int of bytes. */
static size_t served_bytes(int count, MPI_Datatype type, int blocks, MPI_Comm comm)
{
    MPI_Count size;

    if (count <= 0 || type == MPI_DATATYPE_NULL || comm == MPI_COMM_NULL ||
        !is_usable(type) || PMPI_Type_size_x(type, &size) != MPI_SUCCESS) {
        return 0;
    }
    if (size <= 0 || size > INT_MAX / count / blocks) {
        return 0;
    }
    size *= (MPI_Count)count * blocks;
    return size < LEAST_BYTES ? 0 : (size_t)size;
}

/* Do elements of @a type lie one behind the other, without gaps? */
static bool is_dense(MPI_Datatype type)
{
    int integers, addresses, types, combiner;
    MPI_Count lower, extent, size;

    return PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) ==
               MPI_SUCCESS &&
           PMPI_Type_get_extent_x(type, &lower, &extent) == MPI_SUCCESS &&
           PMPI_Type_size_x(type, &size) == MPI_SUCCESS &&
           combiner == MPI_COMBINER_NAMED && lower == 0 && extent == size;
}

static bool is_predefined(MPI_Op op)
{
    static const MPI_Op known[] = {MPI_SUM,  MPI_PROD, MPI_MAX, MPI_MIN,  MPI_LAND,
                                   MPI_BAND, MPI_LOR,  MPI_BOR, MPI_LXOR, MPI_BXOR};

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (op == known[i]) {
            return true;
        }
    }
    return false;
}

/* Let @a operation end. */
static void finish(mtree_mpich_communicator_t *own, mtree_operation_t *operation)
{
    mtree_status_t status;

    while (!mtree_operation_done(operation, &status)) {
        mtree_mpich_transport_progress(&own->transport);
    }
    mtree_require(status);
    mtree_operation_free(operation);
}

static void run(mtree_mpich_communicator_t *own, const mtree_plan_part_t *part,
                mtree_call_t call, const mtree_operation_data_t *data)
{
    mtree_operation_t *operation;
    mtree_layout_t *layout;

    own->transport.unit_bytes = (int)call.unit_bytes;
    call.overlap = mtree_operation_overlap(data);
    mtree_require(mtree_layout_create(part, own->placement, &call, own->rank, &layout));
    mtree_operation_start(layout, &own->transport.super, data, NULL, NULL, &operation);
    finish(own, operation);
    mtree_layout_destroy(layout);
}

/* A call about @a bytes bytes that are the same everywhere when it has ended. */
static mtree_call_t call_of_bytes(mtree_collective_t collective, int root, size_t bytes)
{
    return (mtree_call_t){
        .collective = collective, .root = root, .units = bytes, .unit_bytes = 1};
}

static void run_bytes(mtree_mpich_communicator_t *own, const mtree_plan_part_t *part,
                      const mtree_call_t *call, void *bytes)
{
    const mtree_operation_data_t data = {
        .input = bytes, .output = bytes, .extent = 1, .span = 1};

    run(own, part, *call, &data);
}

/* MPICH packs the data alone, in the order of the elements. */
static void pack(const void *buffer, int count, MPI_Datatype type, void *packed,
                 size_t bytes, MPI_Comm comm)
{
    int position = 0;

    mtree_mpich_must(PMPI_Pack(buffer, count, type, packed, (int)bytes, &position, comm));
}

static int unpack(const void *packed, size_t bytes, void *buffer, int count,
                  MPI_Datatype type, MPI_Comm comm)
{
    int position = 0;

    return PMPI_Unpack(packed, (int)bytes, &position, buffer, count, type, comm);
}

/* The part for @a call, or NULL: it is MPICH's. */
static const mtree_plan_part_t *find_part(mtree_mpich_communicator_t *own,
                                          const mtree_call_t *call)
{
    return own != NULL && call->root >= 0 && call->root < own->num_ranks
               ? mtree_mpich_communicator_part(own, call)
               : NULL;
}

static mtree_mpich_communicator_t *find_communicator(size_t bytes, MPI_Comm comm)
{
    return bytes == 0 ? NULL : mtree_mpich_communicator_find(comm);
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const size_t bytes = served_bytes(count, type, 1, comm);
    const mtree_call_t call = call_of_bytes(MTREE_BCAST, root, bytes);
    mtree_mpich_communicator_t *own = find_communicator(bytes, comm);
    const mtree_plan_part_t *part = find_part(own, &call);
    int code = MPI_SUCCESS;
    void *packed;

    if (part == NULL) {
        return PMPI_Bcast(buffer, count, type, root, comm);
    }
    if (is_dense(type)) {
        run_bytes(own, part, &call, buffer);
        return MPI_SUCCESS;
    }
    packed = mtree_calloc(bytes, 1);
    if (own->rank == root) {
        pack(buffer, count, type, packed, bytes, comm);
    }
    run_bytes(own, part, &call, packed);
    if (own->rank != root) {
        code = unpack(packed, bytes, buffer, count, type, comm);
    }
    free(packed);
    return code;
}

static void fold(void *arg, const void *a, const void *b, void *out, size_t count)
{
    fold_t *own = arg;
    int code;

    if (out != b) {
        memcpy(out, b, count * own->size);
    }
    code = PMPI_Reduce_local(a, out, (int)count, own->type, own->op);
    own->code = own->code == MPI_SUCCESS ? code : own->code;
}

int MPI_Allreduce(const void *input, void *output, int count, MPI_Datatype type,
                  MPI_Op op, MPI_Comm comm)
{
    const size_t bytes = served_bytes(count, type, 1, comm);
    const size_t size = bytes > 0 ? bytes / (size_t)count : 1;
    const bool serves =
        bytes > 0 && is_predefined(op) && is_dense(type) && folds(op, type, size);
    mtree_mpich_communicator_t *own = find_communicator(serves ? bytes : 0, comm);
    const mtree_call_t call = {
        .collective = MTREE_ALLREDUCE, .units = (size_t)count, .unit_bytes = size};
    const mtree_plan_part_t *part = find_part(own, &call);
    fold_t folded = {.op = op, .type = type, .size = size, .code = MPI_SUCCESS};
    const mtree_operation_data_t data = {
        .input = input == MPI_IN_PLACE ? output : input,
        .output = output,
        .extent = (ptrdiff_t)size,
        .span = size,
        .fold = fold,
        .arg = &folded,
    };

    if (part == NULL) {
        return PMPI_Allreduce(input, output, count, type, op, comm);
    }
    run(own, part, call, &data);
    return folded.code;
}

/* Where the @a count elements of @a rank begin in the result of an allgather. */
static const void *block_of(const void *output, int rank, int count, MPI_Datatype type)
{
    MPI_Count lower, extent;

    mtree_mpich_must(PMPI_Type_get_extent_x(type, &lower, &extent));
    return mtree_address(output, (ptrdiff_t)extent * count * rank);
}

int MPI_Allgather(const void *input, int input_count, MPI_Datatype input_type,
                  void *output, int count, MPI_Datatype type, MPI_Comm comm)
{
    int num_ranks = 1, code = MPI_SUCCESS;
    size_t bytes, block;
    mtree_mpich_communicator_t *own;
    const mtree_plan_part_t *part;
    mtree_call_t call;
    char *packed = output, *own_block;

    if (comm == MPI_COMM_NULL || PMPI_Comm_size(comm, &num_ranks) != MPI_SUCCESS ||
        (input != MPI_IN_PLACE && !is_usable(input_type))) {
        return PMPI_Allgather(input, input_count, input_type, output, count, type, comm);
    }
    bytes = served_bytes(count, type, num_ranks, comm);
    block = bytes / (size_t)num_ranks;
    call = call_of_bytes(MTREE_ALLGATHER, 0, bytes);
    own = find_communicator(bytes, comm);
    part = find_part(own, &call);
    if (part == NULL) {
        return PMPI_Allgather(input, input_count, input_type, output, count, type, comm);
    }
    if (!is_dense(type)) {
        packed = mtree_calloc(bytes, 1);
    }
    own_block = packed + (size_t)own->rank * block;
    if (input != MPI_IN_PLACE) {
        pack(input, input_count, input_type, own_block, block, comm);
    } else if (packed != output) {
        pack(block_of(output, own->rank, count, type), count, type, own_block, block,
             comm);
    }
    run_bytes(own, part, &call, packed);
    if (packed != output) {
        code = unpack(packed, bytes, output, count * num_ranks, type, comm);
        free(packed);
    }
    return code;
}

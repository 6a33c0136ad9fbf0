/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/operation.h"
#include "base/log.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void run_allreduce(const mtree_call_t *call)
{
    MPI_Allreduce(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->comm);
}

static void run_reduce(const mtree_call_t *call)
{
    MPI_Reduce(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->root,
               call->comm);
}

static void run_reduce_scatter(const mtree_call_t *call)
{
    MPI_Reduce_scatter(call->send, call->recv, call->part_counts, MPI_FLOAT, MPI_SUM,
                       call->comm);
}

static void run_bcast(const mtree_call_t *call)
{
    MPI_Bcast(call->recv, call->count, MPI_BYTE, call->root, call->comm);
}

static void run_allgather(const mtree_call_t *call)
{
    MPI_Allgather(call->send, call->count, MPI_BYTE, call->recv, call->count, MPI_BYTE,
                  call->comm);
}

static void run_allgatherv(const mtree_call_t *call)
{
    MPI_Allgatherv(call->send, call->count, MPI_BYTE, call->recv, call->part_counts,
                   call->part_displs, MPI_BYTE, call->comm);
}

static void run_barrier(const mtree_call_t *call)
{
    MPI_Barrier(call->comm);
}

static void run_iallreduce(const mtree_call_t *call)
{
    MPI_Request request;

    MPI_Iallreduce(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->comm,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_ireduce(const mtree_call_t *call)
{
    MPI_Request request;

    MPI_Ireduce(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->root,
                call->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_ireduce_scatter(const mtree_call_t *call)
{
    MPI_Request request;

    MPI_Ireduce_scatter(call->send, call->recv, call->part_counts, MPI_FLOAT, MPI_SUM,
                        call->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_ibcast(const mtree_call_t *call)
{
    MPI_Request request;

    MPI_Ibcast(call->recv, call->count, MPI_BYTE, call->root, call->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_iallgather(const mtree_call_t *call)
{
    MPI_Request request;

    MPI_Iallgather(call->send, call->count, MPI_BYTE, call->recv, call->count, MPI_BYTE,
                   call->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_iallgatherv(const mtree_call_t *call)
{
    MPI_Request request;

    MPI_Iallgatherv(call->send, call->count, MPI_BYTE, call->recv, call->part_counts,
                    call->part_displs, MPI_BYTE, call->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void run_ibarrier(const mtree_call_t *call)
{
    MPI_Request request;

    MPI_Ibarrier(call->comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static const mtree_operation_t operations[] = {
    {"allreduce", MTREE_RESULT_SUM, run_allreduce},
    {"bcast", MTREE_RESULT_COPY, run_bcast},
    {"allgather", MTREE_RESULT_GATHERED, run_allgather},
    {"allgatherv", MTREE_RESULT_GATHERED, run_allgatherv},
    {"reduce", MTREE_RESULT_SUM_AT_ROOT, run_reduce},
    {"reduce_scatter", MTREE_RESULT_SUM_PART, run_reduce_scatter},
    {"barrier", MTREE_RESULT_NONE, run_barrier},
    {"iallreduce", MTREE_RESULT_SUM, run_iallreduce},
    {"ibcast", MTREE_RESULT_COPY, run_ibcast},
    {"iallgather", MTREE_RESULT_GATHERED, run_iallgather},
    {"iallgatherv", MTREE_RESULT_GATHERED, run_iallgatherv},
    {"ireduce", MTREE_RESULT_SUM_AT_ROOT, run_ireduce},
    {"ireduce_scatter", MTREE_RESULT_SUM_PART, run_ireduce_scatter},
    {"ibarrier", MTREE_RESULT_NONE, run_ibarrier},
};

const mtree_operation_t *mtree_operation_get(int index)
{
    int num_operations = (int)(sizeof(operations) / sizeof(operations[0]));

    return (index < num_operations) ? &operations[index] : NULL;
}

const mtree_operation_t *mtree_operation_find(const char *name)
{
    const mtree_operation_t *operation;
    int i;

    for (i = 0; (operation = mtree_operation_get(i)) != NULL; i++) {
        if (strcmp(operation->name, name) == 0) {
            return operation;
        }
    }
    return NULL;
}

static bool is_reduction(mtree_result_t result)
{
    return result == MTREE_RESULT_SUM || result == MTREE_RESULT_SUM_AT_ROOT ||
           result == MTREE_RESULT_SUM_PART;
}

size_t mtree_operation_unit(const mtree_operation_t *operation)
{
    if (operation->result == MTREE_RESULT_NONE) {
        return 0;
    }
    return is_reduction(operation->result) ? sizeof(float) : 1;
}

/* A scattered vector is cut into even parts, the first ones longer by one where it does
 * not divide. */
static void set_parts(const mtree_operation_t *operation, mtree_call_t *call)
{
    int whole = call->count / call->num_ranks;
    int rest = call->count % call->num_ranks;
    int displ = 0;
    int rank;

    for (rank = 0; rank < call->num_ranks; rank++) {
        call->part_counts[rank] = (operation->result == MTREE_RESULT_GATHERED)
                                      ? call->count
                                      : whole + (rank < rest);
        call->part_displs[rank] = displ;
        displ += call->part_counts[rank];
    }
}

static size_t result_count(const mtree_operation_t *operation, const mtree_call_t *call)
{
    switch (operation->result) {
    case MTREE_RESULT_NONE:
        return 0;
    case MTREE_RESULT_SUM_PART:
        return (size_t)call->part_counts[call->rank];
    case MTREE_RESULT_GATHERED:
        return (size_t)call->count * (size_t)call->num_ranks;
    default:
        return (size_t)call->count;
    }
}

mtree_status_t mtree_operation_acquire(const mtree_operation_t *operation, size_t bytes,
                                       mtree_call_t *call)
{
    size_t unit = mtree_operation_unit(operation);
    size_t num_ranks = (size_t)call->num_ranks;
    size_t vectors = (operation->result == MTREE_RESULT_GATHERED) ? num_ranks : 1;

    if (bytes > (size_t)INT_MAX / vectors) {
        mtree_error(
            "%s of %zu bytes on %d ranks has more than %d elements: give a smaller "
            "maximum with -m",
            operation->name, bytes, call->num_ranks, INT_MAX);
        return MTREE_ERR_LIMIT;
    }
    call->count = (unit == 0) ? 0 : (int)(bytes / unit);
    call->send = NULL;
    call->recv = NULL;
    call->part_displs = calloc(num_ranks, sizeof(int));
    call->part_counts = calloc(num_ranks, sizeof(int));
    if (call->part_counts == NULL || call->part_displs == NULL) {
        goto err_release;
    }
    set_parts(operation, call);
    /* One byte more, because malloc(0) may give NULL. */
    call->send = malloc((size_t)call->count * unit + 1);
    call->recv = malloc(result_count(operation, call) * unit + 1);
    if (call->send == NULL || call->recv == NULL) {
        goto err_release;
    }
    return MTREE_OK;

err_release:
    mtree_error("rank %d: no memory for the buffers of %s of %zu bytes: give a smaller "
                "maximum with -m",
                call->rank, operation->name, bytes);
    mtree_operation_release(call);
    return MTREE_ERR_NO_MEMORY;
}

void mtree_operation_release(mtree_call_t *call)
{
    free(call->send);
    free(call->recv);
    free(call->part_counts);
    free(call->part_displs);
}

void mtree_operation_prepare(const mtree_operation_t *operation, const mtree_call_t *call,
                             const mtree_pattern_t *pattern, int iteration)
{
    size_t unit = mtree_operation_unit(operation);
    mtree_pattern_run_t run = {.kind = is_reduction(operation->result)
                                           ? MTREE_PATTERN_VALUES
                                           : MTREE_PATTERN_BYTES,
                               .rank = call->rank,
                               .iteration = iteration,
                               .first = 0};

    /* 0xff is no byte of the pattern, and as a float it is not a number. */
    memset(call->recv, 0xff, result_count(operation, call) * unit);
    if (operation->result != MTREE_RESULT_COPY) {
        mtree_pattern_fill(pattern, run, call->send, (size_t)call->count);
    } else if (call->rank == call->root) {
        mtree_pattern_fill(pattern, run, call->recv, (size_t)call->count);
    }
}

/* Compare elements of the result from @a first on with @a run, and log the first that
 * differs. */
static bool is_run(const mtree_operation_t *operation, const mtree_call_t *call,
                   const mtree_pattern_t *pattern, mtree_pattern_run_t run, size_t first,
                   size_t count)
{
    size_t unit = mtree_operation_unit(operation);
    const unsigned char *p = (const unsigned char *)call->recv + first * unit;
    size_t place = mtree_pattern_mismatch(pattern, run, p, count);

    if (place == count) {
        return true;
    }
    mtree_error("rank %d: %s of %d elements, root %d, iteration %d: element %zu is wrong",
                call->rank, operation->name, call->count, call->root, run.iteration,
                first + place);
    return false;
}

static bool is_gathered(const mtree_operation_t *operation, const mtree_call_t *call,
                        const mtree_pattern_t *pattern, mtree_pattern_run_t run)
{
    size_t count = (size_t)call->count;

    for (run.rank = 0; run.rank < call->num_ranks; run.rank++) {
        if (!is_run(operation, call, pattern, run, (size_t)run.rank * count, count)) {
            return false;
        }
    }
    return true;
}

bool mtree_operation_check(const mtree_operation_t *operation, const mtree_call_t *call,
                           const mtree_pattern_t *pattern, int iteration)
{
    mtree_pattern_run_t run = {.kind = is_reduction(operation->result)
                                           ? MTREE_PATTERN_SUMS
                                           : MTREE_PATTERN_BYTES,
                               .rank = call->root,
                               .iteration = iteration,
                               .first = 0};

    switch (operation->result) {
    case MTREE_RESULT_NONE:
        return true;
    case MTREE_RESULT_GATHERED:
        return is_gathered(operation, call, pattern, run);
    case MTREE_RESULT_SUM_AT_ROOT:
        if (call->rank != call->root) {
            return true;
        }
        break;
    case MTREE_RESULT_SUM_PART:
        run.first = (size_t)call->part_displs[call->rank];
        break;
    default:
        break;
    }
    return is_run(operation, call, pattern, run, 0, result_count(operation, call));
}

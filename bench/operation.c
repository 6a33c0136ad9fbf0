/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/operation.h"
#include "base/log.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

bool bench_operation_gathers(const bench_operation_t *operation)
{
    return mtree_collective_traits(operation->collective)->input == MTREE_PART_BLOCK;
}

/* Does each rank write its input where its result will be, as MPI_Bcast has it? */
static bool is_in_place(const bench_operation_t *operation)
{
    return mtree_collective_has_root(operation->collective) &&
           mtree_collective_broadcasts(operation->collective);
}

/* Does each rank get another part from each? */
static bool is_alltoall(const bench_operation_t *operation)
{
    return mtree_collective_is_personalized(operation->collective) &&
           mtree_collective_has_blocks(operation->collective);
}

/* Gathered vectors are all as long as one rank's contribution.  A scattered vector is cut
 * into even parts, the first ones longer by one where it does not divide. */
static void set_parts(const bench_operation_t *operation, bench_call_t *call)
{
    int whole = call->count / call->num_ranks;
    int rest = call->count % call->num_ranks;
    int displ = 0;

    for (int rank = 0; rank < call->num_ranks; rank++) {
        call->part_counts[rank] =
            bench_operation_gathers(operation) ? call->count : whole + (rank < rest);
        call->part_displs[rank] = displ;
        displ += call->part_counts[rank];
    }
    for (int rank = 0; rank < call->num_ranks; rank++) {
        call->own_counts[rank] = call->part_counts[call->rank];
        call->recv_displs[rank] = rank * call->own_counts[rank];
    }
}

/* Elements of @a part of the vector. */
static size_t part_count(const bench_operation_t *operation, const bench_call_t *call,
                         mtree_part_t part)
{
    size_t vectors = bench_operation_gathers(operation) ? (size_t)call->num_ranks : 1;

    return part == MTREE_PART_VECTOR  ? (size_t)call->count * vectors
           : part == MTREE_PART_BLOCK ? (size_t)call->part_counts[call->rank]
                                      : 0;
}

/* Elements of the result of a root, which any rank may be in its turn: no other has more.
 */
static size_t result_capacity(const bench_operation_t *operation,
                              const bench_call_t *call)
{
    if (is_alltoall(operation)) {
        return (size_t)call->num_ranks * (size_t)call->part_counts[call->rank];
    }
    return part_count(operation, call,
                      mtree_collective_traits(operation->collective)->root_result);
}

mtree_status_t bench_operation_acquire(const bench_operation_t *operation, size_t bytes,
                                       bench_call_t *call)
{
    size_t unit = operation->unit;
    size_t num_ranks = (size_t)call->num_ranks;
    size_t vectors = bench_operation_gathers(operation) ? num_ranks : 1;

    if (bytes > (size_t)INT_MAX / vectors) {
        mtree_error(
            "%s of %zu bytes on %d ranks has more than %d elements: give a smaller "
            "maximum with -m",
            operation->name, bytes, call->num_ranks, INT_MAX);
        return MTREE_ERR_LIMIT;
    }
    call->count = (unit == 0) ? 0 : (int)(bytes / unit);
    if (operation->even && vectors == 1) {
        call->count -= call->count % call->num_ranks;
    }
    call->send = NULL;
    call->recv = NULL;
    call->part_counts = calloc(4 * num_ranks, sizeof(int));
    if (call->part_counts == NULL) {
        goto err_release;
    }
    call->part_displs = call->part_counts + num_ranks;
    call->recv_displs = call->part_displs + num_ranks;
    call->own_counts = call->recv_displs + num_ranks;
    set_parts(operation, call);
    /* One byte more, because malloc(0) may give NULL. */
    call->send = malloc((size_t)call->count * unit + 1);
    call->recv = malloc(result_capacity(operation, call) * unit + 1);
    if (call->send == NULL || call->recv == NULL) {
        goto err_release;
    }
    return MTREE_OK;

err_release:
    mtree_error("rank %d: no memory for the buffers of %s of %zu bytes: give a smaller "
                "maximum with -m",
                call->rank, operation->name, bytes);
    bench_operation_release(call);
    return MTREE_ERR_NO_MEMORY;
}

void bench_operation_release(bench_call_t *call)
{
    free(call->send);
    free(call->recv);
    free(call->part_counts);
}

void bench_operation_prepare(const bench_operation_t *operation, const bench_call_t *call,
                             const bench_pattern_t *pattern, int iteration)
{
    bool reduces = mtree_collective_reduces(operation->collective);
    bench_pattern_run_t run = {.kind =
                                   reduces ? BENCH_PATTERN_VALUES : BENCH_PATTERN_BYTES,
                               .rank = call->rank,
                               .iteration = iteration,
                               .first = 0};

    /* 0xff is no byte of the pattern, and as a float it is not a number. */
    memset(call->recv, 0xff, result_capacity(operation, call) * operation->unit);
    if (mtree_collective_input(operation->collective, call->rank, call->root) !=
        MTREE_PART_NONE) {
        bench_pattern_fill(pattern, run, is_in_place(operation) ? call->recv : call->send,
                           (size_t)call->count);
    }
}

/* Compare elements of the result from @a first on with @a run, and log the first that
 * differs. */
static bool is_run(const bench_operation_t *operation, const bench_call_t *call,
                   const bench_pattern_t *pattern, bench_pattern_run_t run, size_t first,
                   size_t count)
{
    const unsigned char *p = (const unsigned char *)call->recv + first * operation->unit;
    size_t place = bench_pattern_mismatch(pattern, run, p, count);

    if (place == count) {
        return true;
    }
    mtree_error("rank %d: %s of %d elements, root %d, iteration %d: element %zu is wrong",
                call->rank, operation->name, call->count, call->root, run.iteration,
                first + place);
    return false;
}

static bool is_gathered(const bench_operation_t *operation, const bench_call_t *call,
                        const bench_pattern_t *pattern, bench_pattern_run_t run)
{
    size_t count = (size_t)call->count;

    if (is_alltoall(operation)) {
        count = (size_t)call->part_counts[call->rank];
        run.first = (size_t)call->part_displs[call->rank];
    }
    for (run.rank = 0; run.rank < call->num_ranks; run.rank++) {
        if (!is_run(operation, call, pattern, run, (size_t)run.rank * count, count)) {
            return false;
        }
    }
    return true;
}

bool bench_operation_check(const bench_operation_t *operation, const bench_call_t *call,
                           const bench_pattern_t *pattern, int iteration)
{
    bool reduces = mtree_collective_reduces(operation->collective);
    mtree_part_t part =
        mtree_collective_result(operation->collective, call->rank, call->root);
    bench_pattern_run_t run = {
        .kind = reduces ? BENCH_PATTERN_SUMS : BENCH_PATTERN_BYTES,
        .rank = call->root,
        .iteration = iteration,
        .first = part == MTREE_PART_BLOCK ? (size_t)call->part_displs[call->rank] : 0};

    if (mtree_collective_is_prefix(operation->collective)) {
        run.kind = BENCH_PATTERN_PREFIX;
        run.rank = call->rank - bench_operation_excludes_own(operation);
    }
    /* An exscan leaves the result of rank 0 undefined. */
    if (run.rank < 0) {
        return true;
    }
    if (part == MTREE_PART_VECTOR &&
        (bench_operation_gathers(operation) || is_alltoall(operation))) {
        return is_gathered(operation, call, pattern, run);
    }
    return is_run(operation, call, pattern, run, 0, part_count(operation, call, part));
}

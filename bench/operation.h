/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations that the benchmark times: what each calls, the buffers it needs and the
 * result it must give.
 */
#ifndef MTREE_BENCH_OPERATION_H
#define MTREE_BENCH_OPERATION_H

#include "bench/pattern.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* What a rank holds after the operation. */
typedef enum {
    MTREE_RESULT_NONE,        /* nothing: a barrier */
    MTREE_RESULT_SUM,         /* the sum of all ranks' vectors */
    MTREE_RESULT_SUM_AT_ROOT, /* the same, at the root only */
    MTREE_RESULT_SUM_PART,    /* this rank's part of it */
    MTREE_RESULT_COPY,        /* the root's vector */
    MTREE_RESULT_GATHERED     /* all ranks' vectors, in the order of ranks */
} mtree_result_t;

/* The arguments of one call; counts are in elements of the operation's type. */
typedef struct {
    MPI_Comm comm;
    int rank;
    int num_ranks;
    int root;
    int count; /* length of the vector that a rank contributes (bcast: that the root
                  sends) */
    int *part_counts; /* [num_ranks] the ranks' parts of a vector that is scattered, or
                         gathered */
    int *part_displs; /* [num_ranks] */
    void *send;
    void *recv;
} mtree_call_t;

typedef struct {
    const char *name; /* as given to --collective */
    mtree_result_t result;
    void (*run)(const mtree_call_t *call);
} mtree_operation_t;

/* The operation of that name, or NULL. */
const mtree_operation_t *mtree_operation_find(const char *name);

/* The i-th operation, or NULL behind the last. */
const mtree_operation_t *mtree_operation_get(int index);

/* Bytes of one element: 0 for a barrier, 1 for operations that move data, sizeof(float)
 * for reductions. */
size_t mtree_operation_unit(const mtree_operation_t *operation);

/*
 * Buffers and counts for @a operation on vectors of @a bytes bytes, rounded down to whole
 * elements; `comm`, `rank`, `num_ranks` of @a call are set by the caller.  To be released
 * with mtree_operation_release.
 */
mtree_status_t mtree_operation_acquire(const mtree_operation_t *operation, size_t bytes,
                                       mtree_call_t *call);

/* Free what mtree_operation_acquire allocated. */
void mtree_operation_release(mtree_call_t *call);

/* Write this rank's input of @a iteration, and garbage where the result will be. */
void mtree_operation_prepare(const mtree_operation_t *operation, const mtree_call_t *call,
                             const mtree_pattern_t *pattern, int iteration);

/*
 * Is the result of @a iteration bit for bit what it must be?  Logs the first element that
 * is not.
 */
bool mtree_operation_check(const mtree_operation_t *operation, const mtree_call_t *call,
                           const mtree_pattern_t *pattern, int iteration);

#endif

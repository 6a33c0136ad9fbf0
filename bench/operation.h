/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The operations that the benchmark times: what each calls, the buffers it needs and the
 * result it must give.
 */
#ifndef MTREE_BENCH_OPERATION_H
#define MTREE_BENCH_OPERATION_H

#include "bench/pattern.h"
#include "planner/plan/collective.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The arguments of one call; counts are in elements of the operation's type. */
typedef struct {
    MPI_Comm comm;
    int rank;
    int num_ranks;
    int root;
    int count; /* length of the vector that a rank contributes (bcast, scatter: that the
                  root sends) */
    int *part_counts; /* [num_ranks] the ranks' parts of a vector that is scattered, or
                         gathered; alltoall: of each rank's */
    int *part_displs; /* [num_ranks] */
    int *recv_displs; /* [num_ranks] of an alltoall's result, which has part `rank` of
                         each rank's vector */
    int *own_counts;  /* [num_ranks] their lengths: each part_counts[rank] */
    void *send;
    void *recv;
} bench_call_t;

typedef struct {
    const char *name; /* as given to --collective */
    mtree_collective_t collective;
    size_t unit; /* bytes of an element: of a float where data is summed, else of a byte;
                    0: it carries no data */
    void (*run)(const bench_call_t *call);                         /* blocking, or */
    void (*start)(const bench_call_t *call, MPI_Request *request); /* not */
    bool even; /* the parts of a vector have one length, which divides it */
} bench_operation_t;

/* The operation of that name, or NULL. */
const bench_operation_t *bench_operation_find(const char *name);

/* The i-th operation, or NULL behind the last. */
const bench_operation_t *bench_operation_get(int index);

/* Make the call; it is complete on return. */
void bench_operation_run(const bench_operation_t *operation, const bench_call_t *call);

/* Is a rank's own part left out of its sum? */
bool bench_operation_excludes_own(const bench_operation_t *operation);

/* Is the vector put together from the ranks' contributions? */
bool bench_operation_gathers(const bench_operation_t *operation);

/*
 * Buffers and counts for @a operation on vectors of @a bytes bytes, rounded down to whole
 * elements; `comm`, `rank`, `num_ranks` of @a call are set by the caller.  To be released
 * with bench_operation_release.
 */
mtree_status_t bench_operation_acquire(const bench_operation_t *operation, size_t bytes,
                                       bench_call_t *call);

/* Free what bench_operation_acquire allocated. */
void bench_operation_release(bench_call_t *call);

/* Write this rank's input of @a iteration, and garbage where the result will be. */
void bench_operation_prepare(const bench_operation_t *operation, const bench_call_t *call,
                             const bench_pattern_t *pattern, int iteration);

/*
 * Is the result of @a iteration bit for bit what it must be?  Logs the first element that
 * is not.
 */
bool bench_operation_check(const bench_operation_t *operation, const bench_call_t *call,
                           const bench_pattern_t *pattern, int iteration);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of operations, and the MPI function that each calls. */
#include "bench/operation.h"

#include <string.h>

/* Bytes of an element. */
#define FLOATS  sizeof(float)
#define BYTES   1
#define NOTHING 0

static void run_allreduce(const bench_call_t *call)
{
    MPI_Allreduce(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->comm);
}

static void start_allreduce(const bench_call_t *call, MPI_Request *request)
{
    MPI_Iallreduce(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->comm,
                   request);
}

static void run_reduce(const bench_call_t *call)
{
    MPI_Reduce(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->root,
               call->comm);
}

static void start_reduce(const bench_call_t *call, MPI_Request *request)
{
    MPI_Ireduce(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->root,
                call->comm, request);
}

static void run_reduce_scatter(const bench_call_t *call)
{
    MPI_Reduce_scatter(call->send, call->recv, call->part_counts, MPI_FLOAT, MPI_SUM,
                       call->comm);
}

static void start_reduce_scatter(const bench_call_t *call, MPI_Request *request)
{
    MPI_Ireduce_scatter(call->send, call->recv, call->part_counts, MPI_FLOAT, MPI_SUM,
                        call->comm, request);
}

static void run_bcast(const bench_call_t *call)
{
    MPI_Bcast(call->recv, call->count, MPI_BYTE, call->root, call->comm);
}

static void start_bcast(const bench_call_t *call, MPI_Request *request)
{
    MPI_Ibcast(call->recv, call->count, MPI_BYTE, call->root, call->comm, request);
}

static void run_allgather(const bench_call_t *call)
{
    MPI_Allgather(call->send, call->count, MPI_BYTE, call->recv, call->count, MPI_BYTE,
                  call->comm);
}

static void start_allgather(const bench_call_t *call, MPI_Request *request)
{
    MPI_Iallgather(call->send, call->count, MPI_BYTE, call->recv, call->count, MPI_BYTE,
                   call->comm, request);
}

static void run_allgatherv(const bench_call_t *call)
{
    MPI_Allgatherv(call->send, call->count, MPI_BYTE, call->recv, call->part_counts,
                   call->part_displs, MPI_BYTE, call->comm);
}

static void start_allgatherv(const bench_call_t *call, MPI_Request *request)
{
    MPI_Iallgatherv(call->send, call->count, MPI_BYTE, call->recv, call->part_counts,
                    call->part_displs, MPI_BYTE, call->comm, request);
}

static void run_gather(const bench_call_t *call)
{
    MPI_Gather(call->send, call->count, MPI_BYTE, call->recv, call->count, MPI_BYTE,
               call->root, call->comm);
}

static void start_gather(const bench_call_t *call, MPI_Request *request)
{
    MPI_Igather(call->send, call->count, MPI_BYTE, call->recv, call->count, MPI_BYTE,
                call->root, call->comm, request);
}

static void run_gatherv(const bench_call_t *call)
{
    MPI_Gatherv(call->send, call->count, MPI_BYTE, call->recv, call->part_counts,
                call->part_displs, MPI_BYTE, call->root, call->comm);
}

static void start_gatherv(const bench_call_t *call, MPI_Request *request)
{
    MPI_Igatherv(call->send, call->count, MPI_BYTE, call->recv, call->part_counts,
                 call->part_displs, MPI_BYTE, call->root, call->comm, request);
}

static void run_scatter(const bench_call_t *call)
{
    int part = call->part_counts[call->rank];

    MPI_Scatter(call->send, part, MPI_BYTE, call->recv, part, MPI_BYTE, call->root,
                call->comm);
}

static void start_scatter(const bench_call_t *call, MPI_Request *request)
{
    int part = call->part_counts[call->rank];

    MPI_Iscatter(call->send, part, MPI_BYTE, call->recv, part, MPI_BYTE, call->root,
                 call->comm, request);
}

static void run_scatterv(const bench_call_t *call)
{
    MPI_Scatterv(call->send, call->part_counts, call->part_displs, MPI_BYTE, call->recv,
                 call->part_counts[call->rank], MPI_BYTE, call->root, call->comm);
}

static void start_scatterv(const bench_call_t *call, MPI_Request *request)
{
    MPI_Iscatterv(call->send, call->part_counts, call->part_displs, MPI_BYTE, call->recv,
                  call->part_counts[call->rank], MPI_BYTE, call->root, call->comm,
                  request);
}

static void run_alltoall(const bench_call_t *call)
{
    int part = call->part_counts[call->rank];

    MPI_Alltoall(call->send, part, MPI_BYTE, call->recv, part, MPI_BYTE, call->comm);
}

static void start_alltoall(const bench_call_t *call, MPI_Request *request)
{
    int part = call->part_counts[call->rank];

    MPI_Ialltoall(call->send, part, MPI_BYTE, call->recv, part, MPI_BYTE, call->comm,
                  request);
}

static void run_alltoallv(const bench_call_t *call)
{
    MPI_Alltoallv(call->send, call->part_counts, call->part_displs, MPI_BYTE, call->recv,
                  call->own_counts, call->recv_displs, MPI_BYTE, call->comm);
}

static void start_alltoallv(const bench_call_t *call, MPI_Request *request)
{
    MPI_Ialltoallv(call->send, call->part_counts, call->part_displs, MPI_BYTE, call->recv,
                   call->own_counts, call->recv_displs, MPI_BYTE, call->comm, request);
}

static void run_scan(const bench_call_t *call)
{
    MPI_Scan(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->comm);
}

static void start_scan(const bench_call_t *call, MPI_Request *request)
{
    MPI_Iscan(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->comm,
              request);
}

static void run_exscan(const bench_call_t *call)
{
    MPI_Exscan(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->comm);
}

static void start_exscan(const bench_call_t *call, MPI_Request *request)
{
    MPI_Iexscan(call->send, call->recv, call->count, MPI_FLOAT, MPI_SUM, call->comm,
                request);
}

static void run_barrier(const bench_call_t *call)
{
    MPI_Barrier(call->comm);
}

static void start_barrier(const bench_call_t *call, MPI_Request *request)
{
    MPI_Ibarrier(call->comm, request);
}

/* A barrier is an allreduce of nothing. */
static const bench_operation_t operations[] = {
    {"allreduce", MTREE_ALLREDUCE, FLOATS, run_allreduce, NULL, false},
    {"bcast", MTREE_BCAST, BYTES, run_bcast, NULL, false},
    {"allgather", MTREE_ALLGATHER, BYTES, run_allgather, NULL, true},
    {"allgatherv", MTREE_ALLGATHER, BYTES, run_allgatherv, NULL, true},
    {"reduce", MTREE_REDUCE, FLOATS, run_reduce, NULL, false},
    {"reduce_scatter", MTREE_REDUCE_SCATTER, FLOATS, run_reduce_scatter, NULL, false},
    {"gather", MTREE_GATHER, BYTES, run_gather, NULL, true},
    {"gatherv", MTREE_GATHER, BYTES, run_gatherv, NULL, true},
    {"scatter", MTREE_SCATTER, BYTES, run_scatter, NULL, true},
    {"scatterv", MTREE_SCATTER, BYTES, run_scatterv, NULL, false},
    {"alltoall", MTREE_ALLTOALL, BYTES, run_alltoall, NULL, true},
    {"alltoallv", MTREE_ALLTOALL, BYTES, run_alltoallv, NULL, false},
    {"scan", MTREE_SCAN, FLOATS, run_scan, NULL, false},
    {"exscan", MTREE_SCAN, FLOATS, run_exscan, NULL, false},
    {"barrier", MTREE_ALLREDUCE, NOTHING, run_barrier, NULL, false},
    {"iallreduce", MTREE_ALLREDUCE, FLOATS, NULL, start_allreduce, false},
    {"ibcast", MTREE_BCAST, BYTES, NULL, start_bcast, false},
    {"iallgather", MTREE_ALLGATHER, BYTES, NULL, start_allgather, true},
    {"iallgatherv", MTREE_ALLGATHER, BYTES, NULL, start_allgatherv, true},
    {"ireduce", MTREE_REDUCE, FLOATS, NULL, start_reduce, false},
    {"ireduce_scatter", MTREE_REDUCE_SCATTER, FLOATS, NULL, start_reduce_scatter, false},
    {"igather", MTREE_GATHER, BYTES, NULL, start_gather, true},
    {"igatherv", MTREE_GATHER, BYTES, NULL, start_gatherv, true},
    {"iscatter", MTREE_SCATTER, BYTES, NULL, start_scatter, true},
    {"iscatterv", MTREE_SCATTER, BYTES, NULL, start_scatterv, false},
    {"ialltoall", MTREE_ALLTOALL, BYTES, NULL, start_alltoall, true},
    {"ialltoallv", MTREE_ALLTOALL, BYTES, NULL, start_alltoallv, false},
    {"iscan", MTREE_SCAN, FLOATS, NULL, start_scan, false},
    {"iexscan", MTREE_SCAN, FLOATS, NULL, start_exscan, false},
    {"ibarrier", MTREE_ALLREDUCE, NOTHING, NULL, start_barrier, false},
};

const bench_operation_t *bench_operation_get(int index)
{
    int num_operations = (int)(sizeof(operations) / sizeof(operations[0]));

    return (index < num_operations) ? &operations[index] : NULL;
}

const bench_operation_t *bench_operation_find(const char *name)
{
    const bench_operation_t *operation;
    int i;

    for (i = 0; (operation = bench_operation_get(i)) != NULL; i++) {
        if (strcmp(operation->name, name) == 0) {
            return operation;
        }
    }
    return NULL;
}

void bench_operation_run(const bench_operation_t *operation, const bench_call_t *call)
{
    MPI_Request request;

    if (operation->run != NULL) {
        operation->run(call);
        return;
    }
    operation->start(call, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

bool bench_operation_excludes_own(const bench_operation_t *operation)
{
    return operation->run == run_exscan || operation->start == start_exscan;
}

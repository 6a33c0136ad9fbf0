/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/scratch_call.h"

#include "coll_mtree/select/agreed_time.h"

#include "base/clock.h"

#include <limits.h>
#include <stdlib.h>

void coll_mtree_scratch_call_cleanup(coll_mtree_scratch_call_t *call)
{
    free(call->bytes);
    free(call->counts);
}

bool coll_mtree_scratch_call_init(coll_mtree_scratch_call_t *call,
                                  const mtree_call_t *like, int ranks)
{
    size_t bytes = like->units * like->unit_bytes;
    size_t sides = mtree_collective_is_personalized(like->collective) ? 2 : 1;

    *call = (coll_mtree_scratch_call_t){.like = like, .total = (int)bytes};
    if (bytes > INT_MAX || (call->bytes = calloc(bytes, sides)) == NULL) {
        return false;
    }
    if (like->blocks == NULL) {
        return true;
    }
    call->counts = calloc(2 * (size_t)ranks, sizeof(*call->counts));
    if (call->counts == NULL) {
        return false;
    }
    call->offsets = call->counts + ranks;
    for (int rank = 0; rank < ranks; rank++) {
        call->offsets[rank] = (int)(like->blocks[rank] * like->unit_bytes);
        call->counts[rank] =
            (int)(like->blocks[rank + 1] * like->unit_bytes) - call->offsets[rank];
    }
    return true;
}

#define CALL(_name, ...)                                                                 \
    (void)functions->coll_##_name(__VA_ARGS__, functions->coll_##_name##_module)

void coll_mtree_scratch_call_run(const coll_mtree_scratch_call_t *call,
                                 const coll_mtree_fallback_t *functions,
                                 ompi_communicator_t *comm)
{
    const mtree_call_t *like = call->like;
    void *bytes = call->bytes, *received = call->bytes + call->total;
    const coll_mtree_mpi_count_t total = (coll_mtree_mpi_count_t)call->total;
    const coll_mtree_mpi_count_t block =
        total / (coll_mtree_mpi_count_t)ompi_comm_size(comm);
    bool is_root = ompi_comm_rank(comm) == like->root;

    switch (like->collective) {
    case MTREE_ALLREDUCE:
        CALL(allreduce, MPI_IN_PLACE, bytes, total, MPI_BYTE, MPI_BOR, comm);
        break;
    case MTREE_REDUCE:
        CALL(reduce, is_root ? MPI_IN_PLACE : bytes, is_root ? bytes : NULL, total,
             MPI_BYTE, MPI_BOR, like->root, comm);
        break;
    case MTREE_BCAST:
        CALL(bcast, bytes, total, MPI_BYTE, like->root, comm);
        break;
    case MTREE_ALLGATHER:
        if (call->counts == NULL) {
            CALL(allgather, MPI_IN_PLACE, 0, MPI_BYTE, bytes, block, MPI_BYTE, comm);
        } else {
            CALL(allgatherv, MPI_IN_PLACE, 0, MPI_BYTE, bytes,
                 coll_mtree_mpi_counts(call->counts),
                 coll_mtree_mpi_displs(call->offsets), MPI_BYTE, comm);
        }
        break;
    case MTREE_REDUCE_SCATTER:
        if (call->counts == NULL) {
            CALL(reduce_scatter_block, MPI_IN_PLACE, bytes, block, MPI_BYTE, MPI_BOR,
                 comm);
        } else {
            CALL(reduce_scatter, MPI_IN_PLACE, bytes, coll_mtree_mpi_counts(call->counts),
                 MPI_BYTE, MPI_BOR, comm);
        }
        break;
    case MTREE_GATHER:
        CALL(gather, bytes, block, MPI_BYTE, received, block, MPI_BYTE, like->root, comm);
        break;
    case MTREE_SCATTER:
        CALL(scatter, bytes, block, MPI_BYTE, received, block, MPI_BYTE, like->root,
             comm);
        break;
    case MTREE_ALLTOALL:
        CALL(alltoall, bytes, block, MPI_BYTE, received, block, MPI_BYTE, comm);
        break;
    case MTREE_SCAN:
        CALL(scan, MPI_IN_PLACE, bytes, total, MPI_BYTE, MPI_BOR, comm);
        break;
    default:
        break;
    }
}

void coll_mtree_scratch_calls_time(const mca_coll_mtree_module_t *module,
                                   ompi_communicator_t *comm, const mtree_call_t *like,
                                   const coll_mtree_fallback_t *functions, int warmups,
                                   double seconds[COLL_MTREE_FALLBACK_CALLS],
                                   int *count_p)
{
    coll_mtree_scratch_call_t scratch;
    double fails = !coll_mtree_scratch_call_init(&scratch, like, ompi_comm_size(comm));
    double agreed = 0;

    *count_p = 0;
    (void)coll_mtree_agreed_time(module, comm, mtree_clock_seconds(), &agreed, &fails);
    for (int i = 0; fails <= 0 && i < warmups; i++) {
        coll_mtree_scratch_call_run(&scratch, functions, comm);
    }
    (void)coll_mtree_agreed_time(module, comm, mtree_clock_seconds(), &agreed, &fails);
    while (fails <= 0 && coll_mtree_first_calls_goes_on(seconds, *count_p)) {
        double began = mtree_clock_seconds();

        coll_mtree_scratch_call_run(&scratch, functions, comm);
        seconds[(*count_p)++] =
            coll_mtree_agreed_time(module, comm, began, &agreed, &fails);
    }
    coll_mtree_scratch_call_cleanup(&scratch);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/intra.h"
#include "tests/mpi/expect.h"
#include "tests/mpi/scratch.h"

#include <stdio.h>
#include <stdlib.h>

static void check_barrier(mtree_scratch_t *s)
{
    MTREE_RUN(s, MPI_Barrier, MPI_Ibarrier, s->comm);
    mtree_expect(true, "barrier returned");
}

static void check_bcast(mtree_scratch_t *s, int root)
{
    int i;

    mtree_scratch_fill(s, 0);
    for (i = 0; s->rank == root && i < s->count; i++) {
        s->recv[i] = mtree_scratch_item(root, 0, i);
    }
    MTREE_RUN(s, MPI_Bcast, MPI_Ibcast, s->recv, s->count, MPI_INT, root, s->comm);
    mtree_scratch_expect(s, "bcast", 0, s->count, root, 0);
}

static void check_gather(mtree_scratch_t *s, int root)
{
    int from;

    mtree_scratch_fill(s, root);
    MTREE_RUN(s, MPI_Gather, MPI_Igather, s->send, s->count, MPI_INT, s->recv, s->count,
              MPI_INT, root, s->comm);
    for (from = 0; s->rank == root && from < s->num_ranks; from++) {
        mtree_scratch_expect(s, "gather", from * s->count, s->count, from, root);
    }

    mtree_scratch_fill(s, root);
    MTREE_RUN(s, MPI_Gatherv, MPI_Igatherv, s->send, s->counts[s->rank], MPI_INT, s->recv,
              s->counts, s->displs, MPI_INT, root, s->comm);
    for (from = 0; s->rank == root && from < s->num_ranks; from++) {
        mtree_scratch_expect(s, "gatherv", s->displs[from], s->counts[from], from, root);
    }
}

static void check_scatter(mtree_scratch_t *s, int root)
{
    mtree_scratch_fill_blocks(s, false);
    MTREE_RUN(s, MPI_Scatter, MPI_Iscatter, s->send, s->count, MPI_INT, s->recv, s->count,
              MPI_INT, root, s->comm);
    mtree_scratch_expect(s, "scatter", 0, s->count, root, s->rank);

    mtree_scratch_fill_blocks(s, true);
    MTREE_RUN(s, MPI_Scatterv, MPI_Iscatterv, s->send, s->counts, s->displs, MPI_INT,
              s->recv, s->counts[s->rank], MPI_INT, root, s->comm);
    mtree_scratch_expect(s, "scatterv", 0, s->counts[s->rank], root, s->rank);
}

static void check_allgather(mtree_scratch_t *s)
{
    int from;

    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Allgather, MPI_Iallgather, s->send, s->count, MPI_INT, s->recv,
              s->count, MPI_INT, s->comm);
    for (from = 0; from < s->num_ranks; from++) {
        mtree_scratch_expect(s, "allgather", from * s->count, s->count, from, 0);
    }

    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Allgatherv, MPI_Iallgatherv, s->send, s->counts[s->rank], MPI_INT,
              s->recv, s->counts, s->displs, MPI_INT, s->comm);
    for (from = 0; from < s->num_ranks; from++) {
        mtree_scratch_expect(s, "allgatherv", s->displs[from], s->counts[from], from, 0);
    }
}

static void check_alltoall(mtree_scratch_t *s)
{
    int from;

    mtree_scratch_fill_blocks(s, false);
    MTREE_RUN(s, MPI_Alltoall, MPI_Ialltoall, s->send, s->count, MPI_INT, s->recv,
              s->count, MPI_INT, s->comm);
    for (from = 0; from < s->num_ranks; from++) {
        mtree_scratch_expect(s, "alltoall", from * s->count, s->count, from, s->rank);
    }
}

static int *new_ints(const mtree_scratch_t *s)
{
    int *array = calloc((size_t)s->num_ranks, sizeof(int));

    if (array == NULL) {
        fprintf(stderr, "no memory for an array of counts\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return array;
}

static void check_alltoallv(mtree_scratch_t *s)
{
    int *counts = new_ints(s);
    int *displs = new_ints(s);
    int part = s->count + s->rank;
    int from;

    for (from = 0; from < s->num_ranks; from++) {
        counts[from] = part;
        displs[from] = from * part;
    }
    mtree_scratch_fill_blocks(s, true);
    MTREE_RUN(s, MPI_Alltoallv, MPI_Ialltoallv, s->send, s->counts, s->displs, MPI_INT,
              s->recv, counts, displs, MPI_INT, s->comm);
    for (from = 0; from < s->num_ranks; from++) {
        mtree_scratch_expect(s, "alltoallv", displs[from], part, from, s->rank);
    }
    free(displs);
    free(counts);
}

/* Each rank receives its parts as one element of a type that covers the part. */
static void check_alltoallw(mtree_scratch_t *s)
{
    int *ones = new_ints(s);
    int *send_bytes = new_ints(s);
    int *recv_bytes = new_ints(s);
    MPI_Datatype *types = calloc((size_t)s->num_ranks, 2 * sizeof(MPI_Datatype));
    int part = s->count + s->rank;
    int rank;

    for (rank = 0; types != NULL && rank < s->num_ranks; rank++) {
        ones[rank] = 1;
        send_bytes[rank] = s->displs[rank] * (int)sizeof(int);
        recv_bytes[rank] = rank * part * (int)sizeof(int);
        MPI_Type_contiguous(part, MPI_INT, &types[rank]);
        MPI_Type_commit(&types[rank]);
        types[s->num_ranks + rank] = MPI_INT;
    }
    mtree_scratch_fill_blocks(s, true);
    MTREE_RUN(s, MPI_Alltoallw, MPI_Ialltoallw, s->send, s->counts, send_bytes,
              types + s->num_ranks, s->recv, ones, recv_bytes, types, s->comm);
    for (rank = 0; rank < s->num_ranks; rank++) {
        mtree_scratch_expect(s, "alltoallw", rank * part, part, rank, s->rank);
        MPI_Type_free(&types[rank]);
    }
    free(types);
    free(recv_bytes);
    free(send_bytes);
    free(ones);
}

static void check_reduce(mtree_scratch_t *s, int root)
{
    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Reduce, MPI_Ireduce, s->send, s->recv, s->count, MPI_INT, MPI_SUM,
              root, s->comm);
    if (s->rank == root) {
        mtree_scratch_expect_sum(s, "reduce", s->count, 0, s->num_ranks - 1, 0);
    }
}

static void check_allreduce(mtree_scratch_t *s)
{
    int last = s->num_ranks - 1;

    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Allreduce, MPI_Iallreduce, s->send, s->recv, s->count, MPI_INT,
              MPI_SUM, s->comm);
    mtree_scratch_expect_sum(s, "allreduce", s->count, 0, last, 0);

    MTREE_RUN(s, MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, s->send, s->count, MPI_INT,
              MPI_MAX, s->comm);
    mtree_expect(s->send[s->count - 1] == mtree_scratch_item(last, 0, s->count - 1),
                 "maximum in place on %s of %d, count %d", s->name, s->num_ranks,
                 s->count);
}

static void check_reduce_scatter(mtree_scratch_t *s)
{
    int last = s->num_ranks - 1;

    mtree_scratch_fill_blocks(s, false);
    MTREE_RUN(s, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, s->send, s->recv,
              s->count, MPI_INT, MPI_SUM, s->comm);
    mtree_scratch_expect_sum(s, "reduce_scatter_block", s->count, 0, last, s->rank);

    mtree_scratch_fill_blocks(s, true);
    MTREE_RUN(s, MPI_Reduce_scatter, MPI_Ireduce_scatter, s->send, s->recv, s->counts,
              MPI_INT, MPI_SUM, s->comm);
    mtree_scratch_expect_sum(s, "reduce_scatter", s->counts[s->rank], 0, last, s->rank);
}

static void check_scan(mtree_scratch_t *s)
{
    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Scan, MPI_Iscan, s->send, s->recv, s->count, MPI_INT, MPI_SUM,
              s->comm);
    mtree_scratch_expect_sum(s, "scan", s->count, 0, s->rank, 0);

    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Exscan, MPI_Iexscan, s->send, s->recv, s->count, MPI_INT, MPI_SUM,
              s->comm);
    if (s->rank > 0) {
        mtree_scratch_expect_sum(s, "exscan", s->count, 0, s->rank - 1, 0);
    }
}

static void check_reduce_local(mtree_scratch_t *s)
{
    int last = s->count - 1;

    mtree_scratch_fill(s, 0);
    s->recv[last] = 1;
    MPI_Reduce_local(s->send, s->recv, s->count, MPI_INT, MPI_SUM);
    mtree_expect(s->recv[last] == s->send[last] + 1, "reduce_local");
}

void mtree_intra_check(MPI_Comm comm, const char *name, bool nonblocking, int count)
{
    mtree_scratch_t scratch;
    int root;

    mtree_scratch_init(&scratch, comm, name, nonblocking, count);
    check_barrier(&scratch);
    for (root = 0; root < scratch.num_ranks; root++) {
        check_bcast(&scratch, root);
        check_gather(&scratch, root);
        check_scatter(&scratch, root);
        check_reduce(&scratch, root);
    }
    check_allgather(&scratch);
    check_alltoall(&scratch);
    check_alltoallv(&scratch);
    check_alltoallw(&scratch);
    check_allreduce(&scratch);
    check_reduce_scatter(&scratch);
    check_scan(&scratch);
    check_reduce_local(&scratch);
    mtree_scratch_cleanup(&scratch);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/inter.h"
#include "tests/mpi/expect.h"
#include "tests/mpi/scratch.h"

/*
 * A rooted collective moves data between the root and the other group: `root` is MPI_ROOT
 * at the root, MPI_PROC_NULL beside it, and the root's rank, 0, in the other group.
 */
typedef struct {
    mtree_scratch_t scratch;
    int root;
} inter_t;

static bool is_root(const inter_t *inter)
{
    return inter->root == MPI_ROOT;
}

static bool is_other_group(const inter_t *inter)
{
    return inter->root == 0;
}

static void check_rooted(inter_t *inter)
{
    mtree_scratch_t *s = &inter->scratch;
    int i, from;

    mtree_scratch_fill(s, 0);
    for (i = 0; is_root(inter) && i < s->count; i++) {
        s->recv[i] = mtree_scratch_item(0, 0, i);
    }
    MTREE_RUN(s, MPI_Bcast, MPI_Ibcast, s->recv, s->count, MPI_INT, inter->root, s->comm);
    if (is_other_group(inter)) {
        mtree_scratch_expect(s, "bcast", 0, s->count, 0, 0);
    }

    mtree_scratch_fill_blocks(s, false);
    MTREE_RUN(s, MPI_Scatter, MPI_Iscatter, s->send, s->count, MPI_INT, s->recv, s->count,
              MPI_INT, inter->root, s->comm);
    if (is_other_group(inter)) {
        mtree_scratch_expect(s, "scatter", 0, s->count, 0, s->rank);
    }

    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Gather, MPI_Igather, s->send, s->count, MPI_INT, s->recv, s->count,
              MPI_INT, inter->root, s->comm);
    for (from = 0; is_root(inter) && from < s->num_remote; from++) {
        mtree_scratch_expect(s, "gather", from * s->count, s->count, from, 0);
    }

    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Reduce, MPI_Ireduce, s->send, s->recv, s->count, MPI_INT, MPI_SUM,
              inter->root, s->comm);
    if (is_root(inter)) {
        mtree_scratch_expect_sum(s, "reduce", s->count, 0, s->num_remote - 1, 0);
    }
}

/* The part of rank r is count + r ints on both sides. */
static void check_rooted_parts(inter_t *inter)
{
    mtree_scratch_t *s = &inter->scratch;
    int mine = s->count + s->rank;
    int from;

    mtree_scratch_fill_blocks(s, true);
    MTREE_RUN(s, MPI_Scatterv, MPI_Iscatterv, s->send, s->counts, s->displs, MPI_INT,
              s->recv, mine, MPI_INT, inter->root, s->comm);
    if (is_other_group(inter)) {
        mtree_scratch_expect(s, "scatterv", 0, mine, 0, s->rank);
    }

    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Gatherv, MPI_Igatherv, s->send, mine, MPI_INT, s->recv, s->counts,
              s->displs, MPI_INT, inter->root, s->comm);
    for (from = 0; is_root(inter) && from < s->num_remote; from++) {
        mtree_scratch_expect(s, "gatherv", s->displs[from], s->counts[from], from, 0);
    }
}

static void check_all(inter_t *inter)
{
    mtree_scratch_t *s = &inter->scratch;
    int last = s->num_remote - 1;
    int from;

    MTREE_RUN(s, MPI_Barrier, MPI_Ibarrier, s->comm);
    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Allreduce, MPI_Iallreduce, s->send, s->recv, s->count, MPI_INT,
              MPI_SUM, s->comm);
    mtree_scratch_expect_sum(s, "allreduce", s->count, 0, last, 0);

    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Allgather, MPI_Iallgather, s->send, s->count, MPI_INT, s->recv,
              s->count, MPI_INT, s->comm);
    for (from = 0; from < s->num_remote; from++) {
        mtree_scratch_expect(s, "allgather", from * s->count, s->count, from, 0);
    }

    mtree_scratch_fill(s, 0);
    MTREE_RUN(s, MPI_Allgatherv, MPI_Iallgatherv, s->send, s->count + s->rank, MPI_INT,
              s->recv, s->counts, s->displs, MPI_INT, s->comm);
    for (from = 0; from < s->num_remote; from++) {
        mtree_scratch_expect(s, "allgatherv", s->displs[from], s->counts[from], from, 0);
    }

    mtree_scratch_fill_blocks(s, false);
    MTREE_RUN(s, MPI_Alltoall, MPI_Ialltoall, s->send, s->count, MPI_INT, s->recv,
              s->count, MPI_INT, s->comm);
    for (from = 0; from < s->num_remote; from++) {
        mtree_scratch_expect(s, "alltoall", from * s->count, s->count, from, s->rank);
    }
}

/* The vectors of both groups have one length, so blocks are `num_remote` long here and
 * `num_ranks` there. */
static void check_reduce_scatter(inter_t *inter)
{
    mtree_scratch_t *s = &inter->scratch;
    int rank, i;

    for (rank = 0; rank < s->num_ranks; rank++) {
        for (i = 0; i < s->num_remote; i++) {
            s->send[rank * s->num_remote + i] = 1 + s->rank;
        }
    }
    s->recv[0] = -1;
    MTREE_RUN(s, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, s->send, s->recv,
              s->num_remote, MPI_INT, MPI_SUM, s->comm);
    mtree_expect(s->recv[0] == s->num_remote * (s->num_remote + 1) / 2,
                 "reduce_scatter_block on %s: the first is %d", s->name, s->recv[0]);
}

void mtree_inter_check(MPI_Comm comm, bool is_root_group, bool nonblocking, int count)
{
    inter_t inter;

    mtree_scratch_init(&inter.scratch, comm, "an intercommunicator", nonblocking, count);
    inter.root = 0;
    if (is_root_group) {
        inter.root = (inter.scratch.rank == 0) ? MPI_ROOT : MPI_PROC_NULL;
    }
    check_rooted(&inter);
    check_rooted_parts(&inter);
    check_all(&inter);
    check_reduce_scatter(&inter);
    mtree_scratch_cleanup(&inter.scratch);
}

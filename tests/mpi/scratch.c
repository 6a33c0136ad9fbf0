/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/scratch.h"
#include "tests/mpi/expect.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_parts(mtree_scratch_t *scratch)
{
    int displ = 0;
    int rank;

    for (rank = 0; rank < scratch->num_remote; rank++) {
        scratch->counts[rank] = scratch->count + rank;
        scratch->displs[rank] = displ;
        displ += scratch->counts[rank];
    }
}

void mtree_scratch_init(mtree_scratch_t *scratch, MPI_Comm comm, const char *name,
                        bool nonblocking, int count)
{
    int is_inter, most;

    scratch->comm = comm;
    scratch->name = name;
    scratch->nonblocking = nonblocking;
    scratch->count = count;
    MPI_Comm_rank(comm, &scratch->rank);
    MPI_Comm_size(comm, &scratch->num_ranks);
    scratch->num_remote = scratch->num_ranks;
    MPI_Comm_test_inter(comm, &is_inter);
    if (is_inter) {
        MPI_Comm_remote_size(comm, &scratch->num_remote);
    }
    most = (scratch->num_ranks > scratch->num_remote) ? scratch->num_ranks
                                                      : scratch->num_remote;
    scratch->room = most * (count + most);
    scratch->send = malloc((size_t)scratch->room * sizeof(int));
    scratch->recv = malloc((size_t)scratch->room * sizeof(int));
    scratch->counts = calloc((size_t)most, sizeof(int));
    scratch->displs = calloc((size_t)most, sizeof(int));
    if (scratch->send == NULL || scratch->recv == NULL || scratch->counts == NULL ||
        scratch->displs == NULL) {
        fprintf(stderr, "no memory for the arrays of a test\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    set_parts(scratch);
}

void mtree_scratch_cleanup(mtree_scratch_t *scratch)
{
    free(scratch->send);
    free(scratch->recv);
    free(scratch->counts);
    free(scratch->displs);
}

int mtree_scratch_item(int from, int to, int i)
{
    return 100003 * (from + 1) + 1009 * (to + 1) + i;
}

void mtree_scratch_fill(mtree_scratch_t *scratch, int to)
{
    int i;

    for (i = 0; i < scratch->room; i++) {
        scratch->send[i] = mtree_scratch_item(scratch->rank, to, i);
    }
    memset(scratch->recv, 0xff, (size_t)scratch->room * sizeof(int));
}

void mtree_scratch_fill_blocks(mtree_scratch_t *scratch, bool parts)
{
    int rank, i, first, num;

    for (rank = 0; rank < scratch->num_remote; rank++) {
        first = parts ? scratch->displs[rank] : rank * scratch->count;
        num = parts ? scratch->counts[rank] : scratch->count;
        for (i = 0; i < num; i++) {
            scratch->send[first + i] = mtree_scratch_item(scratch->rank, rank, i);
        }
    }
    memset(scratch->recv, 0xff, (size_t)scratch->room * sizeof(int));
}

/* Count one check of an array; @a wrong is the position of the first wrong int, -1
 * without one. */
static void tell(const mtree_scratch_t *scratch, const char *what, int wrong, int have,
                 int want)
{
    mtree_expect(wrong < 0, "%s%s on %s of %d, count %d: int %d is %d, must be %d",
                 scratch->nonblocking ? "nonblocking " : "", what, scratch->name,
                 scratch->num_ranks, scratch->count, wrong, have, want);
}

void mtree_scratch_expect(const mtree_scratch_t *scratch, const char *what, int first,
                          int num, int from, int to)
{
    int i, have, want;

    for (i = 0; i < num; i++) {
        have = scratch->recv[first + i];
        want = mtree_scratch_item(from, to, i);
        if (have != want) {
            tell(scratch, what, first + i, have, want);
            return;
        }
    }
    tell(scratch, what, -1, 0, 0);
}

void mtree_scratch_expect_sum(const mtree_scratch_t *scratch, const char *what, int num,
                              int first_rank, int last_rank, int to)
{
    int i, from, want;

    for (i = 0; i < num; i++) {
        want = 0;
        for (from = first_rank; from <= last_rank; from++) {
            want += mtree_scratch_item(from, to, i);
        }
        if (scratch->recv[i] != want) {
            tell(scratch, what, i, scratch->recv[i], want);
            return;
        }
    }
    tell(scratch, what, -1, 0, 0);
}

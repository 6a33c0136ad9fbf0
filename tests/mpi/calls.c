/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/calls.h"

#include "tests/mpi/expect.h"

#define COUNT 30000

void mtree_calls_check(MPI_Comm comm)
{
    static int vector[COUNT], sum[COUNT];
    int rank, ranks, wrong = 0;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < COUNT; i++) {
        vector[i] = rank == 0 ? i : -1;
    }
    MPI_Bcast(vector, COUNT, MPI_INT, 0, comm);
    MPI_Allreduce(vector, sum, COUNT, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < COUNT; i++) {
        wrong += vector[i] != i || sum[i] != ranks * i;
    }
    mtree_expect(wrong == 0, "%d elements are wrong on rank %d of %d", wrong, rank,
                 ranks);
}

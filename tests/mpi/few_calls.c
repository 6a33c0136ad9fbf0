/*
 * A broadcast and a sum on the world and on its ranks but the last: few calls, the first
 * rank the same in all, so that what mtree says about them can be counted.
 */
#include "tests/mpi/expect.h"

#include <mpi.h>

#define COUNT 30000

static void check_calls(MPI_Comm comm)
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

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int rank, ranks, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    check_calls(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank == ranks - 1, 0, &comm);
    check_calls(comm);
    MPI_Comm_free(&comm);
    status = mtree_expect_finish("few_calls");
    MPI_Finalize();
    return status;
}

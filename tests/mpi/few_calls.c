/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A broadcast and a sum on the world and on its ranks but the last: few calls, the first
 * rank the same in all, so that what mtree says about them can be counted.
 *
 *   few_calls [SECONDS]   rank 1 comes to MPI_Finalize so much later than the others
 */
#include "tests/mpi/calls.h"
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Comm comm;
    int rank, ranks, status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mtree_calls_check(MPI_COMM_WORLD);
    MPI_Comm_split(MPI_COMM_WORLD, rank == ranks - 1, 0, &comm);
    mtree_calls_check(comm);
    MPI_Comm_free(&comm);
    status = mtree_expect_finish("few_calls");
    if (argc > 1 && rank == 1) {
        sleep((unsigned)atoi(argv[1]));
    }
    MPI_Finalize();
    return status;
}

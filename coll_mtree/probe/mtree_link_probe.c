/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each rank of `mtree probe` runs: a collective, in which the component probes.
 */
#include <mpi.h>

#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by test_processes.py across a lab: rank 1 prints "NUMBER processes" after MPI_Init,
 * those that are in Open MPI's process table.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Of Open MPI's own; the array is the caller's. */
extern void **ompi_proc_get_allocated(size_t *size);

int main(int argc, char **argv)
{
    size_t processes = 0;
    int rank;

    MPI_Init(&argc, &argv);
    free(ompi_proc_get_allocated(&processes));
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        printf("%zu processes\n", processes);
    }
    MPI_Finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * early PATTERN: rank 1 enters the first call of all once there is a file that matches
 * PATTERN, which is rank 0's plan in the cache.  So rank 0 must have planned before rank
 * 1 told its host.
 */
#include <mpi.h>
#include <glob.h>
#include <stdio.h>
#include <unistd.h>

#define COUNT (1 << 18)
#define LOOKS 2000

static int vector[COUNT], sum[COUNT];

static int exists(const char *pattern)
{
    glob_t paths;
    int found = glob(pattern, 0, NULL, &paths) == 0;

    globfree(&paths);
    return found;
}

int main(int argc, char *argv[])
{
    int rank, ranks, failed = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < COUNT; i++) {
        vector[i] = i + rank;
    }
    if (rank == 1) {
        int looks = 0;

        while (!exists(argv[1]) && looks < LOOKS) {
            looks++;
            usleep(10000);
        }
        failed = looks == LOOKS;
    }
    MPI_Allreduce(vector, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++) {
        failed |= sum[i] != ranks * i + ranks * (ranks - 1) / 2;
    }
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0) {
        puts(failed ? "early: FAILED" : "early: planned before rank 1 called");
    }
    MPI_Finalize();
    return failed;
}

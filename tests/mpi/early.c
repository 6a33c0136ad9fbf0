/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * early PATTERN: rank 1 enters the first call of all once there is a file that matches
 * PATTERN, which is rank 0's plan in the cache.  So rank 0 must have planned before rank
 * 1 told its host.
 */
#include "tests/mpi/calls.h"
#include "tests/mpi/expect.h"

#include <glob.h>
#include <unistd.h>

#define LOOKS 2000

static bool exists(const char *pattern)
{
    glob_t paths;
    bool found = glob(pattern, 0, NULL, &paths) == 0;

    globfree(&paths);
    return found;
}

int main(int argc, char *argv[])
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {
        int looks = 0;

        while (!exists(argv[1]) && looks < LOOKS) {
            looks++;
            usleep(10000);
        }
        mtree_expect(looks < LOOKS, "rank 0 has not planned before rank 1 called");
    }
    mtree_calls_check(MPI_COMM_WORLD);
    return mtree_expect_end("early");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks that come late to their calls: rank 0, the root of broadcasts, always, or each in
 * turn.  The others wait for them, which is no fault of the network.
 */
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLS 17 /* one after the first look at what they took */

int main(int argc, char **argv)
{
    useconds_t late = argc > 2 ? (useconds_t)atoi(argv[2]) : 0; /* microseconds */
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int call = 0; call < CALLS; call++) {
        int is_root_late = strcmp(argv[1], "root") == 0;
        int value = call, sum = 0;

        if (rank == (is_root_late ? 0 : call % ranks)) {
            usleep(late);
        }
        if (is_root_late) {
            MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
            mtree_expect(value == call, "call %d gave %d", call, value);
        } else {
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            mtree_expect(sum == call * ranks, "call %d gave %d", call, sum);
        }
    }
    rank = mtree_expect_finish("late_root");
    MPI_Finalize();
    return rank;
}

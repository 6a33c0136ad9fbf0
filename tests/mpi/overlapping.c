/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * overlapping CALLS: so many broadcasts under way at a time, from each rank in turn.
 */
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <stdlib.h>

#define LENGTH 65536

int main(int argc, char **argv)
{
    int calls = argc > 1 ? atoi(argv[1]) : 1, rank, ranks, wrong = 0;
    MPI_Request *requests = malloc((size_t)calls * sizeof(*requests));
    int *vectors = malloc((size_t)calls * LENGTH * sizeof(*vectors));

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int call = 0; call < calls; call++) {
        int *vector = vectors + (size_t)call * LENGTH;

        for (int i = 0; i < LENGTH; i++) {
            vector[i] = call % ranks == rank ? call + i : -1;
        }
        MPI_Ibcast(vector, LENGTH, MPI_INT, call % ranks, MPI_COMM_WORLD,
                   &requests[call]);
    }
    MPI_Waitall(calls, requests, MPI_STATUSES_IGNORE);
    for (int call = 0; call < calls; call++) {
        for (int i = 0; i < LENGTH; i++) {
            wrong += vectors[(size_t)call * LENGTH + (size_t)i] != call + i;
        }
    }
    mtree_expect(wrong == 0, "%d of %d x %d elements are wrong", wrong, calls, LENGTH);
    free(vectors);
    free(requests);
    return mtree_expect_end("overlapping");
}

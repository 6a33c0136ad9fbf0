/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * away: the last rank starts a persistent allreduce and computes for longer than an
 * attempt to connect to it may take; the sum is right nevertheless.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"

#include <mpi.h>
#include <time.h>

#define LENGTH 100000

/* Seconds: one attempt to connect ends, and the next one does not. */
#define AWAY 4

int main(int argc, char **argv)
{
    static int in[LENGTH], out[LENGTH];
    const struct timespec away = {.tv_sec = AWAY};
    MPI_Request request;
    int rank, ranks, wrong = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < LENGTH; i++) {
        in[i] = i + rank;
    }
    MTREE_PERSISTENT_NAME(Allreduce)
    (in, out, LENGTH, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == ranks - 1) {
        (void)nanosleep(&away, NULL);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < LENGTH; i++) {
        wrong += out[i] != ranks * i + ranks * (ranks - 1) / 2;
    }
    mtree_expect(wrong == 0, "%d sums are wrong", wrong);
    MPI_Request_free(&request);
    return mtree_expect_end("away");
}

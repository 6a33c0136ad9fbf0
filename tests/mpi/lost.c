/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The last rank ends itself in the midst of a collective; the others go on until they are
 * ended.
 */
#include "tests/mpi/calls.h"

#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

static void die(int number)
{
    (void)number;
    kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    struct itimerval timer = {.it_value = {.tv_usec = 30000}};
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    mtree_calls_check(MPI_COMM_WORLD);
    if (rank == ranks - 1) {
        signal(SIGALRM, die);
        setitimer(ITIMER_REAL, &timer, NULL);
    }
    while (true) {
        mtree_calls_check(MPI_COMM_WORLD);
    }
    return EXIT_FAILURE;
}

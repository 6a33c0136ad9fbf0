/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/together.h"

#include "bench/arrivals.h"

#include <math.h>
#include <time.h>

/* Seconds for the processors, beyond a round trip. */
#define SPARE 0.002

typedef struct {
    double time; /* at which all begin */
    double span; /* from when rank 0 said so until then */
} start_t;

/* Seconds; ranks on one machine read the same. */
static double clock_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Messages between two ranks, so that collectives that are measured have no other calls.
 */
static start_t announce(MPI_Comm comm, int num_ranks)
{
    double began = clock_now();
    start_t start;

    for (int rank = 1; rank < num_ranks; rank++) {
        MPI_Send(NULL, 0, MPI_BYTE, rank, 0, comm);
    }
    for (int rank = 1; rank < num_ranks; rank++) {
        MPI_Recv(NULL, 0, MPI_BYTE, rank, 0, comm, MPI_STATUS_IGNORE);
    }
    start.span = clock_now() - began + SPARE;
    start.time = clock_now() + start.span;
    for (int rank = 1; rank < num_ranks; rank++) {
        MPI_Send(&start, 2, MPI_DOUBLE, rank, 0, comm);
    }
    return start;
}

/* What rank 0 says. */
static start_t agree(MPI_Comm comm)
{
    int rank, num_ranks;
    start_t start;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &num_ranks);
    if (rank == 0) {
        return announce(comm, num_ranks);
    }
    MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, comm, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, comm);
    MPI_Recv(&start, 2, MPI_DOUBLE, 0, 0, comm, MPI_STATUS_IGNORE);
    return start;
}

double bench_together_wait(MPI_Comm comm, double late)
{
    start_t start = agree(comm);

    start.time = fmin(start.time, clock_now() + start.span) + late;
    bench_arrivals_wait(fmax(start.time - clock_now(), 0));
    return fmin(fmax(clock_now() - start.time, 0), start.span);
}

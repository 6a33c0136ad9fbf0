/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What planning costs the program.
 *
 *   planning calls   the first nonblocking call of each collective returns, and progress
 *                    goes on, without the time of planning
 */
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds of this thread's processor that one call of MPI may take: plans of these calls
 * take several times as long. */
#define MOST_SECONDS 0.05

#define BLOCK 13000

static int rank, ranks;

/* Of this thread alone, so that neither the planning thread nor other processes count. */
static double thread_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void complete(MPI_Request *request, const char *name, double began)
{
    double longest = thread_seconds() - began;
    int done = 0;

    while (!done) {
        double seconds = thread_seconds();

        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        seconds = thread_seconds() - seconds;
        longest = seconds > longest ? seconds : longest;
    }
    mtree_expect(longest <= MOST_SECONDS, "%s: a call took %.3f s of the processor", name,
                 longest);
}

static void check_calls(void)
{
    size_t bytes = (size_t)ranks * BLOCK;
    char *block = malloc(BLOCK), *all = malloc(bytes);
    MPI_Request request;
    double began;

    memset(block, 'a' + rank, BLOCK);
    began = thread_seconds();
    MPI_Iallgather(block, BLOCK, MPI_BYTE, all, BLOCK, MPI_BYTE, MPI_COMM_WORLD,
                   &request);
    complete(&request, "MPI_Iallgather", began);
    for (int other = 0; other < ranks; other++) {
        mtree_expect(all[(size_t)other * BLOCK] == 'a' + other, "block of rank %d",
                     other);
    }
    began = thread_seconds();
    MPI_Ibcast(all, (int)bytes, MPI_BYTE, ranks - 1, MPI_COMM_WORLD, &request);
    complete(&request, "MPI_Ibcast", began);
    began = thread_seconds();
    MPI_Iallreduce(MPI_IN_PLACE, all, (int)bytes / 8, MPI_LONG, MPI_BXOR, MPI_COMM_WORLD,
                   &request);
    complete(&request, "MPI_Iallreduce", began);
    free(block);
    free(all);
}

int main(int argc, char **argv)
{
    int status;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 1 && strcmp(argv[1], "calls") == 0) {
        check_calls();
    } else {
        mtree_expect(0, "usage: planning calls");
    }
    status = mtree_expect_finish("planning");
    MPI_Finalize();
    return status;
}

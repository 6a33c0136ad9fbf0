/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/expect.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_LINES 10

int my_rank, num_ranks;

static atomic_long num_checks, num_failures;

void mtree_expect_begin(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &my_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
}

void mtree_expect(bool ok, const char *format, ...)
{
    char line[512];
    va_list args;
    int initialized, rank = -1;

    num_checks++;
    if (ok) {
        return;
    }
    num_failures++;
    if (num_failures > MOST_LINES) {
        return;
    }
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    /* With sessions there may be no MPI_COMM_WORLD yet. */
    MPI_Initialized(&initialized);
    if (initialized) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    }
    fprintf(stderr, "rank %d: FAILED: %s\n", rank, line);
}

int mtree_expect_finish(const char *program)
{
    return mtree_expect_finish_on(MPI_COMM_WORLD, program);
}

int mtree_expect_end(const char *program)
{
    int status = mtree_expect_finish(program);

    MPI_Finalize();
    return status;
}

int mtree_expect_finish_on(MPI_Comm comm, const char *program)
{
    long mine[2] = {num_checks, num_failures};
    long all[2];
    int rank, ranks;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Allreduce(mine, all, 2, MPI_LONG, MPI_SUM, comm);
    if (rank == 0) {
        printf("%s: %ld checks on %d ranks, %ld failed\n", program, all[0], ranks,
               all[1]);
    }
    return (all[0] > 0 && all[1] == 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by test_netlab.py across a lab: checks a sum over all ranks and prints, from rank
 * 0, a line "ok RANKS HOSTS LOCAL": LOCAL is the number of ranks that share memory with
 * rank 0.  With the argument "all" (test_many_ranks.py) every collective of mtree is
 * checked before that, blocking and nonblocking.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 50000

static int count_hosts(int num_ranks)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    char *names = malloc((size_t)num_ranks * sizeof(name));
    int length, num_hosts = 0;

    MPI_Get_processor_name(name, &length);
    MPI_Allgather(name, sizeof(name), MPI_CHAR, names, sizeof(name), MPI_CHAR,
                  MPI_COMM_WORLD);
    for (int i = 0; i < num_ranks; i++) {
        int first = 1;

        for (int j = 0; j < i; j++) {
            first = first && strcmp(names + (size_t)i * sizeof(name),
                                    names + (size_t)j * sizeof(name)) != 0;
        }
        num_hosts += first;
    }
    free(names);
    return num_hosts;
}

/* Wait for @a request where the call was nonblocking; the number of the @a count elements
 * of @a got that are not @a expected, or rise from it by @a step. */
static int count_wrong(MPI_Request *request, const int *got, int count, int expected,
                       int step)
{
    int wrong = 0;

    MPI_Wait(request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++) {
        wrong += got[i] != expected + step * i;
    }
    return wrong;
}

/* Each rank contributes its number; the root is the last rank. */
static int check_all(int rank, int size, int is_blocking)
{
    int root = size - 1, sum = size * (size - 1) / 2, got = rank, wrong = 0;
    int *all = calloc((size_t)size, sizeof(int)),
        *mine = calloc((size_t)size, sizeof(int));
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Comm world = MPI_COMM_WORLD;

    is_blocking ? MPI_Bcast(&got, 1, MPI_INT, root, world)
                : MPI_Ibcast(&got, 1, MPI_INT, root, world, &request);
    wrong += count_wrong(&request, &got, 1, root, 0);
    is_blocking ? MPI_Reduce(&rank, &got, 1, MPI_INT, MPI_SUM, root, world)
                : MPI_Ireduce(&rank, &got, 1, MPI_INT, MPI_SUM, root, world, &request);
    wrong += count_wrong(&request, &got, rank == root, sum, 0);
    is_blocking ? MPI_Allreduce(&rank, &got, 1, MPI_INT, MPI_SUM, world)
                : MPI_Iallreduce(&rank, &got, 1, MPI_INT, MPI_SUM, world, &request);
    wrong += count_wrong(&request, &got, 1, sum, 0);
    is_blocking ? MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, world)
                : MPI_Iallgather(&rank, 1, MPI_INT, all, 1, MPI_INT, world, &request);
    wrong += count_wrong(&request, all, size, 0, 1);
    for (int i = 0; i < size; i++) {
        mine[i] = rank + i;
    }
    is_blocking
        ? MPI_Reduce_scatter_block(mine, &got, 1, MPI_INT, MPI_SUM, world)
        : MPI_Ireduce_scatter_block(mine, &got, 1, MPI_INT, MPI_SUM, world, &request);
    wrong += count_wrong(&request, &got, 1, sum + size * rank, 0);
    free(all);
    free(mine);
    return wrong;
}

int main(int argc, char **argv)
{
    static double mine[COUNT], sum[COUNT];
    int rank, size, num_hosts, num_local, wrong = 0;
    MPI_Comm local;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    num_hosts = count_hosts(size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_size(local, &num_local);
    for (int i = 0; i < COUNT; i++) {
        mine[i] = rank + i;
    }
    MPI_Allreduce(mine, sum, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++) {
        wrong += sum[i] != size * (size - 1) / 2 + (double)size * i;
    }
    if (argc > 1) {
        wrong += check_all(rank, size, 1);
        wrong += check_all(rank, size, 0);
    }
    if (rank == 0) {
        printf("%s %d %d %d\n", wrong == 0 ? "ok" : "wrong", size, num_hosts, num_local);
    }
    MPI_Comm_free(&local);
    MPI_Finalize();
    return wrong != 0;
}

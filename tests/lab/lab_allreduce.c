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

/* The ranks' arrays for the collectives: a number for each rank, and where each goes when
 * the blocks come in reverse. */
typedef struct {
    int rank, size, root, is_blocking, wrong;
    int *mine, *all, *ones, *reversed, *reversed_bytes;
    MPI_Datatype *types;
    MPI_Request request;
} check_t;

/* Call the blocking or the nonblocking form. */
#define RUN(check, blocking, nonblocking, ...)                                           \
    ((check)->is_blocking ? blocking(__VA_ARGS__)                                        \
                          : nonblocking(__VA_ARGS__, &(check)->request))

/* Wait for the request where the call was nonblocking, and count those of the @a count
 * elements of @a got that are not @a expected, or rise from it by @a step. */
static void count_wrong(check_t *check, const int *got, int count, int expected, int step)
{
    MPI_Wait(&check->request, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; i++) {
        check->wrong += got[i] != expected + step * i;
    }
}

/* Each rank contributes its number. */
static void check_sums(check_t *c)
{
    int size = c->size, rank = c->rank, sum = size * (size - 1) / 2, got = -1;
    MPI_Comm world = MPI_COMM_WORLD;

    RUN(c, MPI_Reduce, MPI_Ireduce, &rank, &got, 1, MPI_INT, MPI_SUM, c->root, world);
    count_wrong(c, &got, rank == c->root, sum, 0);
    RUN(c, MPI_Allreduce, MPI_Iallreduce, &rank, &got, 1, MPI_INT, MPI_SUM, world);
    count_wrong(c, &got, 1, sum, 0);
    RUN(c, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, c->mine, &got, 1, MPI_INT,
        MPI_SUM, world);
    count_wrong(c, &got, 1, sum + size * rank, 0);
    RUN(c, MPI_Reduce_scatter, MPI_Ireduce_scatter, c->mine, &got, c->ones, MPI_INT,
        MPI_SUM, world);
    count_wrong(c, &got, 1, sum + size * rank, 0);
    RUN(c, MPI_Scan, MPI_Iscan, &rank, &got, 1, MPI_INT, MPI_SUM, world);
    count_wrong(c, &got, 1, rank * (rank + 1) / 2, 0);
    RUN(c, MPI_Exscan, MPI_Iexscan, &rank, &got, 1, MPI_INT, MPI_SUM, world);
    count_wrong(c, &got, rank > 0, rank * (rank - 1) / 2, 0);
}

/* From and to the root, the last rank; the v forms in reverse. */
static void check_rooted(check_t *c)
{
    int rank = c->rank, size = c->size, root = c->root, got = rank;
    MPI_Comm world = MPI_COMM_WORLD;

    RUN(c, MPI_Barrier, MPI_Ibarrier, world);
    count_wrong(c, NULL, 0, 0, 0);
    RUN(c, MPI_Bcast, MPI_Ibcast, &got, 1, MPI_INT, root, world);
    count_wrong(c, &got, 1, root, 0);
    RUN(c, MPI_Gather, MPI_Igather, &rank, 1, MPI_INT, c->all, 1, MPI_INT, root, world);
    count_wrong(c, c->all, rank == root ? size : 0, 0, 1);
    RUN(c, MPI_Gatherv, MPI_Igatherv, &rank, 1, MPI_INT, c->all, c->ones, c->reversed,
        MPI_INT, root, world);
    count_wrong(c, c->all, rank == root ? size : 0, size - 1, -1);
    RUN(c, MPI_Scatter, MPI_Iscatter, c->mine, 1, MPI_INT, &got, 1, MPI_INT, root, world);
    count_wrong(c, &got, 1, root + rank, 0);
    RUN(c, MPI_Scatterv, MPI_Iscatterv, c->mine, c->ones, c->reversed, MPI_INT, &got, 1,
        MPI_INT, root, world);
    count_wrong(c, &got, 1, root + size - 1 - rank, 0);
}

/* From all ranks to all; the v and w forms in reverse. */
static void check_exchanges(check_t *c)
{
    int rank = c->rank, size = c->size;
    MPI_Comm world = MPI_COMM_WORLD;

    RUN(c, MPI_Allgather, MPI_Iallgather, &rank, 1, MPI_INT, c->all, 1, MPI_INT, world);
    count_wrong(c, c->all, size, 0, 1);
    RUN(c, MPI_Allgatherv, MPI_Iallgatherv, &rank, 1, MPI_INT, c->all, c->ones,
        c->reversed, MPI_INT, world);
    count_wrong(c, c->all, size, size - 1, -1);
    RUN(c, MPI_Alltoall, MPI_Ialltoall, c->mine, 1, MPI_INT, c->all, 1, MPI_INT, world);
    count_wrong(c, c->all, size, rank, 1);
    RUN(c, MPI_Alltoallv, MPI_Ialltoallv, c->mine, c->ones, c->reversed, MPI_INT, c->all,
        c->ones, c->reversed, MPI_INT, world);
    count_wrong(c, c->all, size, 2 * (size - 1) - rank, -1);
    RUN(c, MPI_Alltoallw, MPI_Ialltoallw, c->mine, c->ones, c->reversed_bytes, c->types,
        c->all, c->ones, c->reversed_bytes, c->types, world);
    count_wrong(c, c->all, size, 2 * (size - 1) - rank, -1);
}

/* How many elements are wrong after all collectives, in both forms. */
static int check_all(int rank, int size)
{
    size_t ints = (size_t)size * sizeof(int);
    check_t check = {.rank = rank,
                     .size = size,
                     .root = size - 1,
                     .mine = malloc(ints),
                     .all = malloc(ints),
                     .ones = malloc(ints),
                     .reversed = malloc(ints),
                     .reversed_bytes = malloc(ints),
                     .types = malloc((size_t)size * sizeof(MPI_Datatype)),
                     .request = MPI_REQUEST_NULL};

    for (int i = 0; i < size; i++) {
        check.mine[i] = rank + i;
        check.ones[i] = 1;
        check.reversed[i] = size - 1 - i;
        check.reversed_bytes[i] = check.reversed[i] * (int)sizeof(int);
        check.types[i] = MPI_INT;
    }
    for (check.is_blocking = 0; check.is_blocking < 2; check.is_blocking++) {
        check_sums(&check);
        check_rooted(&check);
        check_exchanges(&check);
    }
    free(check.mine);
    free(check.all);
    free(check.ones);
    free(check.reversed);
    free(check.reversed_bytes);
    free(check.types);
    return check.wrong;
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
        wrong += check_all(rank, size);
    }
    if (rank == 0) {
        printf("%s %d %d %d\n", wrong == 0 ? "ok" : "wrong", size, num_hosts, num_local);
    }
    MPI_Comm_free(&local);
    MPI_Finalize();
    return wrong != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators, datatypes and operations that the program frees while nonblocking
 * collectives use them: MPI keeps them until those have ended.
 */
#include "tests/mpi/expect.h"

#include <mpi.h>

#define COUNT  5000
#define CALLS  3
#define ROUNDS 9

static int rank, ranks;
static int input[COUNT][2], sum[COUNT][2], told[COUNT][2], largest[COUNT];

/* Adds pairs of ints. */
static void add_pairs(void *in, void *inout, int *count, MPI_Datatype *type)
{
    const int *from = in;
    int *to = inout;

    (void)type;
    for (int i = 0; i < 2 * *count; i++) {
        to[i] += from[i];
    }
}

static void fill(int round)
{
    for (int i = 0; i < COUNT; i++) {
        for (int half = 0; half < 2; half++) {
            input[i][half] = rank + i + half + round;
            sum[i][half] = -1;
            told[i][half] = rank == 0 ? i + half + round : -1;
        }
        largest[i] = -1;
    }
}

/* The results of the first @a calls calls of a round. */
static void check(int round, int calls)
{
    int wrong = 0;

    for (int i = 0; i < COUNT; i++) {
        for (int half = 0; half < 2; half++) {
            int first = i + half + round;

            wrong += sum[i][half] != ranks * first + ranks * (ranks - 1) / 2;
            wrong += calls > 1 && told[i][half] != first;
        }
        wrong += calls > 2 && largest[i] != ranks - 1 + round + i / 2 + i % 2;
    }
    mtree_expect(wrong == 0, "round %d: %d elements are wrong on rank %d", round, wrong,
                 rank);
}

/* Calls of so many kinds, the first of each on their communicator. */
static void start(MPI_Request *requests, int calls)
{
    MPI_Datatype pair;
    MPI_Comm comm;
    MPI_Op op;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Op_create(add_pairs, 1, &op);
    MPI_Iallreduce(input, sum, COUNT, pair, op, comm, &requests[0]);
    if (calls > 1) {
        MPI_Ibcast(told, COUNT, pair, 0, comm, &requests[1]);
    }
    if (calls > 2) {
        MPI_Iallreduce(input, largest, COUNT, MPI_INT, MPI_MAX, comm, &requests[2]);
    }
    MPI_Op_free(&op);
    MPI_Type_free(&pair);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Request requests[CALLS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int round = 0; round < ROUNDS; round++) {
        int calls = 1 + round % CALLS;

        fill(round);
        start(requests, calls);
        /* Whichever is waited for last may be the communicator's last user. */
        for (int i = 0; i < calls; i++) {
            MPI_Wait(&requests[(round + i) % calls], MPI_STATUS_IGNORE);
        }
        check(round, calls);
    }
    return mtree_expect_end("freed_early");
}

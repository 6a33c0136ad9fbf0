/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * lab_arrival_skew COLLECTIVE LATE [EVEN LATE EVEN]: blocking calls of 4 MB, rank 0 the root:
 * some whose ranks come together, some to which rank LATE comes 0.6 s late, and again
 * some whose ranks come together (2, 7 and 14 by default).  Between them each rank goes
 * about things of its own, and other collectives run at the same time; every
 * result is checked.  Which of the calls were by arrival is seen in what mtree reports.
 */
#include "tests/mpi/expect.h"

#include <mpi.h>

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT            (1 << 20)
#define LATE_NANOSECONDS 600000000
#define MOST_IDLE        2000000
#define SMALL            5000

static int rank, ranks;
static int input[COUNT], output[COUNT];

static void idle(long nanoseconds)
{
    struct timespec time = {nanoseconds / 1000000000, nanoseconds % 1000000000};

    nanosleep(&time, NULL);
}

static int element(int from, int call, int i)
{
    return 3 * from + 7 * call + i;
}

/* The call itself, among all ranks. */
static void call_run(const char *collective, int call)
{
    int wrong = 0, mine;

    for (int i = 0; i < COUNT; i++) {
        input[i] = element(rank, call, i);
        output[i] = -1;
    }
    if (strcmp(collective, "bcast") == 0) {
        MPI_Bcast(rank == 0 ? input : output, COUNT, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (strcmp(collective, "reduce") == 0) {
        MPI_Reduce(input, output, COUNT, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    } else {
        MPI_Allreduce(input, output, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
    for (int i = 0; i < COUNT; i++) {
        if (strcmp(collective, "bcast") == 0) {
            mine = rank == 0 ? output[i] : element(0, call, i);
        } else if (strcmp(collective, "reduce") == 0 && rank > 0) {
            mine = -1;
        } else {
            mine = ranks * element(0, call, i) + 3 * ranks * (ranks - 1) / 2;
        }
        wrong += output[i] != mine;
    }
    mtree_expect(wrong == 0, "%s %d: %d elements are wrong on rank %d", collective, call,
                 wrong, rank);
}

/* The call, while two others run. */
static void call_among_others(const char *collective, int call, MPI_Comm half)
{
    static int sums[SMALL], parts[SMALL], spread[SMALL];
    MPI_Request requests[2];
    int here, wrong = 0;

    MPI_Comm_size(half, &here);
    for (int i = 0; i < SMALL; i++) {
        parts[i] = call + i;
        spread[i] = rank == call % ranks ? call - i : -1;
    }
    MPI_Iallreduce(parts, sums, SMALL, MPI_INT, MPI_SUM, half, &requests[0]);
    MPI_Ibcast(spread, SMALL, MPI_INT, call % ranks, MPI_COMM_WORLD, &requests[1]);
    idle(rand() % MOST_IDLE);
    call_run(collective, call);
    idle(rand() % MOST_IDLE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < SMALL; i++) {
        wrong += sums[i] != here * (call + i) || spread[i] != call - i;
    }
    mtree_expect(wrong == 0, "beside call %d: %d elements are wrong on rank %d", call,
                 wrong, rank);
}

int main(int argc, char **argv)
{
    int calls[3] = {2, 7, 14}, call = 0, status;
    MPI_Comm half;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    srand((unsigned)rank + 1);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    for (int part = 0; part < 3; part++) {
        calls[part] = argc > part + 3 ? atoi(argv[part + 3]) : calls[part];
        for (int i = 0; i < calls[part]; i++) {
            if (part == 1 && rank == atoi(argv[2])) {
                idle(LATE_NANOSECONDS);
            }
            call_among_others(argv[1], call++, half);
        }
    }
    MPI_Comm_free(&half);
    status = mtree_expect_finish("lab_arrival_skew");
    MPI_Finalize();
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * many_requests outstanding CALLS: so many nonblocking calls at a time, of several kinds
 * and sizes, on two communicators, with blocking calls among them.
 *
 * many_requests persistent MADE: a persistent request that lives while so many others are
 * made and freed, and one more that is made then; both run at the same time.
 *
 * many_requests living MADE: the others are freed at the end.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST 3000
#define LENGTH  50000
#define STARTS  4

static int rank, ranks;

static void start(case_t *c, int number, MPI_Comm comm)
{
    static const collective_t kinds[] = {ALLREDUCE, BCAST, ALLGATHER,
                                         REDUCE_SCATTER_BLOCK};
    const choice_t choice = {.root = number / 4 % ranks,
                             .block =
                                 20 + number * 37 % (number % 50 == 0 ? LONGEST : 200)};

    run.choice = &choice;
    case_create(c, kinds[number % 4], MTREE_NONBLOCKING_FORM, comm);
    case_fill(c);
    case_call(c);
}

static void outstanding(int num_calls)
{
    case_t *calls = calloc((size_t)num_calls, sizeof(*calls));
    MPI_Comm copy;
    int all;

    items_init();
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < num_calls; i++) {
        start(&calls[i], i, i % 5 == 0 ? copy : MPI_COMM_WORLD);
        if (i % 1000 == 500) {
            MPI_Allreduce(&rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            mtree_expect(all == ranks * (ranks - 1) / 2, "a blocking call gave %d", all);
        }
    }
    /* Those that are made last are waited for first. */
    for (int i = num_calls - 1; i >= 0; i--) {
        MPI_Wait(&calls[i].request, MPI_STATUS_IGNORE);
        case_verify(&calls[i]);
        case_free(&calls[i]);
    }
    MPI_Comm_free(&copy);
    items_cleanup();
    free(calls);
}

static void make(int *in, int *out, MPI_Request *request)
{
    MTREE_PERSISTENT_NAME(Allreduce)
    (in, out, LENGTH, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request);
}

static void persistent(int num_made, int live)
{
    static int in[2][LENGTH], out[2][LENGTH];
    MPI_Request *others = malloc((size_t)num_made * sizeof(*others)), requests[2];

    make(in[0], out[0], &requests[0]);
    for (int i = 0; i < num_made; i++) {
        make(in[1], out[1], &others[i]);
        /* Each rank frees them at its own time. */
        for (int j = i - rank % 3; !live && j <= i && i % 3 == 2; j++) {
            MPI_Request_free(&others[j]);
        }
        for (int j = i - 2; !live && i % 3 == 2 && j < i - rank % 3; j++) {
            MPI_Request_free(&others[j]);
        }
    }
    make(in[1], out[1], &requests[1]);
    for (int round = 0; round < STARTS; round++) {
        int wrong = 0;

        for (int i = 0; i < LENGTH; i++) {
            in[0][i] = round + i;
            in[1][i] = -round - 2 * i;
        }
        /* In another order on every other rank. */
        MPI_Start(&requests[rank % 2]);
        MPI_Start(&requests[1 - rank % 2]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < LENGTH; i++) {
            wrong += out[0][i] != ranks * (round + i);
            wrong += out[1][i] != -ranks * (round + 2 * i);
        }
        mtree_expect(wrong == 0, "start %d: %d elements are wrong on rank %d", round,
                     wrong, rank);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    for (int i = 0; live && i < num_made; i++) {
        MPI_Request_free(&others[i]);
    }
    free(others);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc == 3 && strcmp(argv[1], "outstanding") == 0) {
        outstanding(atoi(argv[2]));
    } else if (argc == 3 && strcmp(argv[1], "persistent") == 0) {
        persistent(atoi(argv[2]), 0);
    } else if (argc == 3 && strcmp(argv[1], "living") == 0) {
        persistent(atoi(argv[2]), 1);
    }
    return mtree_expect_end("many_requests");
}

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

static void start(case_t *c, int number, MPI_Comm comm)
{
    static const collective_t kinds[] = {ALLREDUCE, BCAST, ALLGATHER,
                                         REDUCE_SCATTER_BLOCK};
    const choice_t choice = {.root = number / 4 % num_ranks,
                             .block =
                                 20 + number * 37 % (number % 50 == 0 ? LONGEST : 200)};

    run.choice = &choice;
    case_launch(c, kinds[number % 4], MTREE_NONBLOCKING_FORM, comm);
}

static void outstanding(int num_calls)
{
    case_t *calls = calloc((size_t)num_calls, sizeof(*calls));
    MPI_Comm copy;
    int all;

    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    for (int i = 0; i < num_calls; i++) {
        start(&calls[i], i, i % 5 == 0 ? copy : MPI_COMM_WORLD);
        if (i % 1000 == 500) {
            MPI_Allreduce(&my_rank, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
            mtree_expect(all == num_ranks * (num_ranks - 1) / 2,
                         "a blocking call gave %d", all);
        }
    }
    /* Those that are made last are waited for first. */
    for (int i = num_calls - 1; i >= 0; i--) {
        case_finish(&calls[i]);
    }
    MPI_Comm_free(&copy);
    free(calls);
}

static void persistent(int num_made, int live)
{
    static const choice_t choice = {.block = LENGTH};
    static int in[LENGTH], out[LENGTH];
    MPI_Request *others = malloc((size_t)num_made * sizeof(*others));
    case_t cases[2];

    run.choice = &choice;
    case_create(&cases[0], ALLREDUCE, MTREE_PERSISTENT_FORM, MPI_COMM_WORLD);
    case_call(&cases[0]);
    for (int i = 0; i < num_made; i++) {
        MTREE_PERSISTENT_NAME(Allgather)
        (in, LENGTH / num_ranks, MPI_INT, out, LENGTH / num_ranks, MPI_INT,
         MPI_COMM_WORLD, MPI_INFO_NULL, &others[i]);
        /* Each rank frees them at its own time. */
        for (int j = 0; !live && i % 3 == 2 && j < 3; j++) {
            MPI_Request_free(&others[i - (j + my_rank) % 3]);
        }
    }
    case_create(&cases[1], ALLREDUCE, MTREE_PERSISTENT_FORM, MPI_COMM_WORLD);
    case_call(&cases[1]);
    for (int round = 0; round < STARTS; round++) {
        for (int i = 0; i < 2; i++) {
            cases[i].seed++;
            case_fill(&cases[i]);
        }
        /* In another order on every other rank. */
        MPI_Start(&cases[my_rank % 2].request);
        MPI_Start(&cases[1 - my_rank % 2].request);
        for (int i = 0; i < 2; i++) {
            MPI_Wait(&cases[i].request, MPI_STATUS_IGNORE);
            case_verify(&cases[i]);
        }
    }
    case_free(&cases[0]);
    case_free(&cases[1]);
    for (int i = 0; live && i < num_made; i++) {
        MPI_Request_free(&others[i]);
    }
    free(others);
}

int main(int argc, char **argv)
{
    cases_begin(&argc, &argv);
    if (argc == 3 && strcmp(argv[1], "outstanding") == 0) {
        outstanding(atoi(argv[2]));
    } else if (argc == 3 && strcmp(argv[1], "persistent") == 0) {
        persistent(atoi(argv[2]), 0);
    } else if (argc == 3 && strcmp(argv[1], "living") == 0) {
        persistent(atoi(argv[2]), 1);
    }
    return cases_end("many_requests");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators, datatypes and operations that the program frees while nonblocking
 * collectives use them: MPI keeps them until those have ended.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#define CALLS  3
#define ROUNDS 9

/* Calls of so many kinds, the first of each on their communicator. */
static void start(case_t *cases, int calls, MPI_Op kept)
{
    static const collective_t collectives[CALLS] = {ALLREDUCE, BCAST, ALLREDUCE};
    MPI_Op op = item_sum_create(ITEM_INT);
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < calls; i++) {
        const choice_t choice = {.layout = i < 2 ? ITEM_FIRST_PAIR : 0,
                                 .op = i < 2 ? op : MPI_MAX,
                                 .block = i < 2 ? 10000 : 5000};

        run.choice = &choice;
        case_launch(&cases[i], collectives[i], MTREE_NONBLOCKING_FORM, comm);
        cases[i].op = i < 2 ? kept : MPI_MAX;
    }
    for (int i = 0; i < calls && i < 2; i++) {
        area_free_type(&cases[i].send);
        area_free_type(&cases[i].recv);
    }
    MPI_Op_free(&op);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    case_t cases[CALLS];
    MPI_Op kept;

    cases_begin(&argc, &argv);
    kept = item_sum_create(ITEM_INT);
    for (int round = 0; round < ROUNDS; round++) {
        int calls = 1 + round % CALLS;

        start(cases, calls, kept);
        /* Whichever is waited for last may be the communicator's last user. */
        for (int i = 0; i < calls; i++) {
            case_finish(&cases[(round + i) % calls]);
        }
    }
    MPI_Op_free(&kept);
    return cases_end("freed_early");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree serves while an allocation fails (no_memory.c, preloaded): each call ends
 * right, or mtree ends the job.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <dlfcn.h>
#include <stdio.h>

static void make_calls(mtree_form_t form, MPI_Comm comm)
{
    static const collective_t collectives[] = {ALLREDUCE, REDUCE_SCATTER, BCAST,
                                               ALLGATHERV};
    static const choice_t choice = {.block = 10000, .root = 1};

    run.choice = &choice;
    for (int i = 0; i < 4; i++) {
        case_run(collectives[i], form, comm);
    }
}

int main(int argc, char **argv)
{
    long (*begin)(void), (*end)(void);
    long early = 0, allocations = 0;
    MPI_Comm copy;

    cases_begin(&argc, &argv);
    begin = (long (*)(void))dlsym(RTLD_DEFAULT, "failing_begin");
    end = (long (*)(void))dlsym(RTLD_DEFAULT, "failing_end");
    if (begin != NULL) {
        early = begin();
    }
    for (int form = 0; form < MTREE_FORMS; form++) {
        make_calls((mtree_form_t)form, MPI_COMM_WORLD);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    make_calls(MTREE_NONBLOCKING_FORM, copy);
    MPI_Comm_free(&copy);
    if (end != NULL) {
        allocations = end();
    }
    if (allocations > 0) {
        printf("rank %d: %ld allocations, %ld in MPI_Init\n", my_rank, allocations,
               early);
    }
    return cases_end("short_of_memory");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Run by test_netlab.py across a lab: checks a sum over all ranks and prints, from rank
 * 0, a line "ok RANKS HOSTS LOCAL": LOCAL is the number of ranks that share memory with
 * rank 0.  With the argument "all" (test_many_ranks.py) every collective of mtree is
 * checked before that, blocking and nonblocking.  With "processes" (test_processes.py)
 * rank 1 prints "NUMBER processes" after MPI_Init, those that are in Open MPI's process
 * table, and that is all.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 50000

/* Of Open MPI's own; the array is the caller's. */
extern void **ompi_proc_get_allocated(size_t *size);

static int say_processes(void)
{
    size_t processes = 0;

    free(ompi_proc_get_allocated(&processes));
    if (my_rank == 1) {
        printf("%zu processes\n", processes);
    }
    return MPI_Finalize();
}

static int count_hosts(void)
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

/* All collectives in both forms, with an int for each rank. */
static int check_all(void)
{
    const choice_t choice = {.block = 1, .root = num_ranks - 1};

    run = (random_run_t){.tame = true, .choice = &choice};
    items_init();
    for (int c = 0; c < COLLECTIVES; c++) {
        case_run((collective_t)c, MTREE_NONBLOCKING_FORM, MPI_COMM_WORLD);
        case_run((collective_t)c, MTREE_BLOCKING_FORM, MPI_COMM_WORLD);
    }
    items_cleanup();
    return mtree_expect_finish("lab_allreduce");
}

int main(int argc, char **argv)
{
    static double mine[COUNT], sum[COUNT];
    int num_hosts, num_local, wrong = 0;
    MPI_Comm local;

    mtree_expect_begin(&argc, &argv);
    if (argc > 1 && strcmp(argv[1], "processes") == 0) {
        return say_processes();
    }
    num_hosts = count_hosts();
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_size(local, &num_local);
    for (int i = 0; i < COUNT; i++) {
        mine[i] = my_rank + i;
    }
    MPI_Allreduce(mine, sum, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < COUNT; i++) {
        wrong += sum[i] != num_ranks * (num_ranks - 1) / 2 + (double)num_ranks * i;
    }
    if (argc > 1) {
        wrong += check_all();
    }
    if (my_rank == 0) {
        printf("%s %d %d %d\n", wrong == 0 ? "ok" : "wrong", num_ranks, num_hosts,
               num_local);
    }
    MPI_Comm_free(&local);
    MPI_Finalize();
    return wrong != 0;
}

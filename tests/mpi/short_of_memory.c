/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What mtree serves while an allocation fails (no_memory.c, preloaded): each call ends
 * right, or mtree ends the job.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT      10000
#define MOST_RANKS 8

static int in[COUNT * MOST_RANKS], out[COUNT * MOST_RANKS];
static int rank, ranks;

/* End the job where a call failed, having said so. */
static void passed(const char *what, int rc)
{
    if (rc != MPI_SUCCESS) {
        printf("rank %d: %s: an error\n", rank, what);
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
}

static void fill(void)
{
    for (int i = 0; i < COUNT * ranks; i++) {
        in[i] = rank + i;
        out[i] = -1;
    }
}

static void expect_sums(const char *what, int first)
{
    int wrong = 0;

    for (int i = 0; i < COUNT; i++) {
        wrong += out[i] != ranks * (first + i) + ranks * (ranks - 1) / 2;
    }
    mtree_expect(wrong == 0, "%s: %d sums are wrong", what, wrong);
}

#define CALL(_name, _lower, ...)                                                         \
    do {                                                                                 \
        MPI_Request request = MPI_REQUEST_NULL;                                          \
        int rc;                                                                          \
                                                                                         \
        fill();                                                                          \
        MTREE_CALL_FORM(rc, form, &request, _name, _lower, __VA_ARGS__);                 \
        passed(#_lower, rc);                                                             \
        if (form == MTREE_PERSISTENT_FORM) {                                             \
            passed(#_lower, MPI_Start(&request));                                        \
        }                                                                                \
        passed(#_lower, MPI_Wait(&request, MPI_STATUS_IGNORE));                          \
        if (form == MTREE_PERSISTENT_FORM) {                                             \
            MPI_Request_free(&request);                                                  \
        }                                                                                \
    } while (0)

static void make_calls(int form, MPI_Comm comm)
{
    int counts[MOST_RANKS], places[MOST_RANKS];

    for (int r = 0; r < ranks; r++) {
        counts[r] = COUNT;
        places[r] = r * COUNT;
    }
    CALL(Allreduce, allreduce, in, out, COUNT, MPI_INT, MPI_SUM, comm);
    expect_sums("allreduce", 0);
    CALL(Reduce_scatter, reduce_scatter, in, out, counts, MPI_INT, MPI_SUM, comm);
    expect_sums("reduce_scatter", rank * COUNT);
    CALL(Bcast, bcast, in, COUNT, MPI_INT, 1, comm);
    mtree_expect(in[COUNT - 1] == COUNT, "bcast: %d at the end", in[COUNT - 1]);
    CALL(Allgatherv, allgatherv, in, COUNT, MPI_INT, out, counts, places, MPI_INT, comm);
    mtree_expect(out[COUNT * ranks - 1] == ranks + COUNT - 2, "allgatherv: %d at the end",
                 out[COUNT * ranks - 1]);
}

int main(int argc, char **argv)
{
    long (*begin)(void), (*end)(void);
    long early = 0, allocations = 0;
    MPI_Comm copy;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    begin = (long (*)(void))dlsym(RTLD_DEFAULT, "failing_begin");
    end = (long (*)(void))dlsym(RTLD_DEFAULT, "failing_end");
    if (begin != NULL) {
        early = begin();
    }
    for (int form = 0; form < MTREE_FORMS; form++) {
        make_calls(form, MPI_COMM_WORLD);
    }
    passed("dup", MPI_Comm_dup(MPI_COMM_WORLD, &copy));
    make_calls(MTREE_NONBLOCKING_FORM, copy);
    MPI_Comm_free(&copy);
    if (end != NULL) {
        allocations = end();
    }
    if (allocations > 0) {
        printf("rank %d: %ld allocations, %ld in MPI_Init\n", rank, allocations, early);
    }
    return mtree_expect_end("short_of_memory");
}

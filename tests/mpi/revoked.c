/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank revokes a communicator (MPIX_Comm_revoke) while a collective on it is under way,
 * again and again, each time another communicator: the call ends on every rank, well or
 * with MPIX_ERR_REVOKED.  Nobody is lost.
 *
 *   revoked ROUNDS SEED
 *
 * needs `mpirun --with-ft ulfm`.  What is called, with how much, who revokes and when
 * follows from the seed.
 */
#include "tests/mpi/calls.h"
#include "tests/mpi/expect.h"

#include <mpi.h>
#include <mpi-ext.h>
#include <stdio.h>
#include <stdlib.h>

#define MOST_PART 20000 /* ints of a rank */
#define LONGEST   400   /* looks at the request before a rank revokes */
#define CALLS     3     /* the one under way included */

static int *input, *output;

static unsigned random_below(unsigned long *state, unsigned limit)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned)(*state >> 33) % limit;
}

static int call_start(unsigned what, int part, int ranks, MPI_Comm comm,
                      MPI_Request *request)
{
    switch (what) {
    case 0:
        return MPI_Iallgather(input, part, MPI_INT, output, part, MPI_INT, comm, request);
    case 1:
        return MPI_Iallreduce(input, output, part * ranks, MPI_INT, MPI_SUM, comm,
                              request);
    default:
        return MPI_Ibcast(output, part * ranks, MPI_INT, 0, comm, request);
    }
}

static void revoke_one(unsigned long *state, int round)
{
    MPI_Comm comm;
    int rank, ranks, rc = MPI_SUCCESS, class = MPI_SUCCESS;
    unsigned what = random_below(state, 3);
    int part = 1 + (int)random_below(state, MOST_PART), revoker;
    unsigned looks = random_below(state, LONGEST);

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    revoker = (int)random_below(state, (unsigned)ranks);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    for (int call = 0; call < CALLS && rc == MPI_SUCCESS; call++) {
        MPI_Request request;

        rc = call_start(what, part, ranks, comm, &request);
        if (call == CALLS - 1 && rank == revoker) {
            int done = 0;

            while (looks-- > 0 && rc == MPI_SUCCESS && !done) {
                rc = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
            }
            MPIX_Comm_revoke(comm);
        }
        if (rc == MPI_SUCCESS) {
            rc = MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
    }
    MPI_Error_class(rc, &class);
    mtree_expect(rc == MPI_SUCCESS || class == MPIX_ERR_REVOKED,
                 "round %d, revoked by %d: the class is %d", round, revoker, class);
    /* What comes for a communicator that is freed is kept for the next of its number. */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 1, ranks, status;
    unsigned long state = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;

    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    input = calloc((size_t)MOST_PART * (size_t)ranks, sizeof(*input));
    output = calloc((size_t)MOST_PART * (size_t)ranks, sizeof(*output));
    if (input == NULL || output == NULL) {
        fprintf(stderr, "revoked: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    for (int round = 0; round < rounds; round++) {
        revoke_one(&state, round);
    }
    mtree_calls_check(MPI_COMM_WORLD);
    status = mtree_expect_finish("revoked");
    MPI_Finalize();
    free(output);
    free(input);
    return status;
}

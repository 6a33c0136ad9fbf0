/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random calls of MPI_Bcast, MPI_Allreduce and MPI_Allgather give what MPICH's own give,
 * which MPI's profiling interface calls: with datatypes that have gaps, also on some
 * ranks only, operations of the user's, in place, and on parts of the ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define CALLS     40
#define MOST      40000 /* elements of a call, of four bytes */
#define MOST_SIZE 8     /* ranks */

static int input[2 * MOST], output[2 * MOST * MOST_SIZE], expected[2 * MOST * MOST_SIZE];
static int failures;

/* The same on all ranks. */
static unsigned draw(unsigned below)
{
    static unsigned long long state = 12345;

    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned)(state >> 33) % below;
}

static void check(const char *what, int count, MPI_Comm comm)
{
    int rank;

    MPI_Comm_rank(comm, &rank);
    if (memcmp(output, expected, sizeof(output)) != 0) {
        fprintf(stderr, "as_without: rank %d: %s of %d differs\n", rank, what, count);
        failures++;
    }
}

/* New input, and outputs that are alike and hold something else on each rank. */
static void fill(MPI_Comm comm)
{
    const int number = (int)draw(1000);
    int rank;

    MPI_Comm_rank(comm, &rank);
    for (size_t i = 0; i < sizeof(input) / sizeof(input[0]); i++) {
        input[i] = number + rank * 7 + (int)i;
    }
    for (size_t i = 0; i < sizeof(output) / sizeof(output[0]); i++) {
        output[i] = expected[i] = -number - rank - (int)i;
    }
}

/* Every second int; as many of these as @a count ints, of which its extent covers two. */
static MPI_Datatype gaps(void)
{
    MPI_Datatype type;

    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &type);
    MPI_Type_commit(&type);
    return type;
}

static void bcast(int count, MPI_Datatype with_gaps, MPI_Comm comm)
{
    const unsigned kind = draw(3);
    int rank, size, root;
    MPI_Datatype type;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    root = (int)draw((unsigned)size);
    /* With gaps nowhere, everywhere, or at the root alone. */
    type = kind == 0 || (kind == 2 && rank != root) ? MPI_INT : with_gaps;
    MPI_Bcast(output, count, type, root, comm);
    PMPI_Bcast(expected, count, type, root, comm);
    check("bcast", count, comm);
}

static void add(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *length; i++) {
        ((int *)inout)[i] += ((int *)in)[i];
    }
}

static void allreduce(int count, MPI_Op own, MPI_Comm comm)
{
    const MPI_Op ops[] = {MPI_SUM, MPI_MAX, MPI_BXOR, MPI_MINLOC, own};
    const unsigned which = draw(5);
    const MPI_Datatype type = ops[which] == MPI_MINLOC ? MPI_2INT : MPI_INT;

    if (draw(3) == 0) {
        MPI_Allreduce(MPI_IN_PLACE, output, count, type, ops[which], comm);
        PMPI_Allreduce(MPI_IN_PLACE, expected, count, type, ops[which], comm);
    } else {
        MPI_Allreduce(input, output, count, type, ops[which], comm);
        PMPI_Allreduce(input, expected, count, type, ops[which], comm);
    }
    check("allreduce", count, comm);
}

static void allgather(int count, MPI_Datatype with_gaps, MPI_Comm comm)
{
    const MPI_Datatype type = draw(2) == 0 ? MPI_INT : with_gaps;
    const MPI_Datatype input_type = draw(2) == 0 ? MPI_INT : with_gaps;
    const void *from = draw(3) == 0 ? MPI_IN_PLACE : input;

    MPI_Allgather(from, count, input_type, output, count, type, comm);
    PMPI_Allgather(from, count, input_type, expected, count, type, comm);
    check("allgather", count, comm);
}

static int heard;

static void hear(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    heard++;
}

/* What came of a call by @a code: the error's class, and how often the handler was told.
 */
static int outcome(int code)
{
    int class;

    MPI_Error_class(code, &class);
    class += 1000 * heard;
    heard = 0;
    return class;
}

static void check_outcome(const char *what, int code, int code_without)
{
    if (code != code_without) {
        fprintf(stderr, "as_without: %s: %d, not %d\n", what, code, code_without);
        failures++;
    }
}

/* Calls that MPICH refuses are refused, on all ranks and with its errors. */
static void refused(void)
{
    int own;
    MPI_Errhandler handler;
    MPI_Datatype uncommitted;
    MPI_Comm comm;

    MPI_Comm_create_errhandler(hear, &handler);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &uncommitted);
    own = outcome(MPI_Allreduce(input, output, MOST, MPI_FLOAT, MPI_BAND, comm));
    check_outcome(
        "bits of floats", own,
        outcome(PMPI_Allreduce(input, expected, MOST, MPI_FLOAT, MPI_BAND, comm)));
    own = outcome(MPI_Bcast(output, MOST, uncommitted, 0, comm));
    check_outcome("a bcast", own,
                  outcome(PMPI_Bcast(expected, MOST, uncommitted, 0, comm)));
    own = outcome(MPI_Allgather(input, MOST, uncommitted, output, MOST, MPI_INT, comm));
    check_outcome(
        "an allgather", own,
        outcome(PMPI_Allgather(input, MOST, uncommitted, expected, MOST, MPI_INT, comm)));
    check_outcome("of success", outcome(MPI_SUCCESS), 0);
    MPI_Type_free(&uncommitted);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    MPI_Comm comms[3]; /* of all, of all the other way round, of some */
    MPI_Datatype with_gaps;
    MPI_Op own;
    int rank, all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &comms[2]);
    with_gaps = gaps();
    MPI_Op_create(add, 1, &own);
    for (int i = 0; i < CALLS; i++) {
        const MPI_Comm comm = comms[draw(3)];
        const int count = 1 + (int)draw(draw(2) == 0 ? 1000 : MOST);

        fill(comm);
        switch (draw(3)) {
        case 0:
            bcast(count, with_gaps, comm);
            break;
        case 1:
            allreduce(count, own, comm);
            break;
        default:
            allgather(count, with_gaps, comm);
        }
    }
    refused();
    MPI_Op_free(&own);
    MPI_Type_free(&with_gaps);
    MPI_Comm_free(&comms[1]);
    MPI_Comm_free(&comms[2]);
    PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("as_without: %d calls, %d wrong results\n", CALLS, all);
    }
    MPI_Finalize();
    return all != 0;
}

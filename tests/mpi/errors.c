/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * errors PREFIX: what collectives say of wrong arguments and of messages that are too
 * long, to be compared between MPI libraries: a line each, of rank R to the file
 * PREFIX.R. errors fatal: a message that is too long where errors are fatal. errors
 * unlike: rank 0 calls another collective than the others; errors roots: rank 1 names
 * another root.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"

#include <stdio.h>
#include <string.h>

#define MOST_INTS 64

static MPI_Comm comm; /* errors on it are told to heard() */
static int heard_code, heard_times;
static FILE *lines;
static int in[MOST_INTS], out[MOST_INTS];

static void heard(MPI_Comm *where, int *code, ...)
{
    heard_times += *where == comm;
    heard_code = *code;
}

static const char *class_of(int code)
{
    static char text[MPI_MAX_ERROR_STRING];
    int class, length;

    MPI_Error_class(code, &class);
    MPI_Error_string(class, text, &length);
    return text;
}

/* What came of it: the code returned, and whether the handler was told the same. */
static void tell(const char *what, int form, int code)
{
    static const char *const forms[MTREE_FORMS] = {"blocking", "nonblocking",
                                                   "persistent"};

    fprintf(lines, "rank %d: %s, %s: %s; handler told %d times%s\n", my_rank, what,
            forms[form], class_of(code), heard_times,
            heard_times > 0 && heard_code != code ? " of another error" : "");
    heard_times = 0;
}

/* Begin and, where the arguments were accepted, end the call. */
#define TELL(_what, _name, _lower, ...)                                                  \
    for (int form = 0; form < MTREE_FORMS; form++) {                                     \
        MPI_Request request = MPI_REQUEST_NULL;                                          \
        int rc;                                                                          \
                                                                                         \
        MTREE_CALL_FORM(rc, form, &request, _name, _lower, __VA_ARGS__);                 \
        if (rc == MPI_SUCCESS && request != MPI_REQUEST_NULL) {                          \
            if (form == MTREE_PERSISTENT_FORM) {                                         \
                MPI_Start(&request);                                                     \
            }                                                                            \
            rc = MPI_Wait(&request, MPI_STATUS_IGNORE);                                  \
        }                                                                                \
        if (request != MPI_REQUEST_NULL) {                                               \
            MPI_Request_free(&request);                                                  \
        }                                                                                \
        tell(_what, form, rc);                                                           \
    }

/* Each kind of wrong argument, for one collective that folds and for those that move. */
static void check_arguments(void)
{
    int counts[64], places[64] = {0};
    MPI_Datatype pair;

    for (int r = 0; r < num_ranks; r++) {
        counts[r] = 1;
    }
    MPI_Type_contiguous(2, MPI_INT, &pair);
    TELL("allreduce without operation", Allreduce, allreduce, in, out, 1, MPI_INT,
         MPI_OP_NULL, comm);
    TELL("allreduce, maxloc of ints", Allreduce, allreduce, in, out, 1, MPI_INT,
         MPI_MAXLOC, comm);
    TELL("allreduce, sum of a derived datatype", Allreduce, allreduce, in, out, 1, pair,
         MPI_SUM, comm);
    TELL("allreduce of -1", Allreduce, allreduce, in, out, -1, MPI_INT, MPI_SUM, comm);
    TELL("allreduce of no datatype", Allreduce, allreduce, in, out, 1, MPI_DATATYPE_NULL,
         MPI_SUM, comm);
    TELL("allreduce to where it is from", Allreduce, allreduce, in, in, 1, MPI_INT,
         MPI_SUM, comm);
    TELL("reduce to -1", Reduce, reduce, in, out, 1, MPI_INT, MPI_SUM, -1, comm);
    TELL("reduce to nobody", Reduce, reduce, in, out, 1, MPI_INT, MPI_SUM, num_ranks,
         comm);
    TELL("bcast from nobody", Bcast, bcast, in, 1, MPI_INT, num_ranks, comm);
    TELL("bcast of -1", Bcast, bcast, in, -1, MPI_INT, 0, comm);
    TELL("bcast of what is not committed", Bcast, bcast, in, 1, pair, 0, comm);
    TELL("bcast in place", Bcast, bcast, MPI_IN_PLACE, 1, MPI_INT, 0, comm);
    TELL("allgather of -1", Allgather, allgather, in, -1, MPI_INT, out, 1, MPI_INT, comm);
    TELL("allgather of no datatype", Allgather, allgather, in, 1, MPI_INT, out, 1,
         MPI_DATATYPE_NULL, comm);
    TELL("allgatherv of no datatype", Allgatherv, allgatherv, in, 1, MPI_INT, out, counts,
         places, MPI_DATATYPE_NULL, comm);
    TELL("reduce_scatter without operation", Reduce_scatter, reduce_scatter, in, out,
         counts, MPI_INT, MPI_OP_NULL, comm);
    TELL("reduce_scatter_block without operation", Reduce_scatter_block,
         reduce_scatter_block, in, out, 1, MPI_INT, MPI_OP_NULL, comm);
    TELL("barrier of nobody", Barrier, barrier, MPI_COMM_NULL);
    MPI_Type_free(&pair);
}

/* A communicator for a case: what is left over of it disturbs no other. */
static void renew(void)
{
    MPI_Errhandler handler;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_errhandler(heard, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
}

/* Messages that are longer than their receivers expect. */
static void check_long(void)
{
    MPI_Request request;
    MPI_Status status;
    int rc;

    renew();
    rc = MPI_Bcast(in, my_rank == 0 ? 40 : 20, MPI_INT, 0, comm);
    tell("bcast of too much", MTREE_BLOCKING_FORM, rc);
    renew();
    /* All have too little room for their own block. */
    rc = MPI_Allgather(in, 8, MPI_INT, out, 4, MPI_INT, comm);
    tell("allgather of too much", MTREE_BLOCKING_FORM, rc);
    renew();
    rc = MPI_Ibcast(in, my_rank == 0 ? 40 : 20, MPI_INT, 0, comm, &request);
    rc = rc == MPI_SUCCESS ? MPI_Waitall(1, &request, &status) : rc;
    tell("bcast of too much, waitall", MTREE_NONBLOCKING_FORM, rc);
    if (rc == MPI_ERR_IN_STATUS) {
        tell("its status", MTREE_NONBLOCKING_FORM, status.MPI_ERROR);
    }
}

/* Blocks of @a sent ints where their receivers have room for @a room: what is shorter is
 * taken, and what is longer disturbs no other rank. */
static void check_unequal(const char *how, int sent, int room)
{
    int sent_counts[64], rooms[64], places[64], rc;
    char what[64];

    for (int r = 0; r < num_ranks; r++) {
        sent_counts[r] = r == 1 ? sent : 8;
        rooms[r] = r == 1 ? room : 8;
        places[r] = 16 * r;
    }
    renew();
    rc = MPI_Gatherv(in, sent_counts[my_rank], MPI_INT, out, rooms, places, MPI_INT, 0,
                     comm);
    (void)snprintf(what, sizeof(what), "gatherv, %s", how);
    tell(what, MTREE_BLOCKING_FORM, rc);
    renew();
    rc = MPI_Scatterv(in, sent_counts, places, MPI_INT, out, rooms[my_rank], MPI_INT, 0,
                      comm);
    (void)snprintf(what, sizeof(what), "scatterv, %s", how);
    tell(what, MTREE_BLOCKING_FORM, rc);
}

int main(int argc, char **argv)
{
    char name[1000];

    mtree_expect_begin(&argc, &argv);
    if (argc != 2) {
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    if (strcmp(argv[1], "fatal") == 0) {
        MPI_Bcast(in, my_rank == 0 ? 40 : 20, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (strcmp(argv[1], "unlike") == 0) {
        if (my_rank == 0) {
            MPI_Reduce(in, out, MOST_INTS, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
        } else {
            MPI_Gather(in, MOST_INTS, MPI_INT, out, MOST_INTS, MPI_INT, 0,
                       MPI_COMM_WORLD);
        }
    }
    if (strcmp(argv[1], "roots") == 0) {
        MPI_Bcast(in, MOST_INTS, MPI_INT, my_rank == 1 ? 2 : 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    (void)snprintf(name, sizeof(name), "%s.%d", argv[1], my_rank);
    lines = fopen(name, "w");
    if (lines == NULL) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        return 1;
    }
    renew();
    check_arguments();
    check_long();
    check_unequal("too much", 8, 4);
    check_unequal("less than expected", 4, 8);
    fclose(lines);
    MPI_Finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on a communicator of a session and on a copy of it, before there is an
 * MPI_COMM_WORLD.
 */
#include "tests/mpi/expect.h"

#include <mpi.h>

enum { COUNT = 30000 };

/* A broadcast and a sum.  MPI_Reduce_local, by which random cases know what to expect,
 * needs MPI_Init in Open MPI 5. */
static void check(MPI_Comm comm)
{
    static int vector[COUNT], sum[COUNT];
    int rank, ranks;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (int i = 0; i < COUNT; i++) {
        vector[i] = rank == 0 ? i : -1;
    }
    MPI_Bcast(vector, COUNT, MPI_INT, 0, comm);
    MPI_Allreduce(vector, sum, COUNT, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < COUNT; i++) {
        mtree_expect(vector[i] == i && sum[i] == ranks * i, "element %d is wrong", i);
    }
}

int main(int argc, char **argv)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm, copy;
    int status;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "mtree", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
                               &comm);
    MPI_Group_free(&group);
    check(comm);
    MPI_Comm_dup(comm, &copy);
    check(copy);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    MPI_Init(&argc, &argv);
    status = mtree_expect_finish("sessions");
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return status;
}

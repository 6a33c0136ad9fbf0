/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives on a communicator of a session and on a copy of it, before there is an
 * MPI_COMM_WORLD.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/random_case.h"

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
    items_init();
    cases_run_two(comm);
    MPI_Comm_dup(comm, &copy);
    cases_run_two(copy);
    items_cleanup();
    MPI_Comm_free(&copy);
    MPI_Comm_free(&comm);
    MPI_Init(&argc, &argv);
    status = mtree_expect_finish("sessions");
    MPI_Session_finalize(&session);
    MPI_Finalize();
    return status;
}

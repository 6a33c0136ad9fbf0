/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Blocking collectives on a communicator while an MPI_Comm_idup of it is under way.
 *
 * Not nonblocking ones: what Open MPI 4.1 does inside an idup takes the tags of
 * nonblocking collectives in an order that differs between ranks, and fails with them.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/intra.h"

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Request request;
    int status;

    MPI_Init(&argc, &argv);
    /* Whatever is set up at the first call must not give the idup time to finish. */
    mtree_intra_check(MPI_COMM_WORLD, "the world", false, 3);
    mtree_intra_check(MPI_COMM_WORLD, "the world", false, 30011);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    mtree_intra_check(MPI_COMM_WORLD, "the world during idup", false, 3);
    mtree_intra_check(MPI_COMM_WORLD, "the world during idup", false, 30011);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    mtree_intra_check(comm, "the idup", true, 3);
    MPI_Comm_free(&comm);

    status = mtree_expect_finish("during_idup");
    MPI_Finalize();
    return status;
}

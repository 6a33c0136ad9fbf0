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
    MPI_Init(&argc, &argv);
    /* Whatever is set up at the first call must not give the idup time to finish. */
    mtree_intra_check(MPI_COMM_WORLD, "the world", false, false);
    mtree_intra_check(MPI_COMM_WORLD, "the world", false, true);
    MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
    mtree_intra_check(MPI_COMM_WORLD, "the world during idup", false, false);
    mtree_intra_check(MPI_COMM_WORLD, "the world during idup", false, true);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    mtree_intra_check(comm, "the idup", true, false);
    MPI_Comm_free(&comm);

    return mtree_expect_end("during_idup");
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A message that Open MPI does not begin to receive, as when it has no memory or the
 * communicator was just revoked: the job ends with a line, or the call with an error on
 * that rank, which gives up as others do.  Two calls, each with a plan of its own to wait
 * for, are under way.
 *
 *   failing_receive RANK AT
 *
 * fails the receive number AT of RANK, from 1 (0: none).
 */
#include "coll_mtree/compat.h"

#include "ompi/mca/pml/pml.h"
#include "tests/mpi/expect.h"

#include <stdio.h>
#include <stdlib.h>

#define CALLS 3
#define COUNT 1000

static mca_pml_base_module_irecv_fn_t irecv_of_pml;
static int fail_in;

static int failing_irecv(void *buffer, size_t count, ompi_datatype_t *datatype, int peer,
                         int tag, ompi_communicator_t *comm, ompi_request_t **request)
{
    if (fail_in > 0 && --fail_in == 0) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return irecv_of_pml(buffer, count, datatype, peer, tag, comm, request);
}

int main(int argc, char **argv)
{
    static int input[COUNT << CALLS], output[CALLS][COUNT << CALLS];
    MPI_Request requests[CALLS];
    int begun = 0, rc = MPI_SUCCESS;

    mtree_expect_begin(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < COUNT << CALLS; i++) {
        input[i] = i;
    }
    irecv_of_pml = mca_pml.pml_irecv;
    mca_pml.pml_irecv = failing_irecv;
    fail_in = argc > 2 && my_rank == atoi(argv[1]) ? atoi(argv[2]) : 0;
    while (begun < CALLS && rc == MPI_SUCCESS) {
        rc = MPI_Iallreduce(input, output[begun], COUNT << begun, MPI_INT, MPI_SUM,
                            MPI_COMM_WORLD, &requests[begun]);
        begun += rc == MPI_SUCCESS;
    }
    for (int call = 0; call < begun && rc == MPI_SUCCESS; call++) {
        rc = MPI_Wait(&requests[call], MPI_STATUS_IGNORE);
        if (rc == MPI_SUCCESS && output[call][COUNT - 1] != num_ranks * (COUNT - 1)) {
            printf("failing_receive: FAILED: rank %d: a sum is wrong\n", my_rank);
            MPI_Abort(MPI_COMM_WORLD, 4);
        }
    }
    if (rc != MPI_SUCCESS) {
        printf("failing_receive: rank %d: an error\n", my_rank);
        fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 3);
    }
    MPI_Finalize();
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpich/require.h"

#include "base/log.h"

#include <mpi.h>
#include <stdlib.h>

void mtree_mpich_require(mtree_status_t status)
{
    if (status != MTREE_OK) {
        mtree_error("%s in a call that the other ranks are in, too; the job ends",
                    mtree_status_string(status));
        PMPI_Abort(MPI_COMM_WORLD, 1);
    }
}

void *mtree_mpich_allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    mtree_mpich_require(memory == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    return memory;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpich/require.h"

#include "base/log.h"

#include <mpi.h>
#include <stdlib.h>

static void end_job(const char *reason)
{
    mtree_error("%s in a call that the other ranks are in, too; the job ends", reason);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

void mtree_mpich_require(mtree_status_t status)
{
    if (status != MTREE_OK) {
        end_job(mtree_status_string(status));
    }
}

void mtree_mpich_must(int code)
{
    char text[MPI_MAX_ERROR_STRING] = "an error of MPICH's";
    int length;

    if (code != MPI_SUCCESS) {
        (void)PMPI_Error_string(code, text, &length);
        end_job(text);
    }
}

void *mtree_mpich_allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    mtree_mpich_require(memory == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    return memory;
}

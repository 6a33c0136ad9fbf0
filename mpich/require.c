/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpich/require.h"

#include "base/log.h"
#include "base/memory.h"

#include <mpi.h>
#include <stdlib.h>

static void end_job(const char *reason)
{
    mtree_error("%s in a call that the other ranks are in, too; the job ends", reason);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* Memory is missing in calls, too. */
__attribute__((constructor)) static void memory_open(void)
{
    mtree_memory_on_missing(end_job);
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/served.h"

#include <mpi.h>
#include <stdbool.h>

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle;
static bool known;

void served_open(void)
{
    int provided, index, count;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    known = MPI_T_pvar_get_index("coll_mtree_calls_trees", MPI_T_PVAR_CLASS_COUNTER,
                                 &index) == MPI_SUCCESS;
    if (known) {
        MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    }
}

void served_close(void)
{
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
}

long served_calls(void)
{
    unsigned long long value;

    if (!known) {
        return -1;
    }
    MPI_T_pvar_read(session, handle, &value);
    return (long)value;
}

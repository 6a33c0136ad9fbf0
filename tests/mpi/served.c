/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/served.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>

static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle;
static bool known;

void served_open(const char *counter, int var_class)
{
    int provided, index, count = 0;
    char name[64];

    (void)snprintf(name, sizeof(name), "coll_mtree_%s", counter);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    if (MPI_T_pvar_get_index(name, var_class, &index) == MPI_SUCCESS) {
        MPI_T_pvar_handle_alloc(session, index, NULL, &handle, &count);
    }
    known = count == 1;
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

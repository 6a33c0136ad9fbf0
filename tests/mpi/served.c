/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/served.h"

#include <mpi.h>
#include <stdbool.h>

static const char *const names[2] = {"coll_mtree_calls_trees", "coll_mtree_calls_ring"};
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handles[2];
static bool known;

void served_open(void)
{
    int provided, index, count;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    known = true;
    for (int i = 0; i < 2 && known; i++) {
        known = MPI_T_pvar_get_index(names[i], MPI_T_PVAR_CLASS_COUNTER, &index) ==
                MPI_SUCCESS;
        if (known) {
            MPI_T_pvar_handle_alloc(session, index, NULL, &handles[i], &count);
        }
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
    long calls = 0;

    for (int i = 0; known && i < 2; i++) {
        MPI_T_pvar_read(session, handles[i], &value);
        calls += (long)value;
    }
    return known ? calls : -1;
}

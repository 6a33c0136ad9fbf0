/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two functions of UCX's for the mtree_bench of MPICH, which a lab needs.  Symbols of a
 * program stand before those of its libraries.
 *
 * A lab has more ranks than processors.  A rank of MPICH polls without a pause, where
 * Open MPI's (mpi_yield_when_idle) lets another one run, as ours does.
 *
 * MPICH 4.0's ranks close their connections in MPI_Finalize and then wait for each other
 * without progress.  A rank whose peer waits there never hears that its connection is
 * closed (seen with UCX 1.13 over TCP from 8 ranks on).  So connections stay open until
 * the worker goes.
 */
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

typedef unsigned (*progress_t)(void *worker);

unsigned ucp_worker_progress(void *worker);
void *ucp_disconnect_nb(void *endpoint);

unsigned ucp_worker_progress(void *worker)
{
    static progress_t progress;
    unsigned events;

    if (progress == NULL) {
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
        if (progress == NULL) {
            fprintf(stderr, "mtree_bench: UCX has no ucp_worker_progress\n");
            abort();
        }
    }
    events = progress(worker);
    if (events == 0) {
        sched_yield();
    }
    return events;
}

/* NULL: it is closed already. */
void *ucp_disconnect_nb(void *endpoint)
{
    (void)endpoint;
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/message.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/report/statistics.h"

#include "ompi/mca/pml/pml.h"
#include "opal/runtime/opal_progress.h"

#include <sched.h>
#include <time.h>

/* Short beside any latency worth planning for, and beside any stream. */
#define LATER_NANOSECONDS 300000
#define SOON_NANOSECONDS  100000

bool coll_mtree_probe_send(ompi_communicator_t *comm, int peer, int tag,
                           const void *bytes, size_t length, ompi_request_t **request_p)
{
    ompi_request_t *request;

    if (MCA_PML_CALL(isend((void *)bytes, length, MPI_BYTE, peer, tag,
                           MCA_PML_BASE_SEND_STANDARD, comm, &request)) != OMPI_SUCCESS) {
        return false;
    }
    coll_mtree_counters_add_probe(length);
    *request_p = request;
    return true;
}

bool coll_mtree_probe_recv(ompi_communicator_t *comm, int peer, int tag, void *bytes,
                           size_t length, ompi_request_t **request_p)
{
    ompi_request_t *request;

    if (MCA_PML_CALL(irecv(bytes, length, MPI_BYTE, peer, tag, comm, &request)) !=
        OMPI_SUCCESS) {
        return false;
    }
    *request_p = request;
    return true;
}

bool coll_mtree_probe_done(ompi_request_t **request_p, size_t *length_p)
{
    ompi_request_t *request = *request_p;

    if (request == NULL) {
        return true;
    }
    if (!REQUEST_COMPLETE(request) && !coll_mtree_request_give_up(request)) {
        return false;
    }
    if (length_p != NULL) {
        *length_p = request->req_status._ucount;
    }
    ompi_request_free(request_p);
    *request_p = NULL;
    return true;
}

bool coll_mtree_probe_abandon(ompi_request_t **request_p)
{
    bool is_over;

    if (*request_p == NULL) {
        return true;
    }
    /* A receive that nothing matched yet ends with this, a send goes its way. */
    (void)ompi_request_cancel(*request_p);
    is_over = REQUEST_COMPLETE(*request_p);
    ompi_request_free(request_p);
    *request_p = NULL;
    return is_over;
}

void coll_mtree_probe_progress_wait(coll_mtree_wait_t wait)
{
    const struct timespec later = {.tv_nsec = LATER_NANOSECONDS};
    const struct timespec soon = {.tv_nsec = SOON_NANOSECONDS};

    opal_progress();
    if (wait == COLL_MTREE_WAIT_LATER) {
        nanosleep(&later, NULL);
    } else if (wait == COLL_MTREE_WAIT_SOON && opal_progress_yield_when_idle) {
        nanosleep(&soon, NULL);
    } else {
        sched_yield();
    }
}

#include "coll_mtree_transport.h"

#include "coll_mtree_statistics.h"

#include "ompi/mca/pml/pml.h"
#include "ompi/request/request.h"

#include <time.h>

/* Runs inside the PML's progress, or at once when the request is complete already. */
static int request_complete(ompi_request_t *request)
{
    mtree_completion_t *done = (mtree_completion_t *)request->req_complete_cb_data;
    mtree_status_t status =
        request->req_status.MPI_ERROR == MPI_SUCCESS ? MTREE_OK : MTREE_ERR_TRANSPORT;

    request->req_free(&request);
    done->func(done, status);
    /* Tells Open MPI that the request is not there any more. */
    return 1;
}

static mtree_status_t request_watch(int rc, ompi_request_t *request,
                                    mtree_completion_t *done)
{
    if (rc != OMPI_SUCCESS) {
        return MTREE_ERR_TRANSPORT;
    }
    ompi_request_set_callback(request, request_complete, done);
    return MTREE_OK;
}

static mtree_status_t transport_send(mtree_transport_t *super, int peer, int tag,
                                     const void *buffer, size_t count, bool synchronous,
                                     mtree_completion_t *done)
{
    coll_mtree_transport_t *transport = (coll_mtree_transport_t *)super;
    ompi_request_t *request;
    size_t size;
    int rc = MCA_PML_CALL(
        isend((void *)buffer, count, transport->unit, peer, transport->first_tag - tag,
              synchronous ? MCA_PML_BASE_SEND_SYNCHRONOUS : MCA_PML_BASE_SEND_STANDARD,
              transport->comm, &request));

    if (count > 0) {
        ompi_datatype_type_size(transport->unit, &size);
        coll_mtree_statistics_add_chunk(count * size);
    }
    return request_watch(rc, request, done);
}

static mtree_status_t transport_recv(mtree_transport_t *super, int peer, int tag,
                                     void *buffer, size_t count, mtree_completion_t *done)
{
    coll_mtree_transport_t *transport = (coll_mtree_transport_t *)super;
    ompi_request_t *request;
    int rc = MCA_PML_CALL(irecv(buffer, count, transport->unit, peer,
                                transport->first_tag - tag, transport->comm, &request));

    return request_watch(rc, request, done);
}

double coll_mtree_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double transport_now(mtree_transport_t *super)
{
    (void)super;
    return coll_mtree_clock();
}

static const mtree_transport_ops_t transport_ops = {
    .send = transport_send, .recv = transport_recv, .now = transport_now};

void coll_mtree_transport_init(coll_mtree_transport_t *transport,
                               ompi_communicator_t *comm, ompi_datatype_t *unit,
                               int first_tag)
{
    transport->super.ops = &transport_ops;
    transport->comm = comm;
    transport->unit = unit;
    transport->first_tag = first_tag;
}

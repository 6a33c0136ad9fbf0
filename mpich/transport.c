/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpich/transport.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* Requests that one call tests. */
#define TESTED 64

static void end_job(const char *reason)
{
    mtree_error("%s in a call that the other ranks are in, too; the job ends", reason);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

/* Memory may be missing in calls. */
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

/* The request of one more message, which is about to begin for @a done. */
static MPI_Request *transport_track(mtree_mpich_transport_t *transport,
                                    mtree_completion_t *done)
{
    const int number = transport->num_messages++;

    mtree_array_reserve(&transport->completions, &transport->completion_capacity,
                        number + 1, sizeof(*transport->completions));
    mtree_array_reserve(&transport->requests, &transport->request_capacity, number + 1,
                        sizeof(*transport->requests));
    done->transport = &transport->super;
    transport->completions[number] = done;
    return &transport->requests[number];
}

static mtree_status_t transport_send(mtree_transport_t *super, int peer, int tag,
                                     const void *buffer, size_t count, bool synchronous,
                                     mtree_completion_t *done)
{
    mtree_mpich_transport_t *transport = (mtree_mpich_transport_t *)super;
    int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *) =
        synchronous ? PMPI_Issend : PMPI_Isend;

    (void)send(buffer, (int)count * transport->unit_bytes, MPI_BYTE, peer, tag,
               transport->comm, transport_track(transport, done));
    return MTREE_OK;
}

static mtree_status_t transport_recv(mtree_transport_t *super, int peer, int tag,
                                     void *buffer, size_t count, mtree_completion_t *done)
{
    mtree_mpich_transport_t *transport = (mtree_mpich_transport_t *)super;

    (void)PMPI_Irecv(buffer, (int)count * transport->unit_bytes, MPI_BYTE, peer, tag,
                     transport->comm, transport_track(transport, done));
    return MTREE_OK;
}

static double transport_now(mtree_transport_t *super)
{
    (void)super;
    return mtree_clock_seconds();
}

static const mtree_transport_ops_t transport_ops = {
    .send = transport_send, .recv = transport_recv, .now = transport_now};

void mtree_mpich_transport_init(mtree_mpich_transport_t *transport, MPI_Comm comm)
{
    memset(transport, 0, sizeof(*transport));
    transport->super.ops = &transport_ops;
    transport->comm = comm;
}

void mtree_mpich_transport_cleanup(mtree_mpich_transport_t *transport)
{
    free(transport->completions);
    free(transport->requests);
}

/* Append what has ended of the requests from @a first on to @a ended. */
static void transport_test(const mtree_mpich_transport_t *transport, int first,
                           mtree_list_t *ended)
{
    const int left = transport->num_messages - first;
    MPI_Status statuses[TESTED]; /* gcc warns where they are ignored */
    int indices[TESTED], count = 0;

    (void)PMPI_Testsome(left < TESTED ? left : TESTED, transport->requests + first,
                        &count, indices, statuses);
    for (int i = 0; i < count; i++) {
        mtree_list_append(ended, &transport->completions[first + indices[i]]->link);
    }
}

/* Close the gaps that ended messages have left. */
static void transport_compact(mtree_mpich_transport_t *transport)
{
    int kept = 0;

    for (int i = 0; i < transport->num_messages; i++) {
        if (transport->requests[i] != MPI_REQUEST_NULL) {
            transport->requests[kept] = transport->requests[i];
            transport->completions[kept++] = transport->completions[i];
        }
    }
    transport->num_messages = kept;
}

void mtree_mpich_transport_progress(mtree_mpich_transport_t *transport)
{
    mtree_list_t ended, *link;

    mtree_list_init(&ended);
    for (int first = 0; first < transport->num_messages; first += TESTED) {
        transport_test(transport, first, &ended);
    }
    if (mtree_list_is_empty(&ended)) {
        sched_yield();
        return;
    }
    transport_compact(transport);
    /* Completions begin new messages. */
    while ((link = mtree_list_take(&ended)) != NULL) {
        mtree_completion_t *done = MTREE_CONTAINER_OF(link, mtree_completion_t, link);

        done->func(done, MTREE_OK);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/transport.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/transport/progress.h"

#include "base/clock.h"
#include "base/memory.h"

#include "ompi/mca/pml/base/base.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/request/request.h"

#include <string.h>

/* Bytes that ob1's header takes in a message, at most. */
#define OB1_HEADER_BYTES 128

/* Bytes that a message may hold at least, however low the user sets the limit. */
#define LEAST_LIMIT 128

static struct {
    bool is_used;      /* it is the PML */
    bool is_unmatched; /* its acknowledgements of synchronous messages may be lost: mtree
                          sends none */
} ob1;

/*
 * Every message under way is in one list, which is looked at from within Open MPI's
 * progress.  Three cases need it; else callbacks are set.
 *
 * With MPI_THREAD_MULTIPLE a callback may be lost: ompi_request_set_callback() stores the
 * callback and then tests whether the request is complete, while the thread that
 * completes the request tests for a callback and then marks it complete.  When both test
 * first, nobody calls.
 *
 * Where processes may be lost (Open MPI 5 with `mpirun --with-ft ulfm`) Open MPI looks
 * after a message while somebody waits for it, and nobody waits for mtree's.  So mtree
 * gives up those whose communicator has lost a process or was revoked; those between
 * living processes, too, which may wait for what the lost one was to send on.
 *
 * Over two PMLs no message may be begun in a callback (docs/openmpi.md).  Over cm it may
 * call Open MPI's progress, when the network has no room, within the progress that called
 * it, and the mtl ofi of 4.1 then loses completions or reports them twice.  Over ucx it
 * may overtake messages to the same peer that UCX's shared memory had no room for.
 */
static struct {
    bool is_open;
    opal_mutex_t lock;     /* of the list */
    mtree_list_t list;     /* as they were added */
    opal_mutex_t handling; /* messages are given up or completions handled, which may call
                              the poller again */
} polled = {.lock = OPAL_MUTEX_STATIC_INIT,
            .list = {&polled.list, &polled.list},
            .handling = OPAL_MUTEX_STATIC_INIT};

/* Has Open MPI's tcp transport several connections to each peer, on which
 * acknowledgements may be lost? */
static bool tcp_loses_matches(void)
{
    const unsigned *links = coll_mtree_params_btl("tcp", "links");

    return coll_mtree_loses_matches() && links != NULL && *links > 1;
}

/* Bytes of the longest message that @a btl sends at once, without an acknowledgement. */
static uint32_t most_at_once(const char *btl)
{
    const size_t *limit = coll_mtree_params_btl(btl, "eager_limit");

    if (limit == NULL || *limit > COLL_MTREE_ANY_LENGTH) {
        return COLL_MTREE_ANY_LENGTH;
    }
    return (uint32_t)(*limit < OB1_HEADER_BYTES + LEAST_LIMIT
                          ? LEAST_LIMIT
                          : *limit - OB1_HEADER_BYTES);
}

uint32_t coll_mtree_transport_longest(void)
{
    uint32_t over_tcp = tcp_loses_matches() ? most_at_once("tcp") : COLL_MTREE_ANY_LENGTH;
    uint32_t over_sm =
        coll_mtree_long_is_turned_away() ? most_at_once("sm") : COLL_MTREE_ANY_LENGTH;

    return over_tcp < over_sm ? over_tcp : over_sm;
}

/* Keep the first error: later ones follow from it. */
static mtree_status_t transport_fail(coll_mtree_transport_t *transport, int code)
{
    int none = OMPI_SUCCESS;

    if (atomic_compare_exchange_strong(&transport->error, &none, code)) {
        transport->super.ends_all = coll_mtree_is_loss(code);
    }
    return MTREE_ERR_TRANSPORT;
}

/* Open MPI's code of a complete @a request.  One that was given up because a process was
 * lost is canceled and has that code. */
static int request_code(const ompi_request_t *request)
{
    int code = request->req_status.MPI_ERROR;

    return code == MPI_SUCCESS && request->req_status._cancelled ? MPI_ERR_REQUEST : code;
}

/* The @a request of @a done is complete: free it and hand the completion on. */
static void request_handle(coll_mtree_transport_t *transport, ompi_request_t *request,
                           mtree_completion_t *done)
{
    int code = request_code(request);
    mtree_status_t status =
        code == MPI_SUCCESS ? MTREE_OK : transport_fail(transport, code);

    done->message = NULL;
    request->req_free(&request);
    done->func(done, status);
}

/* The request's callback, from the PML's progress, or at once when it is complete by now.
 */
static int request_complete(ompi_request_t *request)
{
    mtree_completion_t *done = (mtree_completion_t *)request->req_complete_cb_data;

    /* Open MPI's ucx uses requests again as they are, and takes this for its own. */
    request->req_complete_cb_data = NULL;
    request_handle((coll_mtree_transport_t *)done->transport, request, done);
    /* Tells Open MPI that the request is gone. */
    return 1;
}

static void poll_add(mtree_completion_t *done)
{
    opal_mutex_lock(&polled.lock);
    mtree_list_append(&polled.list, &done->link);
    opal_mutex_unlock(&polled.lock);
}

static bool is_complete(const mtree_completion_t *done)
{
    return REQUEST_COMPLETE((ompi_request_t *)done->message);
}

static bool is_lost(const mtree_completion_t *done)
{
    return !is_complete(done) &&
           coll_mtree_loss_of(((coll_mtree_transport_t *)done->transport)->comm) !=
               OMPI_SUCCESS;
}

/* Under the lock: move the messages to @a taken that @a are_meant. */
static void take(bool (*are_meant)(const mtree_completion_t *done), mtree_list_t *taken)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &polled.list)
    {
        if (are_meant(MTREE_CONTAINER_OF(link, mtree_completion_t, link))) {
            mtree_list_remove(link);
            mtree_list_append(taken, link);
        }
    }
}

/* Handle the messages that are complete, and give up those that are lost. */
static int poll_completions(void)
{
    mtree_list_t completed, lost, *link;
    int handled = 0;

    /* The thread that has the lock looks at all of them. */
    if (opal_mutex_trylock(&polled.handling) != 0) {
        return 0;
    }
    mtree_list_init(&completed);
    mtree_list_init(&lost);
    opal_mutex_lock(&polled.lock);
    if (coll_mtree_survives()) {
        take(is_lost, &lost);
    }
    take(is_complete, &completed);
    opal_mutex_unlock(&polled.lock);
    opal_atomic_rmb();
    /* Nobody frees a request that is not polled. */
    while ((link = mtree_list_take(&lost)) != NULL) {
        mtree_completion_t *done = MTREE_CONTAINER_OF(link, mtree_completion_t, link);

        coll_mtree_request_give_up(done->message);
        poll_add(done);
    }
    while ((link = mtree_list_take(&completed)) != NULL) {
        mtree_completion_t *done = MTREE_CONTAINER_OF(link, mtree_completion_t, link);

        request_handle((coll_mtree_transport_t *)done->transport, done->message, done);
        handled++;
    }
    opal_mutex_unlock(&polled.handling);
    return handled;
}

/* Cancel the request of @a done if it is still polled. */
static void poll_cancel(mtree_completion_t *done)
{
    mtree_list_t *link;
    bool is_polled = false;

    opal_mutex_lock(&polled.lock);
    MTREE_LIST_FOR_EACH(link, &polled.list)
    {
        if (link == &done->link) {
            is_polled = true;
            break;
        }
    }
    if (is_polled) {
        mtree_list_remove(&done->link);
    }
    opal_mutex_unlock(&polled.lock);
    /* Without the lock: the mtl ofi calls Open MPI's progress, which may begin messages.
     * Nobody frees a request that is not polled. */
    if (is_polled) {
        (void)ompi_request_cancel(done->message);
        poll_add(done);
    }
}

/* The PML has begun @a request for @a done with code @a rc. */
static mtree_status_t request_track(coll_mtree_transport_t *transport, int rc,
                                    ompi_request_t *request, mtree_completion_t *done)
{
    if (rc != OMPI_SUCCESS) {
        return transport_fail(transport, rc);
    }
    done->transport = &transport->super;
    done->message = request;
    /* All messages that ob1 has sent at once share one request, which takes no callback.
     */
    if (REQUEST_COMPLETE(request)) {
        request_handle(transport, request, done);
    } else if (polled.is_open) {
        poll_add(done);
    } else {
        ompi_request_set_callback(request, request_complete, done);
    }
    return MTREE_OK;
}

/* May a message to @a peer be synchronous? */
static bool may_be_synchronous(const coll_mtree_transport_t *transport, int peer)
{
    return !ob1.is_unmatched &&
           !(ob1.is_used && coll_mtree_loses_acknowledgements(transport->comm, peer));
}

mtree_status_t coll_mtree_pml_send(coll_mtree_transport_t *transport, int peer, int tag,
                                   const void *buffer, size_t count,
                                   ompi_datatype_t *type, bool synchronous,
                                   mtree_completion_t *done)
{
    mca_pml_base_send_mode_t mode = synchronous && may_be_synchronous(transport, peer)
                                        ? MCA_PML_BASE_SEND_SYNCHRONOUS
                                        : MCA_PML_BASE_SEND_STANDARD;
    ompi_request_t *request;
    int rc =
        MCA_PML_CALL(isend((void *)buffer, count, type, peer, transport->first_tag - tag,
                           mode, transport->comm, &request));

    if (count > 0 && transport->count_sent != NULL) {
        transport->count_sent(count * type->super.size);
    }
    return request_track(transport, rc, request, done);
}

mtree_status_t coll_mtree_pml_recv(coll_mtree_transport_t *transport, int peer, int tag,
                                   void *buffer, size_t count, ompi_datatype_t *type,
                                   mtree_completion_t *done)
{
    ompi_request_t *request;
    int rc = MCA_PML_CALL(irecv(buffer, count, type, peer, transport->first_tag - tag,
                                transport->comm, &request));

    return request_track(transport, rc, request, done);
}

static mtree_status_t transport_send(mtree_transport_t *super, int peer, int tag,
                                     const void *buffer, size_t count, bool synchronous,
                                     mtree_completion_t *done)
{
    coll_mtree_transport_t *transport = (coll_mtree_transport_t *)super;

    return coll_mtree_pml_send(transport, peer, tag, buffer, count, transport->unit,
                               synchronous, done);
}

static mtree_status_t transport_recv(mtree_transport_t *super, int peer, int tag,
                                     void *buffer, size_t count, mtree_completion_t *done)
{
    coll_mtree_transport_t *transport = (coll_mtree_transport_t *)super;

    return coll_mtree_pml_recv(transport, peer, tag, buffer, count, transport->unit,
                               done);
}

void coll_mtree_transport_cancel(mtree_completion_t *done)
{
    if (polled.is_open) {
        poll_cancel(done);
    } else if (done->message != NULL) {
        /* No other thread is in MPI.  Without a request only the handling is due. */
        (void)ompi_request_cancel(done->message);
    }
}

int coll_mtree_transport_code(coll_mtree_transport_t *transport, mtree_status_t status)
{
    int code = atomic_load(&transport->error);

    mtree_require(status == MTREE_ERR_NO_MEMORY ? status : MTREE_OK);
    return status == MTREE_OK            ? OMPI_SUCCESS
           : status == MTREE_ERR_INVALID ? MPI_ERR_TRUNCATE
           : code != OMPI_SUCCESS        ? code
                                         : OMPI_ERROR;
}

static double transport_now(mtree_transport_t *super)
{
    (void)super;
    return mtree_clock_seconds();
}

static const mtree_transport_ops_t pml_ops = {
    .send = transport_send, .recv = transport_recv, .now = transport_now};

void coll_mtree_transport_open(bool threads)
{
    const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;

    ob1.is_used = strcmp(pml, "ob1") == 0;
    ob1.is_unmatched = ob1.is_used && tcp_loses_matches();
    polled.is_open = strcmp(pml, "cm") == 0 || strcmp(pml, "ucx") == 0 || threads ||
                     coll_mtree_survives();
    if (polled.is_open) {
        coll_mtree_progress_add(poll_completions);
    }
}

void coll_mtree_transport_close(void)
{
    coll_mtree_progress_remove(poll_completions);
    polled.is_open = false;
}

void coll_mtree_transport_init(coll_mtree_transport_t *transport,
                               ompi_communicator_t *comm, ompi_datatype_t *unit,
                               int first_tag)
{
    transport->super = (mtree_transport_t){.ops = &pml_ops};
    transport->comm = comm;
    transport->unit = unit;
    ompi_datatype_type_size(unit, &transport->unit_bytes);
    transport->first_tag = first_tag;
    transport->stays_off_pml = false;
    atomic_init(&transport->error, OMPI_SUCCESS);
    transport->tcp = NULL;
    transport->count_sent = coll_mtree_counters_add_chunk;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/transport.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/tcp/endpoints.h"
#include "coll_mtree/transport/packing.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdlib.h>

static coll_mtree_way_t way_to(const coll_mtree_tcp_operation_t *operation,
                               const mtree_peer_t *peer)
{
    coll_mtree_way_t way = {.trip = peer->trip};

    way.cables = mtree_plan_part_cables(
        operation->part, operation->placement->host[peer->rank], &way.num_cables);
    return way;
}

/* Do its messages to @a peer, on the way @a way, go over connections of mtree's own? */
static bool operation_carries(const coll_mtree_tcp_operation_t *operation,
                              const mtree_peer_t *peer, const coll_mtree_way_t *way)
{
    return operation->placement->host[peer->rank] != operation->part->host &&
           (operation->carries_all || way->num_cables > 0);
}

static int compare_ranks(const void *rank, const void *peer)
{
    return *(const int *)rank - ((const mtree_peer_t *)peer)->rank;
}

/* Rank @a rank among the peers of @a operation. */
static const mtree_peer_t *find_peer(const coll_mtree_tcp_operation_t *operation,
                                     int rank)
{
    return bsearch(&rank, operation->peers, (size_t)operation->num_peers,
                   sizeof(operation->peers[0]), compare_ranks);
}

/* A coll_mtree_tcp_lock_t. */
static mtree_tcp_peer_t *lock_rank(coll_mtree_transport_t *transport,
                                   const mtree_peer_t *peer, bool is_known)
{
    const coll_mtree_tcp_operation_t *operation = transport->tcp;
    coll_mtree_way_t way;

    if (is_known) {
        return coll_mtree_endpoint_lock(transport->comm, peer->rank, NULL);
    }
    way = way_to(operation, peer);
    return operation_carries(operation, peer, &way)
               ? coll_mtree_endpoint_lock(transport->comm, peer->rank, &way)
               : NULL;
}

/* Lock the session with rank @a rank; NULL: there is none. */
static mtree_tcp_session_t *lock_session(coll_mtree_transport_t *transport, int rank)
{
    const coll_mtree_tcp_operation_t *operation = transport->tcp;
    const mtree_peer_t *peer = find_peer(operation, rank);
    mtree_tcp_peer_t *endpoint = operation->lock(transport, peer, false);

    return endpoint == NULL ? NULL
                            : mtree_tcp_session_begin(endpoint, &operation->key, rank,
                                                      peer->rate, transport);
}

/* A message of units with gaps, which connections of mtree's own carry without these. */
typedef struct {
    mtree_completion_t super;
    mtree_completion_t *done;       /* the caller's */
    coll_mtree_elements_t elements; /* of a receive; of a send none */
    char bytes[];
} packed_t;

/* Are units of @a type bytes without gaps, of which the first is at their address? */
static bool is_gapless(const ompi_datatype_t *type)
{
    ptrdiff_t lower, true_extent, extent;
    size_t size;

    ompi_datatype_type_size(type, &size);
    ompi_datatype_type_extent(type, &extent);
    ompi_datatype_get_true_extent(type, &lower, &true_extent);
    return lower == 0 && extent == (ptrdiff_t)size && true_extent == extent &&
           opal_datatype_is_contiguous_memory_layout(&type->super, 2);
}

static void packed_ended(mtree_completion_t *super, mtree_status_t status)
{
    packed_t *packed = (packed_t *)super;
    mtree_completion_t *done = packed->done;

    if (status == MTREE_OK && packed->elements.count > 0) {
        coll_mtree_unpack(&packed->elements, 0, packed->bytes,
                          coll_mtree_elements_bytes(&packed->elements));
    }
    free(packed);
    done->func(done, status);
}

/* What ends a message of @a elements, of one byte at least, instead of @a done, which it
 * then calls; *bytes_p are sent or received. */
static packed_t *pack(const coll_mtree_elements_t *elements, bool sends,
                      mtree_completion_t *done, void **bytes_p)
{
    size_t bytes = coll_mtree_elements_bytes(elements);
    packed_t *packed = mtree_malloc(sizeof(*packed) + bytes);

    *packed = (packed_t){.super.func = packed_ended, .done = done};
    if (sends) {
        coll_mtree_pack(elements, 0, packed->bytes, bytes);
    } else {
        packed->elements = *elements;
    }
    *bytes_p = packed->bytes;
    return packed;
}

/* Send or receive @a count units over a connection of mtree's own, or the PML. */
static inline mtree_status_t pass(coll_mtree_transport_t *transport, bool sends, int peer,
                                  int tag, void *buffer, size_t count, bool synchronous,
                                  mtree_completion_t *done)
{
    const coll_mtree_elements_t elements = {buffer, count, transport->unit};
    mtree_tcp_session_t *session = lock_session(transport, peer);
    size_t bytes = count * transport->unit_bytes;
    packed_t *packed = NULL;
    mtree_status_t status;

    if (session == NULL) {
        return transport->stays_off_pml ? MTREE_ERR_TRANSPORT
               : sends ? coll_mtree_pml_send(transport, peer, tag, buffer, count,
                                             transport->unit, synchronous, done)
                       : coll_mtree_pml_recv(transport, peer, tag, buffer, count,
                                             transport->unit, done);
    }
    if (transport->tcp->has_gaps && count > 0) {
        packed = pack(&elements, sends, done, &buffer);
        done = &packed->super;
    }
    status =
        sends ? mtree_tcp_send(session, (uint32_t)tag, buffer, bytes, synchronous, done)
              : mtree_tcp_recv(session, (uint32_t)tag, buffer, bytes, done);
    if (status != MTREE_OK) {
        free(packed);
    }
    coll_mtree_endpoint_unlock();
    if (sends && count > 0 && transport->count_sent != NULL) {
        transport->count_sent(bytes);
    }
    return status;
}

static mtree_status_t tcp_send(mtree_transport_t *super, int peer, int tag,
                               const void *buffer, size_t count, bool synchronous,
                               mtree_completion_t *done)
{
    return pass((coll_mtree_transport_t *)super, true, peer, tag, (void *)buffer, count,
                synchronous, done);
}

static mtree_status_t tcp_recv(mtree_transport_t *super, int peer, int tag, void *buffer,
                               size_t count, mtree_completion_t *done)
{
    return pass((coll_mtree_transport_t *)super, false, peer, tag, buffer, count, false,
                done);
}

static double tcp_now(mtree_transport_t *super)
{
    (void)super;
    return mtree_clock_seconds();
}

static bool tcp_is_full(mtree_transport_t *super, int peer)
{
    coll_mtree_transport_t *transport = (coll_mtree_transport_t *)super;
    const coll_mtree_tcp_operation_t *operation = transport->tcp;
    mtree_tcp_peer_t *endpoint =
        operation->lock(transport, find_peer(operation, peer), true);
    bool is_full = endpoint == NULL || mtree_tcp_peer_is_full(endpoint);

    if (endpoint != NULL) {
        coll_mtree_endpoint_unlock();
    }
    return is_full;
}

static const mtree_transport_ops_t tcp_ops = {
    .send = tcp_send, .recv = tcp_recv, .now = tcp_now, .is_full = tcp_is_full};

/* A mtree_tcp_reroute_t: a message that has waited goes over the PML.  Units with gaps
 * have been packed. */
static void reroute(void *owner, int rank, bool sends, uint32_t tag, void *bytes,
                    size_t length, mtree_completion_t *done)
{
    coll_mtree_transport_t *transport = owner;
    const bool is_packed = transport->tcp->has_gaps;
    ompi_datatype_t *type = is_packed ? MPI_BYTE : transport->unit;
    size_t count = is_packed ? length : length / transport->unit_bytes;
    mtree_status_t status = transport->stays_off_pml ? MTREE_ERR_TRANSPORT
                            : sends ? coll_mtree_pml_send(transport, rank, (int)tag,
                                                          bytes, count, type, true, done)
                                    : coll_mtree_pml_recv(transport, rank, (int)tag,
                                                          bytes, count, type, done);

    if (status != MTREE_OK) {
        done->func(done, status);
    }
}

void coll_mtree_tcp_open(bool with_relays)
{
    coll_mtree_endpoints_open(reroute, with_relays ? 1 : 0);
}

double coll_mtree_tcp_recovery(ompi_communicator_t *comm, const mtree_plan_part_t *part)
{
    return coll_mtree_endpoints_serve(comm) &&
                   coll_mtree_streams_carry(coll_mtree_endpoints_streams(), part)
               ? MTREE_CALL_RECOVERY
               : 0;
}

bool coll_mtree_tcp_begin(coll_mtree_tcp_operation_t *operation,
                          coll_mtree_transport_t *transport,
                          const mtree_plan_part_t *part, const mtree_peer_t *peers,
                          int num_peers, const mtree_placement_t *placement,
                          uint32_t generation)
{
    const coll_mtree_streams_t *streams = coll_mtree_endpoints_streams();
    const bool has_gaps = !is_gapless(transport->unit);
    const bool carries_all = coll_mtree_streams_carry(streams, part) &&
                             (!has_gaps || coll_mtree_params.encrypt);
    bool is_used = false;

    if ((!carries_all && part->num_cables == 0) ||
        !coll_mtree_endpoints_serve(transport->comm)) {
        return false;
    }
    *operation = (coll_mtree_tcp_operation_t){.lock = lock_rank,
                                              .placement = placement,
                                              .peers = peers,
                                              .num_peers = num_peers,
                                              .part = part,
                                              .carries_all = carries_all,
                                              .has_gaps = has_gaps,
                                              .key = {coll_mtree_cid(transport->comm),
                                                      (uint32_t)-transport->first_tag,
                                                      generation}};
    for (int i = 0; i < num_peers && !is_used; i++) {
        const coll_mtree_way_t way = way_to(operation, &peers[i]);

        is_used = operation_carries(operation, &peers[i], &way);
    }
    if (is_used) {
        transport->super.ops = &tcp_ops;
        transport->tcp = operation;
        coll_mtree_endpoints_count(1);
    }
    return is_used;
}

void coll_mtree_tcp_begin_off_pml(coll_mtree_tcp_operation_t *operation,
                                  coll_mtree_transport_t *transport,
                                  const mtree_peer_t *peers, int num_peers,
                                  mtree_tcp_key_t key, coll_mtree_tcp_lock_t lock)
{
    *operation = (coll_mtree_tcp_operation_t){
        .lock = lock, .peers = peers, .num_peers = num_peers, .key = key};
    transport->super = (mtree_transport_t){.ops = &tcp_ops, .ends_all = true};
    transport->stays_off_pml = true;
    transport->tcp = operation;
    coll_mtree_endpoints_count(1);
}

static void end_sessions(coll_mtree_transport_t *transport, bool is_failed)
{
    const coll_mtree_tcp_operation_t *operation = transport->tcp;

    for (int i = 0; i < operation->num_peers; i++) {
        mtree_tcp_peer_t *peer = operation->lock(transport, &operation->peers[i], true);

        if (peer != NULL) {
            mtree_tcp_session_end(peer, &operation->key, is_failed);
            coll_mtree_endpoint_unlock();
        }
    }
}

void coll_mtree_tcp_abandon(coll_mtree_transport_t *transport)
{
    end_sessions(transport, true);
}

void coll_mtree_tcp_end(coll_mtree_transport_t *transport, mtree_status_t status)
{
    end_sessions(transport, status != MTREE_OK);
    coll_mtree_endpoints_count(-1);
}

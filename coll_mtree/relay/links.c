/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/links.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/tcp/endpoints.h"
#include "coll_mtree/tcp/sockets.h"

#include "base/clock.h"
#include "base/log.h"
#include "relay/call.h"
#include "relay/dialer.h"

#include <stdlib.h>
#include <string.h>

/* Seconds that a relay has to answer. */
#define DIAL_SECONDS 4.0

typedef struct {
    mtree_list_t link;
    mtree_relay_job_id_t job;
    uint32_t number;
    mtree_tcp_peer_t *peer;
    mtree_relay_dialer_t *dialer; /* NULL: it stands, or will not */
    bool is_unreached;            /* it will not */
} link_t;

/* Under the lock of coll_mtree/tcp/endpoints.h; zeros are the initial value. */
static struct {
    mtree_list_t list;
    int num_dialing;
} relay_links;

static link_t *link_find(const mtree_relay_job_id_t *job, uint32_t number)
{
    mtree_list_t *at;

    if (relay_links.list.next == NULL) {
        mtree_list_init(&relay_links.list);
    }
    MTREE_LIST_FOR_EACH(at, &relay_links.list)
    {
        link_t *link = MTREE_CONTAINER_OF(at, link_t, link);

        if (link->number == number && memcmp(&link->job, job, sizeof(*job)) == 0) {
            return link;
        }
    }
    return NULL;
}

/* The link to relay @a i of @a relayed, dialed if it is new. */
static link_t *link_get(mtree_tcp_t *tcp, const coll_mtree_relayed_t *relayed, int i)
{
    const coll_mtree_relay_contact_t *contact = &relayed->contact;
    const mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_DATA,
                                       .number = (uint32_t)coll_mtree_world_rank(),
                                       .is_encrypted = coll_mtree_params_encrypt(),
                                       .job = contact->job};
    link_t *link = link_find(&contact->job, contact->numbers[i]);
    char name[64];

    if (link != NULL) {
        return link;
    }
    link = coll_mtree_calloc(1, sizeof(*link));
    (void)snprintf(name, sizeof(name), "relay %.50s", relayed->plan->relays[i]);
    link->job = contact->job;
    link->number = contact->numbers[i];
    link->peer = mtree_tcp_peer_create(tcp, name);
    link->dialer =
        mtree_relay_dialer_create(relayed->plan->relays[i], &hello, &contact->key,
                                  mtree_clock_seconds(), DIAL_SECONDS);
    coll_mtree_require(link->peer == NULL || link->dialer == NULL ? MTREE_ERR_NO_MEMORY
                                                                  : MTREE_OK);
    mtree_tcp_peer_watch(link->peer, MTREE_RELAY_SILENCE);
    relay_links.num_dialing++;
    mtree_list_append(&relay_links.list, &link->link);
    return link;
}

static void link_poll(link_t *link)
{
    int answer = link->dialer == NULL
                     ? 0
                     : mtree_relay_dialer_poll(link->dialer, mtree_clock_seconds());
    mtree_relay_welcome_t welcome;

    if (answer > 0) {
        int socket = mtree_relay_dialer_take(link->dialer, &welcome);

        coll_mtree_socket_tune(socket);
        (void)mtree_tcp_peer_connect(link->peer, &socket,
                                     mtree_relay_dialer_keys(link->dialer), 1,
                                     MTREE_TCP_TUNING_NONE);
    } else if (answer < 0) {
        mtree_tcp_peer_fail(link->peer, MTREE_ERR_TRANSPORT,
                            mtree_relay_dialer_reason(link->dialer));
        link->is_unreached = true;
    }
    if (answer != 0) {
        mtree_relay_dialer_destroy(link->dialer);
        link->dialer = NULL;
        relay_links.num_dialing--;
    }
}

void coll_mtree_relay_links_poll(void)
{
    mtree_list_t *at;

    if (relay_links.num_dialing == 0) {
        return;
    }
    (void)coll_mtree_endpoints_lock();
    MTREE_LIST_FOR_EACH(at, &relay_links.list)
    {
        link_poll(MTREE_CONTAINER_OF(at, link_t, link));
    }
    coll_mtree_endpoint_unlock();
}

int coll_mtree_relay_links_unreached(const coll_mtree_relayed_t *relayed)
{
    int found = -1;

    (void)coll_mtree_endpoints_lock();
    for (int i = 0; i < relayed->contact.num_relays && found < 0; i++) {
        const link_t *link =
            link_find(&relayed->contact.job, relayed->contact.numbers[i]);

        found = link != NULL && link->is_unreached ? i : -1;
    }
    coll_mtree_endpoint_unlock();
    return found;
}

/* Lock the connections to @a rank, a rank or a relay; NULL: there are none, and nothing
 * is locked. */
static mtree_tcp_peer_t *lock_peer(coll_mtree_relay_transport_t *transport, int rank)
{
    int relay = rank - transport->relayed->placement->num_ranks;

    return relay < 0
               ? coll_mtree_endpoint_lock(transport->super.comm, rank,
                                          (coll_mtree_way_t){.trip = 0})
               : link_get(coll_mtree_endpoints_lock(), transport->relayed, relay)->peer;
}

/* The same, if there are some by now. */
static mtree_tcp_peer_t *lock_known(coll_mtree_relay_transport_t *transport, int rank)
{
    return rank < transport->relayed->placement->num_ranks
               ? coll_mtree_endpoint_lock_known(transport->super.comm, rank)
               : lock_peer(transport, rank);
}

static double planned_rate(const mtree_layout_t *layout, int rank)
{
    double rate = 0;

    for (int i = 0; i < layout->num_peers; i++) {
        rate = layout->peers[i].rank == rank ? layout->peers[i].rate : rate;
    }
    return rate;
}

/* Lock the session with @a rank; NULL: there is none, and nothing is locked. */
static mtree_tcp_session_t *lock_session(coll_mtree_relay_transport_t *transport,
                                         int rank)
{
    mtree_tcp_peer_t *peer = transport->is_abandoned ? NULL : lock_peer(transport, rank);
    mtree_tcp_session_t *session;

    if (peer == NULL) {
        return NULL;
    }
    session = mtree_tcp_session_begin(peer, &transport->key, rank,
                                      planned_rate(transport->layout, rank), transport);
    coll_mtree_require(session == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    return session;
}

static mtree_status_t relay_send(mtree_transport_t *super, int peer, int tag,
                                 const void *buffer, size_t count, bool synchronous,
                                 mtree_completion_t *done)
{
    coll_mtree_relay_transport_t *transport = (coll_mtree_relay_transport_t *)super;
    size_t bytes = count * transport->super.unit_bytes;
    mtree_tcp_session_t *session = lock_session(transport, peer);
    mtree_status_t status = MTREE_ERR_TRANSPORT;

    if (session != NULL) {
        status = mtree_tcp_send(session, (uint32_t)tag, buffer, bytes, synchronous, done);
        coll_mtree_endpoint_unlock();
    }
    if (count > 0 && transport->super.count_sent != NULL) {
        transport->super.count_sent(bytes);
    }
    return status;
}

static mtree_status_t relay_recv(mtree_transport_t *super, int peer, int tag,
                                 void *buffer, size_t count, mtree_completion_t *done)
{
    coll_mtree_relay_transport_t *transport = (coll_mtree_relay_transport_t *)super;
    mtree_tcp_session_t *session = lock_session(transport, peer);
    mtree_status_t status = MTREE_ERR_TRANSPORT;

    if (session != NULL) {
        status = mtree_tcp_recv(session, (uint32_t)tag, buffer,
                                count * transport->super.unit_bytes, done);
        coll_mtree_endpoint_unlock();
    }
    return status;
}

static double relay_now(mtree_transport_t *super)
{
    (void)super;
    return mtree_clock_seconds();
}

void coll_mtree_relay_transport_init(coll_mtree_relay_transport_t *transport,
                                     ompi_communicator_t *comm, ompi_datatype_t *unit,
                                     const coll_mtree_relayed_t *relayed,
                                     const mtree_layout_t *layout,
                                     const mtree_relay_start_t *start)
{
    static const mtree_transport_ops_t ops = {
        .send = relay_send, .recv = relay_recv, .now = relay_now};

    coll_mtree_transport_init(&transport->super, comm, unit, 0);
    transport->super.super = (mtree_transport_t){.ops = &ops, .ends_all = true};
    transport->super.stays_off_pml = true;
    transport->relayed = relayed;
    transport->layout = layout;
    transport->key = mtree_relay_call_key(start);
    transport->is_abandoned = false;
    coll_mtree_endpoints_count(1);
}

static void end_sessions(coll_mtree_relay_transport_t *transport, bool is_failed)
{
    for (int i = 0; i < transport->layout->num_peers; i++) {
        mtree_tcp_peer_t *peer = lock_known(transport, transport->layout->peers[i].rank);
        mtree_tcp_session_t *session =
            peer == NULL ? NULL : mtree_tcp_session_find(peer, &transport->key);

        if (session != NULL && is_failed) {
            mtree_tcp_session_abandon(session);
        } else if (session != NULL) {
            mtree_tcp_session_end(session);
        }
        if (peer != NULL) {
            coll_mtree_endpoint_unlock();
        }
    }
}

void coll_mtree_relay_transport_abandon(coll_mtree_relay_transport_t *transport)
{
    if (!transport->is_abandoned) {
        transport->is_abandoned = true;
        end_sessions(transport, true);
    }
}

void coll_mtree_relay_transport_end(coll_mtree_relay_transport_t *transport)
{
    if (!transport->is_abandoned) {
        end_sessions(transport, false);
    }
    coll_mtree_endpoints_count(-1);
}

/* The peers go with the endpoints. */
void coll_mtree_relay_links_close(void)
{
    mtree_list_t *at;

    while (relay_links.list.next != NULL &&
           (at = mtree_list_take(&relay_links.list)) != NULL) {
        link_t *link = MTREE_CONTAINER_OF(at, link_t, link);

        mtree_relay_dialer_destroy(link->dialer);
        free(link);
    }
    relay_links.num_dialing = 0;
}

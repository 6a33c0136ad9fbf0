/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/links.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/tcp/endpoints.h"
#include "coll_mtree/tcp/sockets.h"

#include "base/clock.h"
#include "base/memory.h"
#include "relay/call.h"
#include "relay/dialer.h"
#include "tcp/socket.h"

#include <stdlib.h>
#include <string.h>

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
    const coll_mtree_relay_pass_t *pass = &relayed->pass;
    const uint32_t number = mtree_relay_plan_number(relayed->plan, i);
    const char *address = relayed->plan->plan->relays[i];
    const mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_DATA,
                                       .number = (uint32_t)coll_mtree_world_rank(),
                                       .is_encrypted = coll_mtree_params.encrypt,
                                       .job = pass->job};
    link_t *link = link_find(&pass->job, number);
    char name[64];

    if (link != NULL) {
        return link;
    }
    link = mtree_calloc(1, sizeof(*link));
    (void)snprintf(name, sizeof(name), "relay %.50s", address);
    link->job = pass->job;
    link->number = number;
    link->peer = mtree_tcp_peer_create(tcp, name);
    link->dialer = mtree_relay_dialer_create(
        address, &hello, &pass->key, mtree_clock_seconds(), MTREE_RELAY_DIAL_SECONDS);
    mtree_require(link->peer == NULL || link->dialer == NULL ? MTREE_ERR_NO_MEMORY
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

        (void)mtree_tcp_socket_tune(socket, coll_mtree_congestion_of_sockets());
        (void)mtree_tcp_peer_connect(link->peer, &socket,
                                     mtree_relay_dialer_key(link->dialer), 1,
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
    for (int i = 0; i < relayed->plan->placement->num_relays && found < 0; i++) {
        const link_t *link =
            link_find(&relayed->pass.job, mtree_relay_plan_number(relayed->plan, i));

        found = link != NULL && link->is_unreached ? i : -1;
    }
    coll_mtree_endpoint_unlock();
    return found;
}

/* A coll_mtree_tcp_lock_t, of a rank or a relay. */
static mtree_tcp_peer_t *lock_peer(coll_mtree_transport_t *super,
                                   const mtree_peer_t *peer, bool is_known)
{
    coll_mtree_relay_transport_t *transport = (coll_mtree_relay_transport_t *)super;
    int relay = peer->rank - transport->relayed->plan->placement->num_ranks;

    if (transport->is_abandoned && !is_known) {
        return NULL;
    }
    return relay >= 0
               ? link_get(coll_mtree_endpoints_lock(), transport->relayed, relay)->peer
           : is_known ? coll_mtree_endpoint_lock_known(super->comm, peer->rank)
                      : coll_mtree_endpoint_lock(super->comm, peer->rank,
                                                 (coll_mtree_way_t){.trip = 0});
}

void coll_mtree_relay_transport_init(coll_mtree_relay_transport_t *transport,
                                     ompi_communicator_t *comm, ompi_datatype_t *unit,
                                     const coll_mtree_relayed_t *relayed,
                                     const mtree_layout_t *layout,
                                     const mtree_relay_start_t *start)
{
    coll_mtree_transport_init(&transport->super, comm, unit, 0);
    transport->relayed = relayed;
    transport->is_abandoned = false;
    coll_mtree_tcp_begin_off_pml(&transport->tcp, &transport->super, layout->peers,
                                 layout->num_peers, mtree_relay_call_key(start),
                                 lock_peer);
}

void coll_mtree_relay_transport_abandon(coll_mtree_relay_transport_t *transport)
{
    if (!transport->is_abandoned) {
        transport->is_abandoned = true;
        coll_mtree_tcp_abandon(&transport->super);
    }
}

void coll_mtree_relay_transport_end(coll_mtree_relay_transport_t *transport)
{
    if (transport->is_abandoned) {
        coll_mtree_endpoints_count(-1);
    } else {
        coll_mtree_tcp_end(&transport->super, MTREE_OK);
    }
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

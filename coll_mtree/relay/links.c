/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/links.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/tcp/endpoints.h"
#include "coll_mtree/tcp/sockets.h"

#include "base/clock.h"
#include "base/memory.h"
#include "relay/call.h"
#include "relay/peers.h"

#include <stdlib.h>
#include <string.h>

/* The relays of a job. */
typedef struct links {
    struct links *next;
    mtree_relay_traffic_t traffic;
    mtree_relay_peers_t peers;
} links_t;

/* Under the lock of coll_mtree/tcp/endpoints.h. */
static links_t *jobs;

/* NULL: this process has dialed none of the job of @a relay_plan. */
static links_t *links_find(const coll_mtree_relay_plan_t *relay_plan)
{
    const mtree_relay_job_id_t *job = &relay_plan->pass.job;
    links_t *links = jobs;

    while (links != NULL && memcmp(&links->peers.hello.job, job, sizeof(*job)) != 0) {
        links = links->next;
    }
    return links;
}

/* The connections to relay @a i of @a relay_plan, dialed if they are new. */
static mtree_tcp_peer_t *link_get(mtree_tcp_t *tcp,
                                  const coll_mtree_relay_plan_t *relay_plan, int i)
{
    const mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_DATA,
                                       .number = (uint32_t)coll_mtree_world_rank(),
                                       .is_encrypted = coll_mtree_params.encrypt,
                                       .job = relay_plan->pass.job};
    links_t *links = links_find(relay_plan);

    if (links == NULL) {
        links = mtree_calloc(1, sizeof(*links));
        links->traffic.congestion = coll_mtree_congestion_of_sockets();
        mtree_relay_peers_init(&links->peers, tcp, &hello, &relay_plan->pass.key,
                               &links->traffic, 0);
        links->next = jobs;
        jobs = links;
    }
    return mtree_relay_peers_dial(&links->peers,
                                  mtree_relay_plan_number(relay_plan->plan, i),
                                  relay_plan->plan->addresses[i], mtree_clock_seconds());
}

void coll_mtree_relay_links_poll(const coll_mtree_relay_plan_t *relay_plan)
{
    links_t *links;

    (void)coll_mtree_endpoints_lock();
    links = links_find(relay_plan);
    if (links != NULL) {
        mtree_relay_peers_poll(&links->peers, NULL, NULL, mtree_clock_seconds());
    }
    coll_mtree_endpoint_unlock();
}

int coll_mtree_relay_links_unreached(const coll_mtree_relay_plan_t *relay_plan)
{
    const links_t *links;
    int found = -1;

    (void)coll_mtree_endpoints_lock();
    links = links_find(relay_plan);
    for (int i = 0;
         links != NULL && i < relay_plan->plan->placement->num_relays && found < 0; i++) {
        found = mtree_relay_peers_is_unreached(
                    &links->peers, mtree_relay_plan_number(relay_plan->plan, i))
                    ? i
                    : -1;
    }
    coll_mtree_endpoint_unlock();
    return found;
}

/* A coll_mtree_tcp_lock_t, of a rank or a relay. */
static mtree_tcp_peer_t *lock_peer(coll_mtree_transport_t *super,
                                   const mtree_peer_t *peer, bool is_known)
{
    static const coll_mtree_way_t any_way = {.trip = 0};
    coll_mtree_relay_transport_t *transport = (coll_mtree_relay_transport_t *)super;
    int relay = peer->rank - transport->relay_plan->plan->placement->num_ranks;

    if (transport->is_abandoned && !is_known) {
        return NULL;
    }
    return relay >= 0
               ? link_get(coll_mtree_endpoints_lock(), transport->relay_plan, relay)
               : coll_mtree_endpoint_lock(super->comm, peer->rank,
                                          is_known ? NULL : &any_way);
}

void coll_mtree_relay_transport_init(coll_mtree_relay_transport_t *transport,
                                     ompi_communicator_t *comm, ompi_datatype_t *unit,
                                     const coll_mtree_relay_plan_t *relay_plan,
                                     const mtree_layout_t *layout,
                                     const mtree_relay_start_t *start)
{
    coll_mtree_transport_init(&transport->super, comm, unit, 0);
    transport->relay_plan = relay_plan;
    transport->is_abandoned = false;
    coll_mtree_tcp_begin_off_pml(&transport->tcp, &transport->super, layout->peers,
                                 layout->num_peers, mtree_relay_call_key(start),
                                 lock_peer);
}

void coll_mtree_relay_transport_abandon(coll_mtree_relay_transport_t *transport)
{
    transport->is_abandoned = true;
    coll_mtree_tcp_abandon(&transport->super);
}

void coll_mtree_relay_transport_end(coll_mtree_relay_transport_t *transport)
{
    if (transport->is_abandoned) {
        coll_mtree_endpoints_count(-1);
    } else {
        coll_mtree_tcp_end(&transport->super, MTREE_OK);
    }
}

void coll_mtree_relay_links_close(void)
{
    while (jobs != NULL) {
        links_t *links = jobs;

        jobs = links->next;
        mtree_relay_peers_cleanup(&links->peers);
        free(links);
    }
}

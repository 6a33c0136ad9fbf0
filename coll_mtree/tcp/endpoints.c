/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/endpoints.h"

#include "coll_mtree/base/call_clock.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/tcp/contact.h"
#include "coll_mtree/tcp/handshake.h"
#include "coll_mtree/tcp/sockets.h"
#include "coll_mtree/transport/progress.h"

#include "base/clock.h"

#include <stdatomic.h>
#include <stdlib.h>

/* Seconds between two looks at processes that are not connected yet. */
#define LOOK 0.0005

/* Seconds that mpirun has to say that a process has ended, before calls with it fail. */
#define GRACE 1

/* Seconds between two looks at the listener while all processes are connected. */
#define LISTEN 0.02

/* Seconds in which the kernel of a peer says nothing until its connections are lost, and
 * are made again.  The own kernel asks it four times in them, so that firewalls and NAT
 * know of those that are idle. */
#define SILENCE 15

/* Polls between two looks at the sockets while no operation uses them. */
#define IDLE_POLLS 64

typedef struct {
    mtree_hash_link_t link;
    int rank;                          /* in MPI_COMM_WORLD */
    mtree_tcp_peer_t *peer;            /* NULL: messages go over the PML */
    coll_mtree_handshake_t *handshake; /* NULL: nothing more is to be said */
    bool is_decided;                   /* how messages go */
    int num_cables;                    /* that its connections take */
} endpoint_t;

static bool is_open;
static coll_mtree_streams_t streams;
static int num_connections; /* to each process, as many as are used or may be open */
static mtree_tcp_reroute_t reroute_message;
static atomic_int operations;

/*
 * Guards what follows.  What holds it may begin messages of the PML, which may run
 * callbacks, and these this unit.
 */
static opal_recursive_mutex_t lock;
static mtree_tcp_t *tcp; /* NULL: there is no endpoint yet */
static mtree_hash_table_t endpoints;
static int num_undecided, num_handshakes;
static double last_look, last_listen;
static bool is_looking; /* at processes that are not connected yet */

static bool endpoint_equals(const mtree_hash_link_t *link, const void *key)
{
    return MTREE_CONTAINER_OF(link, endpoint_t, link)->rank == *(const int *)key;
}

static uint64_t hash_rank(int rank)
{
    return mtree_hash_bytes(MTREE_HASH_INIT, &rank, sizeof(rank));
}

static endpoint_t *endpoint_find(int rank)
{
    mtree_hash_link_t *link =
        mtree_hash_table_find(&endpoints, hash_rank(rank), endpoint_equals, &rank);

    return link == NULL ? NULL : MTREE_CONTAINER_OF(link, endpoint_t, link);
}

/* Is a connection to the listener one that is awaited, or was lost?  Whoever knows its
 * plan sooner may dial before this process knows of that. */
static mtree_tcp_admission_t admit(void *arg, const mtree_tcp_greeting_t *greeting,
                                   int socket)
{
    endpoint_t *endpoint = endpoint_find((int)greeting->rank);

    (void)arg;
    if (endpoint == NULL) {
        return coll_mtree_contact_is_published() ? MTREE_TCP_UNEXPECTED
                                                 : MTREE_TCP_REFUSED;
    }
    return endpoint->peer == NULL
               ? MTREE_TCP_REFUSED
               : mtree_tcp_peer_admit(endpoint->peer, greeting, socket);
}

void coll_mtree_endpoints_publish(double trip)
{
    coll_mtree_streams_t wanted;

    if (coll_mtree_streams_parse(coll_mtree_params.streams, &wanted) == MTREE_OK &&
        wanted.connections > 0 && !coll_mtree_survives() &&
        coll_mtree_params_topology() != COLL_MTREE_TOPOLOGY_NONE) {
        coll_mtree_contact_publish(admit, trip);
    }
}

static int poll_endpoints(void);

/* From here on; before that the job pays nothing. */
static void begin_to_poll(void)
{
    if (tcp == NULL) {
        coll_mtree_require(mtree_tcp_create(GRACE, &tcp));
        coll_mtree_progress_add(poll_endpoints);
    }
}

/* The connections to a process: each of several cables has one, where the user has not
 * set more. */
static int connections_over(coll_mtree_cables_t cables)
{
    bool suffice = streams.is_auto && cables.count > 1;

    return num_connections > 0 && (suffice || num_connections < cables.count)
               ? cables.count
               : num_connections;
}

/* What the user has not set follows from what the kernel says.  Of several cables each
 * takes what it can. */
static mtree_tcp_tuning_t tuning(coll_mtree_cables_t cables)
{
    return !streams.is_auto || cables.count > 1      ? MTREE_TCP_TUNING_NONE
           : coll_mtree_congestion_control() == NULL ? MTREE_TCP_TUNING_CONTROL
                                                     : MTREE_TCP_TUNING_WIDTH;
}

/* A handshake may not begin again, since the other end does not. */
static endpoint_t *endpoint_create(int rank, coll_mtree_way_t way)
{
    endpoint_t *endpoint = coll_mtree_calloc(1, sizeof(*endpoint));
    char name[32];

    begin_to_poll();
    coll_mtree_require(
        mtree_hash_table_add(&endpoints, &endpoint->link, hash_rank(rank)));
    (void)snprintf(name, sizeof(name), "rank %d", rank);
    endpoint->rank = rank;
    endpoint->num_cables = way.cables.count;
    endpoint->peer = mtree_tcp_peer_create(tcp, name);
    coll_mtree_require(endpoint->peer == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK);
    mtree_tcp_peer_watch(endpoint->peer, SILENCE);
    endpoint->handshake =
        coll_mtree_handshake_begin(rank, endpoint->peer, connections_over(way.cables),
                                   tuning(way.cables), way, admit);
    num_undecided++;
    num_handshakes++;
    coll_mtree_call_clock_connect(&coll_mtree_call_clock, 1, mtree_clock_seconds());
    return endpoint;
}

/* There are no connections: messages go over the PML, or the job ends. */
static void endpoint_refuse(endpoint_t *endpoint)
{
    mtree_tcp_peer_t *peer = endpoint->peer;

    coll_mtree_handshake_refuse(endpoint->handshake);
    if (coll_mtree_params_encrypt()) {
        return;
    }
    endpoint->peer = NULL;
    mtree_tcp_peer_reroute(peer, reroute_message);
    mtree_tcp_peer_destroy(peer);
}

/* Go on with its handshake, which ends when the other end knows what is decided. */
static void endpoint_look(endpoint_t *endpoint, double now)
{
    if (!endpoint->is_decided) {
        int stands = coll_mtree_handshake_poll(endpoint->handshake, now);

        if (stands == 0) {
            return;
        }
        endpoint->is_decided = true;
        num_undecided--;
        coll_mtree_call_clock_connect(&coll_mtree_call_clock, -1, now);
        if (stands < 0) {
            endpoint_refuse(endpoint);
        }
    }
    if (coll_mtree_handshake_is_over(endpoint->handshake,
                                     endpoint->peer == NULL ||
                                         mtree_tcp_peer_has_spoken(endpoint->peer))) {
        coll_mtree_handshake_end(endpoint->handshake, true);
        endpoint->handshake = NULL;
        num_handshakes--;
    }
}

/* What it sends may have the PML poll this unit again. */
static void look_at_endpoints(double now)
{
    is_looking = true;
    for (size_t i = 0; i < endpoints.num_buckets; i++) {
        for (mtree_hash_link_t *link = endpoints.buckets[i]; link != NULL;
             link = link->next) {
            endpoint_t *endpoint = MTREE_CONTAINER_OF(link, endpoint_t, link);

            if (endpoint->handshake != NULL) {
                endpoint_look(endpoint, now);
            }
        }
    }
    is_looking = false;
}

/* Who connects to this process? */
static void listen_to_peers(double now)
{
    mtree_tcp_listener_t *listener = coll_mtree_contact_listener();
    const int missing = mtree_tcp_num_missing(tcp);

    if (listener != NULL && !is_looking &&
        now > last_listen + (missing > 0 ? LOOK : LISTEN)) {
        last_listen = now;
        mtree_tcp_listener_poll(listener, missing);
    }
}

static int poll_endpoints(void)
{
    static atomic_uint polls;
    static int missing;
    double now;
    bool has_made;
    int ended;

    if (tcp == NULL ||
        (operations == 0 && atomic_fetch_add(&polls, 1) % IDLE_POLLS != 0) ||
        opal_mutex_trylock(&lock) != 0) {
        return 0;
    }
    now = mtree_clock_seconds();
    listen_to_peers(now);
    /* Messages begin with the first connection, so its time ends here. */
    has_made = mtree_tcp_num_missing(tcp) < missing;
    missing = mtree_tcp_num_missing(tcp);
    if (num_handshakes > 0 && !is_looking &&
        (has_made || now > last_look + (num_undecided > 0 ? LOOK : LISTEN))) {
        last_look = now;
        look_at_endpoints(now);
    }
    ended = mtree_tcp_poll(tcp);
    coll_mtree_endpoint_unlock();
    return ended;
}

mtree_tcp_peer_t *coll_mtree_endpoint_lock(ompi_communicator_t *comm, int peer,
                                           coll_mtree_way_t way)
{
    int rank = (int)coll_mtree_process_name(comm, peer).vpid;
    endpoint_t *endpoint;

    opal_mutex_lock(&lock);
    endpoint = endpoint_find(rank);
    if (endpoint == NULL) {
        endpoint = endpoint_create(rank, way);
    }
    if (endpoint->peer == NULL) {
        opal_mutex_unlock(&lock);
    }
    return endpoint->peer;
}

mtree_tcp_t *coll_mtree_endpoints_lock(void)
{
    opal_mutex_lock(&lock);
    begin_to_poll();
    return tcp;
}

mtree_tcp_peer_t *coll_mtree_endpoint_lock_known(ompi_communicator_t *comm, int peer)
{
    endpoint_t *endpoint;

    opal_mutex_lock(&lock);
    endpoint = endpoint_find((int)coll_mtree_process_name(comm, peer).vpid);
    if (endpoint == NULL || endpoint->peer == NULL) {
        opal_mutex_unlock(&lock);
        return NULL;
    }
    return endpoint->peer;
}

mtree_link_state_t coll_mtree_endpoint_link(ompi_communicator_t *comm, int peer)
{
    mtree_link_state_t state = MTREE_LINK_CARRIES;
    const endpoint_t *endpoint;

    opal_mutex_lock(&lock);
    endpoint = endpoint_find((int)coll_mtree_process_name(comm, peer).vpid);
    if (endpoint != NULL && endpoint->num_cables > 0) {
        state = endpoint->peer == NULL ? MTREE_LINK_GONE
                                       : mtree_tcp_peer_links(endpoint->peer);
    }
    opal_mutex_unlock(&lock);
    return state;
}

void coll_mtree_endpoint_unlock(void)
{
    mtree_list_t taken, *link;

    mtree_list_init(&taken);
    mtree_tcp_take(tcp, &taken);
    opal_mutex_unlock(&lock);
    while ((link = mtree_list_take(&taken)) != NULL) {
        mtree_completion_t *done = MTREE_CONTAINER_OF(link, mtree_completion_t, link);

        done->func(done, done->status);
    }
}

void coll_mtree_endpoints_count(int change)
{
    atomic_fetch_add(&operations, change);
}

int coll_mtree_endpoints_most(void)
{
    return num_connections;
}

const coll_mtree_streams_t *coll_mtree_endpoints_streams(void)
{
    return &streams;
}

/* Of processes that are not of this MPI_COMM_WORLD no rank in it is known. */
bool coll_mtree_endpoints_serve(ompi_communicator_t *comm)
{
    bool serves =
        is_open && !coll_mtree_is_numbered_by_rank(comm) && coll_mtree_has_world();

    for (int rank = 0; serves && rank < ompi_comm_size(comm); rank++) {
        serves = coll_mtree_process_name(comm, rank).jobid == OPAL_PROC_MY_NAME.jobid;
    }
    return serves;
}

void coll_mtree_endpoints_open(mtree_tcp_reroute_t reroute, int at_least)
{
    /* It is the same on all ranks. */
    if (coll_mtree_streams_parse(coll_mtree_params.streams, &streams) != MTREE_OK &&
        coll_mtree_world_rank() == 0) {
        mtree_error("coll_mtree_streams %s is neither auto nor a number; all messages "
                    "are Open MPI's",
                    coll_mtree_params.streams);
    }
    if (coll_mtree_params_encrypt()) {
        coll_mtree_streams_require(&streams);
    }
    num_connections = streams.is_auto && coll_mtree_sockets_bear_losses()
                          ? coll_mtree_streams_usual(&streams)
                          : streams.connections;
    num_connections = num_connections > at_least ? num_connections : at_least;
    if (num_connections == 0 || coll_mtree_survives() ||
        strcmp(coll_mtree_host_fabric(), "tcp") != 0) {
        /* Nobody polls the listener. */
        coll_mtree_contact_close();
        return;
    }
    reroute_message = reroute;
    OBJ_CONSTRUCT(&lock, opal_recursive_mutex_t);
    mtree_hash_table_init(&endpoints);
    is_open = true;
}

void coll_mtree_endpoints_share(ompi_communicator_t *world)
{
    int wanted = num_connections, peers;

    if (!is_open) {
        return;
    }
    peers = ompi_comm_size(world) - coll_mtree_host_seat().count;
    num_connections =
        coll_mtree_sockets_share(peers, wanted, coll_mtree_contact_listener() != NULL);
    if (num_connections < wanted) {
        coll_mtree_verbose(world, 1,
                           "the limit of open files (ulimit -n) leaves %d of %d TCP "
                           "connections to each process",
                           num_connections, wanted);
    }
}

/* All processes are in MPI_Finalize: nothing that is under way is wanted, and the PML is
 * closed by now. */
void coll_mtree_endpoints_close(void)
{
    if (!is_open) {
        coll_mtree_contact_close();
        return;
    }
    is_open = false;
    coll_mtree_progress_remove(poll_endpoints);
    for (size_t i = 0; i < endpoints.num_buckets; i++) {
        mtree_hash_link_t *next;

        for (mtree_hash_link_t *link = endpoints.buckets[i]; link != NULL; link = next) {
            endpoint_t *endpoint = MTREE_CONTAINER_OF(link, endpoint_t, link);

            next = link->next;
            coll_mtree_handshake_end(endpoint->handshake, false);
            free(endpoint);
        }
    }
    mtree_hash_table_cleanup(&endpoints);
    coll_mtree_contact_close();
    mtree_tcp_destroy(tcp);
    tcp = NULL;
    OBJ_DESTRUCT(&lock);
}

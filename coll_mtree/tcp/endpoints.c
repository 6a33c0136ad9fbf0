/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/endpoints.h"

#include "coll_mtree/base/call_clock.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/tcp/contact.h"
#include "coll_mtree/tcp/handshake.h"
#include "coll_mtree/tcp/sockets.h"
#include "coll_mtree/transport/progress.h"

#include "base/clock.h"
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Seconds between two looks at the listener and at processes, while connections to some
 * are missing. */
#define LOOK 0.0005

/* Seconds that mpirun has to say that a process has ended, before calls with it fail. */
#define GRACE 1

/* The same while all processes are connected. */
#define LISTEN 0.02

/* Seconds in which the kernel of a peer says nothing until its connections are lost, and
 * are made again.  The own kernel asks it four times in them, so that firewalls and NAT
 * know of those that are idle. */
#define SILENCE 15

/* Ranks of a communicator at most that connect before the plan is there: each connects to
 * all others, and the plan may use few of these connections. */
#define MOST_RANKS 16

/* Polls between two looks at the sockets while no operation uses them. */
#define IDLE_POLLS 64

typedef struct {
    mtree_tcp_peer_t *peer;            /* NULL: messages go over the PML */
    coll_mtree_handshake_t *handshake; /* NULL: it is decided how messages go */
    int num_cables;                    /* that its connections take */
} endpoint_t;

/* What endpoints are opened with. */
static struct {
    coll_mtree_streams_t streams;
    int num_connections;         /* to each process, as many as are used or may be open */
    mtree_tcp_reroute_t reroute; /* NULL: they are not open */
} settings;

static struct {
    atomic_int operations; /* that use them */
    atomic_uint polls;     /* while none does */
    /* Guards what follows.  What holds it may begin messages of the PML, which may run
     * callbacks, and these this unit. */
    opal_recursive_mutex_t lock;
    mtree_tcp_t *tcp;  /* NULL: there is no endpoint yet */
    endpoint_t **list; /* [count] by rank in MPI_COMM_WORLD; NULL: there is none */
    int count;
    int num_undecided;
    int missing; /* connections, at the last poll */
    double last_look;
    bool is_looking; /* at who connects, and at processes that are not connected yet */
} endpoints;

/* NULL: there is none. */
static endpoint_t *endpoint_find(int rank)
{
    return rank >= 0 && rank < endpoints.count ? endpoints.list[rank] : NULL;
}

/* Is a connection to the listener one that is awaited, or was lost?  Whoever knows its
 * plan sooner may dial before this process knows of that. */
static mtree_tcp_admission_t admit(void *arg, mtree_tcp_greeting_t *greeting, int socket)
{
    endpoint_t *endpoint =
        endpoint_find((int)mtree_tcp_resumption_read(greeting->said).rank);

    (void)arg;
    return endpoint == NULL ? MTREE_TCP_UNEXPECTED
           : endpoint->peer == NULL
               ? MTREE_TCP_REFUSED
               : mtree_tcp_peer_admit(endpoint->peer, greeting, socket);
}

static int poll_endpoints(void);

/* From here on; before that the job pays nothing. */
static void begin_to_poll(void)
{
    if (endpoints.tcp == NULL) {
        mtree_require(mtree_tcp_create(GRACE, &endpoints.tcp));
        coll_mtree_progress_add(poll_endpoints);
    }
}

/* The connections to a process: each of several cables has one, where the user has not
 * set more. */
static int connections_over(int num_cables)
{
    bool suffice = settings.streams.is_auto && num_cables > 1;

    return settings.num_connections > 0 &&
                   (suffice || settings.num_connections < num_cables)
               ? num_cables
               : settings.num_connections;
}

/* What the user has not set follows from what the kernel says.  Of several cables each
 * takes what it can. */
static mtree_tcp_tuning_t tuning(int num_cables)
{
    return !settings.streams.is_auto || num_cables > 1 ? MTREE_TCP_TUNING_NONE
           : coll_mtree_congestion_control() == NULL   ? MTREE_TCP_TUNING_CONTROL
                                                       : MTREE_TCP_TUNING_WIDTH;
}

/* A handshake may not begin again, since the other end does not. */
static endpoint_t *endpoint_create(int rank, coll_mtree_way_t way)
{
    endpoint_t *endpoint = mtree_calloc(1, sizeof(*endpoint));
    char name[32];

    begin_to_poll();
    if (endpoints.count == 0) {
        endpoints.count = ompi_comm_size(MPI_COMM_WORLD);
        endpoints.list = mtree_calloc((size_t)endpoints.count, sizeof(*endpoints.list));
    }
    endpoints.list[rank] = endpoint;
    (void)snprintf(name, sizeof(name), "rank %d", rank);
    endpoint->num_cables = way.num_cables;
    endpoint->peer = mtree_tcp_peer_create(endpoints.tcp, name, SILENCE, NULL);
    endpoint->handshake =
        coll_mtree_handshake_begin(rank, endpoint->peer, connections_over(way.num_cables),
                                   tuning(way.num_cables), way);
    endpoints.num_undecided++;
    coll_mtree_call_clock_connect(&coll_mtree_call_clock, 1, mtree_clock_seconds());
    return endpoint;
}

/* There are no connections: messages go over the PML, or the job ends. */
static void endpoint_refuse(endpoint_t *endpoint)
{
    mtree_tcp_peer_t *peer = endpoint->peer;

    coll_mtree_handshake_refuse(endpoint->handshake);
    if (coll_mtree_params.encrypt) {
        return;
    }
    endpoint->peer = NULL;
    mtree_tcp_peer_reroute(peer, settings.reroute);
    mtree_tcp_peer_destroy(peer);
}

/* Go on with its handshake. */
static void endpoint_look(endpoint_t *endpoint, double now)
{
    int stands = coll_mtree_handshake_poll(endpoint->handshake, now);

    if (stands == 0) {
        return;
    }
    endpoints.num_undecided--;
    coll_mtree_call_clock_connect(&coll_mtree_call_clock, -1, now);
    if (stands < 0) {
        endpoint_refuse(endpoint);
    }
    coll_mtree_handshake_end(endpoint->handshake, true);
    endpoint->handshake = NULL;
}

static void look_at_endpoints(double now)
{
    for (int rank = 0; rank < endpoints.count; rank++) {
        endpoint_t *endpoint = endpoints.list[rank];

        if (endpoint != NULL && endpoint->handshake != NULL) {
            endpoint_look(endpoint, now);
        }
    }
}

/* Who connects to this process, and how far are the handshakes?  What these send may have
 * the PML poll this unit again. */
static void look(double now)
{
    const int missing = mtree_tcp_num_missing(endpoints.tcp);
    /* Messages begin with the first connection, so its time ends here. */
    const bool has_made = missing < endpoints.missing;
    const double pause = missing > 0 || endpoints.num_undecided > 0 ? LOOK : LISTEN;
    const mtree_tcp_reception_t reception = {
        .num_awaited = missing, .secret = coll_mtree_contact_secret(), .admit = admit};

    endpoints.missing = missing;
    if (endpoints.is_looking || (!has_made && now <= endpoints.last_look + pause)) {
        return;
    }
    endpoints.last_look = now;
    endpoints.is_looking = true;
    mtree_tcp_listener_poll(coll_mtree_contact_listener(), &reception, now);
    look_at_endpoints(now);
    endpoints.is_looking = false;
}

static int poll_endpoints(void)
{
    int ended;

    if (endpoints.tcp == NULL ||
        (endpoints.operations == 0 &&
         atomic_fetch_add(&endpoints.polls, 1) % IDLE_POLLS != 0) ||
        opal_mutex_trylock(&endpoints.lock) != 0) {
        return 0;
    }
    look(mtree_clock_seconds());
    ended = mtree_tcp_poll(endpoints.tcp);
    coll_mtree_endpoint_unlock();
    return ended;
}

mtree_tcp_peer_t *coll_mtree_endpoint_lock(ompi_communicator_t *comm, int peer,
                                           const coll_mtree_way_t *way)
{
    int rank = (int)coll_mtree_process_name(comm, peer).vpid;
    endpoint_t *endpoint;

    opal_mutex_lock(&endpoints.lock);
    endpoint = endpoint_find(rank);
    if (endpoint == NULL && way != NULL) {
        endpoint = endpoint_create(rank, *way);
    }
    if (endpoint == NULL || endpoint->peer == NULL) {
        opal_mutex_unlock(&endpoints.lock);
        return NULL;
    }
    return endpoint->peer;
}

mtree_tcp_t *coll_mtree_endpoints_lock(void)
{
    opal_mutex_lock(&endpoints.lock);
    begin_to_poll();
    return endpoints.tcp;
}

mtree_link_state_t coll_mtree_endpoint_link(ompi_communicator_t *comm, int peer)
{
    mtree_link_state_t state = MTREE_LINK_CARRIES;
    const endpoint_t *endpoint;

    opal_mutex_lock(&endpoints.lock);
    endpoint = endpoint_find((int)coll_mtree_process_name(comm, peer).vpid);
    if (endpoint != NULL && endpoint->num_cables > 0) {
        state = endpoint->peer == NULL ? MTREE_LINK_GONE
                                       : mtree_tcp_peer_links(endpoint->peer);
    }
    opal_mutex_unlock(&endpoints.lock);
    return state;
}

void coll_mtree_endpoint_unlock(void)
{
    mtree_list_t taken;

    mtree_tcp_take(endpoints.tcp, &taken);
    opal_mutex_unlock(&endpoints.lock);
    (void)mtree_tcp_call(&taken);
}

void coll_mtree_endpoints_count(int change)
{
    atomic_fetch_add(&endpoints.operations, change);
}

int coll_mtree_endpoints_most(void)
{
    return settings.num_connections;
}

const coll_mtree_streams_t *coll_mtree_endpoints_streams(void)
{
    return &settings.streams;
}

/* Of processes that are not of this MPI_COMM_WORLD no rank in it is known. */
bool coll_mtree_endpoints_serve(ompi_communicator_t *comm)
{
    bool serves = settings.reroute != NULL && !coll_mtree_is_numbered_by_rank(comm) &&
                  coll_mtree_has_world();

    for (int rank = 0; serves && rank < ompi_comm_size(comm); rank++) {
        serves = coll_mtree_process_name(comm, rank).jobid == OPAL_PROC_MY_NAME.jobid;
    }
    return serves;
}

/* Can each rank of @a comm be reached by what it has published? */
static bool have_contacts(ompi_communicator_t *comm)
{
    coll_mtree_contact_t contact;
    int rank = 0;

    while (rank < ompi_comm_size(comm) &&
           coll_mtree_contact_find((int)coll_mtree_process_name(comm, rank).vpid,
                                   &contact)) {
        rank++;
    }
    return rank == ompi_comm_size(comm);
}

void coll_mtree_endpoints_meet(ompi_communicator_t *comm,
                               const mtree_placement_t *placement)
{
    coll_mtree_way_t way = {.trip = 0};
    const int ranks = ompi_comm_size(comm);

    if (ranks > MOST_RANKS || placement->num_hosts < ranks ||
        !coll_mtree_endpoints_serve(comm) || settings.num_connections == 0 ||
        (way.trip = coll_mtree_contact_trip()) <= 0 || !have_contacts(comm)) {
        return;
    }
    for (int i = 1; i < ranks; i++) {
        int rank = (ompi_comm_rank(comm) + i) % ranks;

        if (coll_mtree_endpoint_lock(comm, rank, &way) != NULL) {
            coll_mtree_endpoint_unlock();
        }
    }
}

void coll_mtree_endpoints_open(mtree_tcp_reroute_t reroute, int at_least)
{
    int connections;

    /* It is the same on all ranks. */
    if (coll_mtree_streams_parse(coll_mtree_params.streams, &settings.streams) !=
            MTREE_OK &&
        coll_mtree_world_rank() == 0) {
        mtree_error("coll_mtree_streams %s is neither auto nor a number; all messages "
                    "are Open MPI's",
                    coll_mtree_params.streams);
    }
    if (coll_mtree_params.encrypt) {
        coll_mtree_streams_require(&settings.streams);
    }
    connections = settings.streams.is_auto && coll_mtree_sockets_bear_losses()
                      ? coll_mtree_streams_usual(&settings.streams)
                      : settings.streams.connections;
    settings.num_connections = connections > at_least ? connections : at_least;
    if (settings.num_connections == 0 || coll_mtree_survives() ||
        strcmp(coll_mtree_host_fabric(), "tcp") != 0) {
        /* Nobody polls the listener. */
        coll_mtree_contact_close();
        return;
    }
    OBJ_CONSTRUCT(&endpoints.lock, opal_recursive_mutex_t);
    settings.reroute = reroute;
}

void coll_mtree_endpoints_share(ompi_communicator_t *world)
{
    int wanted = settings.num_connections, peers;

    if (settings.reroute == NULL) {
        return;
    }
    peers = ompi_comm_size(world) - coll_mtree_host_local_rank().count;
    settings.num_connections = coll_mtree_sockets_share(peers, wanted);
    if (settings.num_connections < wanted) {
        coll_mtree_verbose(world, 1,
                           "the limit of open files (ulimit -n) leaves %d of %d TCP "
                           "connections to each process",
                           settings.num_connections, wanted);
    }
}

/* All processes are in MPI_Finalize: nothing that is under way is wanted, and the PML is
 * closed by now. */
void coll_mtree_endpoints_close(void)
{
    if (settings.reroute == NULL) {
        coll_mtree_contact_close();
        return;
    }
    settings.reroute = NULL;
    coll_mtree_progress_remove(poll_endpoints);
    while (endpoints.count > 0) {
        endpoint_t *endpoint = endpoints.list[--endpoints.count];

        if (endpoint != NULL) {
            coll_mtree_handshake_end(endpoint->handshake, false);
            free(endpoint);
        }
    }
    free(endpoints.list);
    endpoints.list = NULL;
    coll_mtree_contact_close();
    mtree_tcp_destroy(endpoints.tcp);
    endpoints.tcp = NULL;
    OBJ_DESTRUCT(&endpoints.lock);
}

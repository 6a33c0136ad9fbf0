/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/world.h"

#include "coll_mtree/base/helper_thread.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tuning.h"
#include "coll_mtree/control/modex.h"
#include "coll_mtree/tcp/sockets.h"

#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "relay/dialer.h"
#include "relay/server.h"
#include "tcp/crypto.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(MTREE_RELAY_ADDRESSES == COLL_MTREE_HOST_ADDRESSES, "a host's addresses");

/* Each communicator that passes through relays is a job to them; and bytes of all calls
 * under way.  Calls for which that is too little go without relays. */
#define MOST_JOBS 256
#define MEMORY    ((uint64_t)256 << 20)

typedef struct {
    char host[COLL_MTREE_NAME_LENGTH];
    char address[MTREE_RELAY_ADDRESS];
} relay_t;

/* What the processes have published. */
static struct {
    relay_t *relays; /* [num_relays] of the job */
    int num_relays;
    mtree_tcp_secret_t secret; /* the job's */
    bool has_secret;
} job;

/* A relay in a thread of this process (relay/server.h).  It has sockets of its own and
 * makes no call of MPI, so the program may compute, or wait in MPI, meanwhile. */
static struct {
    mtree_relay_server_t *server; /* NULL: this process does not relay */
    pthread_t thread;
    bool is_running;
    atomic_bool stops;
    mtree_list_t lines; /* that the thread has logged */
} service;

/* Listen on a port that a process may listen on (coll_mtree/tcp/sockets.h).  False,
 * which is logged: this process does not relay. */
static bool service_listen(uint16_t *port_p)
{
    mtree_relay_options_t options = {.most_jobs = MOST_JOBS,
                                     .memory = MEMORY,
                                     .traffic.congestion =
                                         coll_mtree_congestion_control()};

    mtree_log_about("coll_mtree_relays", "this host does not relay");
    if (!coll_mtree_listening_ports(&options.ports) ||
        mtree_relay_server_create(&options, &service.server) != MTREE_OK) {
        service.server = NULL;
    }
    mtree_log_about(NULL, NULL);
    if (service.server != NULL) {
        *port_p = mtree_relay_server_port(service.server);
    }
    return service.server != NULL;
}

/* With its share of a processor: the credit of a time in which it had nothing to do is
 * limited, and a long debt is paid by several rests. */
static void *serve(void *unused)
{
    const double share =
        fmax(COLL_MTREE_RELAY_LEAST_SHARE, coll_mtree_params.relays_share);
    double then = mtree_clock_seconds(), worked = mtree_clock_thread_seconds();
    double credit = 0; /* seconds of a processor; below 0: it has taken too many */

    coll_mtree_log_keep(&service.lines);
    while (!atomic_load(&service.stops)) {
        double now, work;

        mtree_relay_server_poll(service.server, COLL_MTREE_PATIENCE);
        now = mtree_clock_seconds();
        work = mtree_clock_thread_seconds();
        credit = fmin(credit + share * (now - then) - (work - worked),
                      share * COLL_MTREE_RELAY_REST);
        mtree_clock_sleep(fmin(fmax(0, -credit / share), COLL_MTREE_RELAY_REST));
        then = now;
        worked = work;
    }
    return unused;
}

/* Serve who knows the job's secret, with coll_mtree_relays_share of a processor. */
static void service_start(void)
{
    if (service.server == NULL) {
        return;
    }
    mtree_list_init(&service.lines);
    mtree_relay_server_set_secret(service.server, &job.secret);
    service.is_running = coll_mtree_helper_thread_start(&service.thread, serve, NULL);
    if (!service.is_running) {
        mtree_error("coll_mtree_relays: the system has no more threads; this host does "
                    "not relay");
    }
}

/* End, and log what it did at coll_mtree_verbose 1; also where it has not begun. */
static void service_stop(void)
{
    mtree_relay_status_t status;

    if (service.server == NULL) {
        return;
    }
    if (service.is_running) {
        atomic_store(&service.stops, true);
        mtree_relay_server_wake(service.server);
        pthread_join(service.thread, NULL);
        coll_mtree_log_write(&service.lines);
        mtree_relay_server_status(service.server, &status);
        if (status.done.calls + status.done.failed > 0) {
            mtree_info("relayed %" PRIu64 " calls of %" PRIu64 " bytes for communicators "
                       "without this host; %" PRIu64 " failed",
                       status.done.calls, status.done.bytes, status.done.failed);
        }
    }
    mtree_relay_server_destroy(service.server);
    service.server = NULL;
    service.is_running = false;
    atomic_store(&service.stops, false);
}

/* Of a relay at @a port of @a host; "": it has no address. */
static void write_address(const coll_mtree_host_t *host, uint32_t port,
                          char text[MTREE_RELAY_ADDRESS])
{
    mtree_relay_found_t found = {.port = (uint16_t)port};

    memcpy(found.addresses, host->addresses, sizeof(found.addresses));
    while (found.count < MTREE_RELAY_ADDRESSES &&
           found.addresses[found.count].family != AF_UNSPEC) {
        found.count++;
    }
    mtree_relay_found_write(&found, text);
}

static bool is_asked_for(void)
{
    const char *value = coll_mtree_params.relays;
    const bool is_asked = coll_mtree_params_relays_world();

    if (!is_asked && coll_mtree_world_rank() == 0 && value != NULL && value[0] != '\0') {
        mtree_error("coll_mtree_relays %s: it is empty or world; no host relays", value);
    }
    return is_asked;
}

void coll_mtree_relay_world_publish(void)
{
    coll_mtree_published_t *own = coll_mtree_modex_own();
    uint16_t port;

    if (!is_asked_for()) {
        return;
    }
    own->relay.has_secret =
        coll_mtree_world_rank() == 0 &&
        mtree_crypto_draw(&own->relay.secret, sizeof(own->relay.secret)) == MTREE_OK;
    if (coll_mtree_host_local_rank().index == 0 && service_listen(&port)) {
        own->relay.port = port;
    }
}

void coll_mtree_relay_world_begin(ompi_communicator_t *world)
{
    coll_mtree_published_t published;

    if (!coll_mtree_params_relays_world()) {
        return;
    }
    job.relays = mtree_calloc((size_t)ompi_comm_size(world), sizeof(*job.relays));
    /* The secret is rank 0's; without it nobody relays. */
    for (int rank = 0; rank < ompi_comm_size(world) && (rank == 0 || job.has_secret);
         rank++) {
        const opal_process_name_t name = coll_mtree_process_name(world, rank);
        relay_t *relay = &job.relays[job.num_relays];

        if (!coll_mtree_modex_find(&name, &published)) {
            continue;
        }
        if (published.relay.has_secret) {
            job.secret = published.relay.secret;
            job.has_secret = true;
        }
        if (published.relay.port != 0) {
            memcpy(relay->host, published.host.name, sizeof(relay->host));
            write_address(&published.host, published.relay.port, relay->address);
            job.num_relays += relay->address[0] != '\0';
        }
    }
    explicit_bzero(&published, sizeof(published));
    if (job.has_secret) {
        service_start();
    }
}

bool coll_mtree_relay_world_get(const mtree_topology_t *topology, int i, int *vertex_p,
                                const char **address_p)
{
    if (i >= job.num_relays) {
        return false;
    }
    *vertex_p = mtree_topology_find_host(topology, job.relays[i].host);
    *address_p = job.relays[i].address;
    return true;
}

bool coll_mtree_relay_world_secret(mtree_tcp_secret_t *secret)
{
    *secret = job.secret;
    return job.has_secret;
}

void coll_mtree_relay_world_close(void)
{
    service_stop();
    free(job.relays);
    job.relays = NULL;
    job.num_relays = 0;
    job.has_secret = false;
    explicit_bzero(&job.secret, sizeof(job.secret));
}

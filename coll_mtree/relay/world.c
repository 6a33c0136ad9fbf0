/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/world.h"

#include "coll_mtree/base/helper_thread.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/tcp/sockets.h"

#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"
#include "relay/plan.h"
#include "relay/server.h"
#include "relay/share.h"
#include "tcp/crypto.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define KEY "mtree.relay"

/* Each communicator that passes through relays is a job to them; and bytes of all calls
 * under way.  Calls for which that is too little go without relays. */
#define MOST_JOBS 256
#define MEMORY    ((uint64_t)256 << 20)

/* The least share of a processor, and seconds of the longest sleep. */
#define LEAST_SHARE 0.01
#define SLEEP       60.0

/* What a process publishes.  Sent as it is: where processes store numbers differently
 * mtree serves nothing. */
typedef struct {
    char host[COLL_MTREE_NAME_LENGTH];
    char address[MTREE_RELAY_ADDRESS]; /* "": it does not relay */
    mtree_relay_key_t secret;          /* of rank 0 */
    bool has_secret;
} contact_t;

static contact_t own;
static contact_t *relays; /* of the job */
static int num_relays;
static mtree_relay_key_t job_secret;
static bool has_secret;

/* A relay in a thread of this process (relay/server.h).  It has sockets of its own and
 * makes no call of MPI, so the program may compute, or wait in MPI, meanwhile. */
static mtree_relay_server_t *server; /* NULL: this process does not relay */
static pthread_t thread;
static bool is_running;
static atomic_bool stops;
static mtree_list_t lines; /* that the thread has logged */

/* Listen on a port that a process may listen on (coll_mtree/tcp/sockets.h).  False,
 * which is logged: this process does not relay. */
static bool service_listen(uint16_t *port_p)
{
    mtree_relay_options_t options = {.most_jobs = MOST_JOBS,
                                     .memory = MEMORY,
                                     .traffic.congestion =
                                         coll_mtree_congestion_control()};

    coll_mtree_log_about("coll_mtree_relays", "this host does not relay");
    if (!coll_mtree_listening_ports(&options.ports) ||
        mtree_relay_server_create(&options, &server) != MTREE_OK) {
        server = NULL;
    }
    coll_mtree_log_about(NULL, NULL);
    if (server != NULL) {
        *port_p = mtree_relay_server_port(server);
    }
    return server != NULL;
}

static double worked(void)
{
    return coll_mtree_helper_thread_worked(pthread_self());
}

static void rest(double seconds)
{
    const struct timespec pause = {.tv_sec = (time_t)seconds,
                                   .tv_nsec = (long)(1e9 * fmod(seconds, 1))};

    if (seconds > 0) {
        (void)nanosleep(&pause, NULL);
    }
}

static void *serve(void *unused)
{
    mtree_relay_share_t share;

    coll_mtree_log_keep(&lines);
    mtree_relay_share_init(&share, fmax(LEAST_SHARE, coll_mtree_params.relays_share),
                           mtree_clock_seconds(), worked());
    while (!atomic_load(&stops)) {
        mtree_relay_server_poll(server, SLEEP);
        rest(mtree_relay_share_rest(&share, mtree_clock_seconds(), worked()));
    }
    return unused;
}

/* Serve who knows the job's secret, with coll_mtree_relays_share of a processor. */
static void service_start(void)
{
    if (server == NULL) {
        return;
    }
    mtree_list_init(&lines);
    mtree_relay_server_set_secret(server, &job_secret);
    is_running = coll_mtree_helper_thread_start(&thread, serve, NULL);
    if (!is_running) {
        mtree_error("coll_mtree_relays: the system has no more threads; this host does "
                    "not relay");
    }
}

/* End, and log what it did at coll_mtree_verbose 1; also where it has not begun. */
static void service_stop(void)
{
    mtree_relay_status_t status;

    if (server == NULL) {
        return;
    }
    if (is_running) {
        atomic_store(&stops, true);
        mtree_relay_server_wake(server);
        pthread_join(thread, NULL);
        coll_mtree_log_write(&lines);
        mtree_relay_server_status(server, &status);
        if (status.done.calls + status.done.failed > 0) {
            mtree_info("relayed %" PRIu64 " calls of %" PRIu64 " bytes for communicators "
                       "without this host; %" PRIu64 " failed",
                       status.done.calls, status.done.bytes, status.done.failed);
        }
    }
    mtree_relay_server_destroy(server);
    server = NULL;
    is_running = false;
    atomic_store(&stops, false);
}

/* Write "address,address:port"; "": this host has no address. */
static void write_address(uint16_t port, char text[MTREE_RELAY_ADDRESS])
{
    mtree_address_t addresses[COLL_MTREE_HOST_ADDRESSES];
    size_t length = 0;

    coll_mtree_host_addresses(addresses);
    for (int i = 0; i < COLL_MTREE_HOST_ADDRESSES && addresses[i].family != AF_UNSPEC;
         i++) {
        bool is_ipv6 = addresses[i].family == AF_INET6;
        char one[MTREE_ADDRESS_LENGTH];

        length += (size_t)snprintf(text + length, MTREE_RELAY_ADDRESS - length,
                                   "%s%s%s%s", i > 0 ? "," : "", is_ipv6 ? "[" : "",
                                   mtree_address_format(&addresses[i], one),
                                   is_ipv6 ? "]" : "");
    }
    if (length > 0) {
        (void)snprintf(text + length, MTREE_RELAY_ADDRESS - length, ":%d", (int)port);
    }
}

static bool is_asked_for(void)
{
    const char *value = coll_mtree_params.relays;
    bool is_first = coll_mtree_world_rank() == 0;

    if (!coll_mtree_params_relays_world()) {
        if (is_first && value != NULL && value[0] != '\0') {
            mtree_error("coll_mtree_relays %s: it is empty or world; no host relays",
                        value);
        }
        return false;
    }
    /* The others say the same. */
    return is_first ? mtree_relay_supported() == MTREE_OK : mtree_crypto_is_supported();
}

void coll_mtree_relay_world_publish(void)
{
    int rc = OPAL_SUCCESS;
    uint16_t port;

    if (!coll_mtree_has_modex() || !is_asked_for()) {
        return;
    }
    (void)coll_mtree_host_name(own.host);
    own.has_secret = coll_mtree_world_rank() == 0 &&
                     mtree_crypto_draw(&own.secret, sizeof(own.secret)) == MTREE_OK;
    if (coll_mtree_host_seat().index == 0 && service_listen(&port)) {
        write_address(port, own.address);
    }
    OPAL_MODEX_SEND_STRING(rc, MTREE_MODEX_SCOPE, (char *)KEY, (char *)&own,
                           (coll_mtree_modex_length_t)sizeof(own));
    if (rc != OPAL_SUCCESS) {
        mtree_error(
            "PMIx does not take where this host relays (code %d), so it does not; "
            "see whether it is short of memory",
            rc);
    }
}

/* What the process of @a rank has published; false: nothing that can be had. */
static bool contact_get(ompi_communicator_t *world, int rank, contact_t *contact)
{
    const opal_process_name_t name = coll_mtree_process_name(world, rank);
    uint8_t *bytes;
    size_t length;
    bool has_all;

    if (rank == ompi_comm_rank(world)) {
        *contact = own;
        return true;
    }
    (void)coll_mtree_modex_get(KEY, &name, &bytes, &length);
    has_all = bytes != NULL && length == sizeof(*contact);
    if (has_all) {
        memcpy(contact, bytes, sizeof(*contact));
        contact->host[sizeof(contact->host) - 1] = '\0';
        contact->address[sizeof(contact->address) - 1] = '\0';
    }
    free(bytes);
    return has_all;
}

void coll_mtree_relay_world_begin(ompi_communicator_t *world)
{
    contact_t contact;

    if (own.host[0] == '\0') {
        return;
    }
    relays = coll_mtree_calloc((size_t)ompi_comm_size(world), sizeof(*relays));
    for (int rank = 0; rank < ompi_comm_size(world); rank++) {
        if (!contact_get(world, rank, &contact)) {
            continue;
        }
        if (rank == 0 && contact.has_secret) {
            job_secret = contact.secret;
            has_secret = true;
        }
        explicit_bzero(&contact.secret, sizeof(contact.secret));
        if (contact.address[0] != '\0') {
            relays[num_relays++] = contact;
        }
    }
    if (has_secret) {
        service_start();
    }
}

bool coll_mtree_relay_world_get(const mtree_topology_t *topology, int i, int *vertex_p,
                                const char **address_p)
{
    if (i >= num_relays) {
        return false;
    }
    *vertex_p = mtree_topology_find_host(topology, relays[i].host);
    *address_p = relays[i].address;
    return true;
}

bool coll_mtree_relay_world_secret(mtree_relay_key_t *secret)
{
    *secret = job_secret;
    return has_secret;
}

void coll_mtree_relay_world_close(void)
{
    service_stop();
    free(relays);
    relays = NULL;
    num_relays = 0;
    has_secret = false;
    explicit_bzero(&job_secret, sizeof(job_secret));
    explicit_bzero(&own, sizeof(own));
}

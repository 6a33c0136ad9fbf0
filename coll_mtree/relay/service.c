/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/service.h"

#include "coll_mtree/base/helper_thread.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/tcp/sockets.h"

#include "base/clock.h"
#include "relay/server.h"
#include "relay/share.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <time.h>

/* Each communicator that passes through relays is a job to them; and bytes of all calls
 * under way.  Calls for which that is too little go without relays. */
#define MOST_JOBS 256
#define MEMORY    ((uint64_t)256 << 20)

/* The least share of a processor, and seconds of the longest sleep. */
#define LEAST_SHARE 0.01
#define SLEEP       60.0

static mtree_relay_server_t *server; /* NULL: this process does not relay */
static pthread_t thread;
static bool is_running;
static atomic_bool stops;
static mtree_list_t lines; /* that the thread has logged */

bool coll_mtree_relay_service_listen(uint16_t *port_p)
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

void coll_mtree_relay_service_start(const mtree_relay_key_t *secret)
{
    if (server == NULL) {
        return;
    }
    mtree_list_init(&lines);
    mtree_relay_server_set_secret(server, secret);
    is_running = coll_mtree_helper_thread_start(&thread, serve, NULL);
    if (!is_running) {
        mtree_error("coll_mtree_relays: the system has no more threads; this host does "
                    "not relay");
    }
}

void coll_mtree_relay_service_stop(void)
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

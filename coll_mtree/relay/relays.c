/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/relays.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/relay/world.h"

#include "base/clock.h"
#include "base/memory.h"
#include "tcp/crypto.h"

#include <stdlib.h>
#include <string.h>

mtree_relay_roster_t coll_mtree_relays = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* 0: the secret has not been read; 1: there is one; -1: there is none. */
static int secret_state;

bool coll_mtree_relays_are_configured(void)
{
    return coll_mtree_params_relays_world() ||
           (coll_mtree_params.relay_secret != NULL &&
            coll_mtree_params.relay_secret[0] != '\0');
}

static bool read_secret(mtree_tcp_secret_t *secret)
{
    return coll_mtree_params_relays_world()
               ? coll_mtree_relay_world_secret(secret)
               : mtree_relay_secret_read(coll_mtree_params.relay_secret, secret) ==
                     MTREE_OK;
}

/* The job begins with its first relay. */
static bool has_key(void)
{
    mtree_relay_pass_t *pass = &coll_mtree_relays.pass;
    mtree_tcp_secret_t secret;

    if (secret_state == 0) {
        bool is_read = read_secret(&secret) &&
                       mtree_crypto_draw(&pass->job, sizeof(pass->job)) == MTREE_OK;

        secret_state = is_read ? 1 : -1;
        if (is_read) {
            coll_mtree_relays.is_encrypted = coll_mtree_params.encrypt;
            mtree_relay_job_key(&secret, &pass->job, &pass->key);
            explicit_bzero(&secret, sizeof(secret));
        }
    }
    return secret_state > 0;
}

/* Ask the relay of @a vertex, unless that has ranks or there are too many to plan with.
 */
static void ask_candidate(const int *hosts, int num_hosts, int vertex,
                          const char *address, coll_mtree_relays_found_t *candidates)
{
    bool has_ranks = false;

    for (int h = 0; h < num_hosts; h++) {
        has_ranks = has_ranks || hosts[h] == vertex;
    }
    if (vertex >= 0 && address != NULL && !has_ranks &&
        num_hosts + candidates->count < MTREE_RELAY_RELAYS && has_key()) {
        mtree_relay_roster_add(&coll_mtree_relays, address);
        candidates->vertices[candidates->count] = vertex;
        candidates->addresses[candidates->count++] = address;
    }
}

/* Ask those that may relay for @a hosts. */
static void ask_candidates(const mtree_topology_t *topology, const int *hosts,
                           int num_hosts, coll_mtree_relays_found_t *candidates)
{
    const char *address;
    int vertex;

    candidates->count = 0;
    if (coll_mtree_params_relays_world()) {
        for (int i = 0; coll_mtree_relay_world_get(topology, i, &vertex, &address); i++) {
            ask_candidate(hosts, num_hosts, vertex, address, candidates);
        }
        return;
    }
    for (int v = 0; v < topology->num_vertices; v++) {
        ask_candidate(hosts, num_hosts, v, topology->vertices[v].relay, candidates);
    }
}

void coll_mtree_relays_find(const mtree_topology_t *topology, const int *hosts,
                            int num_hosts, coll_mtree_relays_found_t *found)
{
    int count;

    ask_candidates(topology, hosts, num_hosts, found);
    while (mtree_relay_roster_dial(&coll_mtree_relays)) {
        mtree_clock_sleep(0.002);
    }
    count = found->count;
    found->count = 0;
    for (int i = 0; i < count; i++) {
        const char *reached =
            mtree_relay_roster_reached(&coll_mtree_relays, found->addresses[i]);

        if (reached != NULL) {
            found->vertices[found->count] = found->vertices[i];
            found->addresses[found->count++] = reached;
        }
    }
}

bool coll_mtree_relay_plan_write(const mtree_plan_t *plan, ompi_communicator_t *comm,
                                 const int *host, char **bytes_p, size_t *length_p)
{
    const int ranks = ompi_comm_size(comm);
    const mtree_relay_pass_t *pass = &coll_mtree_relays.pass;
    uint32_t *peers = mtree_malloc((size_t)(ranks + plan->num_relays) * sizeof(*peers));
    unsigned char *message;
    size_t length;

    for (int r = 0; r < ranks; r++) {
        peers[r] = (uint32_t)coll_mtree_process_name(comm, r).vpid;
    }
    message = mtree_relay_roster_send_plan(&coll_mtree_relays, plan, ranks, host, peers,
                                           &length);
    free(peers);
    if (message == NULL) {
        return false;
    }
    *length_p = sizeof(*pass) + length;
    *bytes_p = mtree_malloc(*length_p);
    memcpy(*bytes_p, pass, sizeof(*pass));
    memcpy(*bytes_p + sizeof(*pass), message, length);
    free(message);
    return true;
}

coll_mtree_relay_plan_t *coll_mtree_relay_plan_read(const char *bytes, size_t length)
{
    coll_mtree_relay_plan_t *relay_plan = mtree_calloc(1, sizeof(*relay_plan));
    const size_t before = sizeof(relay_plan->pass);

    mtree_require(length > before ? MTREE_OK : MTREE_ERR_INVALID);
    memcpy(&relay_plan->pass, bytes, before);
    mtree_require(mtree_relay_plan_read(bytes + before, length - before,
                                        (uint32_t)coll_mtree_world_rank(),
                                        &relay_plan->plan));
    return relay_plan;
}

void coll_mtree_relay_plan_destroy(coll_mtree_relay_plan_t *relay_plan)
{
    if (relay_plan != NULL) {
        mtree_relay_plan_destroy(relay_plan->plan);
        explicit_bzero(&relay_plan->pass, sizeof(relay_plan->pass));
        free(relay_plan);
    }
}

void coll_mtree_relays_close(void)
{
    mtree_relay_roster_close(&coll_mtree_relays);
    secret_state = 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/relays.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/relay/control.h"
#include "coll_mtree/relay/world.h"

#include "base/clock.h"
#include "base/memory.h"
#include "tcp/crypto.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The relays of the job, and what they are told. */
static struct {
    pthread_mutex_t lock;
    coll_mtree_relay_control_t
        relays[COLL_MTREE_RELAYS]; /* [num_relays] by their numbers */
    int num_relays;
    mtree_relay_job_id_t id;
    mtree_relay_key_t key;
    uint32_t num_plans;
    int secret_state; /* 0: it has not been read; 1: there is one; -1: there is none */
} job = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool coll_mtree_relays_are_configured(void)
{
    return coll_mtree_params_relays_world() ||
           (coll_mtree_params.relay_secret != NULL &&
            coll_mtree_params.relay_secret[0] != '\0');
}

static bool read_secret(mtree_relay_key_t *secret)
{
    return coll_mtree_params_relays_world()
               ? coll_mtree_relay_world_secret(secret)
               : mtree_relay_secret_read(coll_mtree_params.relay_secret, secret) ==
                     MTREE_OK;
}

/* The job begins with its first relay. */
static bool has_key(void)
{
    mtree_relay_key_t secret;

    if (job.secret_state == 0) {
        bool is_read = read_secret(&secret) &&
                       mtree_crypto_draw(job.id.bytes, sizeof(job.id.bytes)) == MTREE_OK;

        job.secret_state = is_read ? 1 : -1;
        if (is_read) {
            mtree_relay_job_key(&secret, &job.id, &job.key);
            explicit_bzero(&secret, sizeof(secret));
        }
    }
    return job.secret_state > 0;
}

/* The relay at @a address, dialed if it is new; NULL: there are too many. */
static coll_mtree_relay_control_t *find_relay(const char *address)
{
    mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_CONTROL,
                                 .number = (uint32_t)job.num_relays,
                                 .is_encrypted = coll_mtree_params.encrypt,
                                 .job = job.id};
    coll_mtree_relay_control_t *relay;

    for (int i = 0; i < job.num_relays; i++) {
        if (strcmp(job.relays[i].address, address) == 0 ||
            strcmp(job.relays[i].reached, address) == 0) {
            return &job.relays[i];
        }
    }
    if (job.num_relays == COLL_MTREE_RELAYS || strlen(address) >= MTREE_RELAY_ADDRESS) {
        return NULL;
    }
    relay = &job.relays[job.num_relays++];
    coll_mtree_relay_control_init(relay, address, &hello, &job.key,
                                  mtree_clock_seconds());
    return relay;
}

/* Wait until all that are dialed have answered, or will not. */
static void await_answers(void)
{
    int dialing;

    do {
        double now = mtree_clock_seconds();

        dialing = 0;
        for (int i = 0; i < job.num_relays; i++) {
            dialing += coll_mtree_relay_control_dial(&job.relays[i], now);
        }
        if (dialing > 0) {
            mtree_clock_sleep(0.002);
        }
    } while (dialing > 0);
}

/* Add the relay of @a vertex, unless that has ranks or there are too many to plan with.
 */
static void add_candidate(const int *hosts, int num_hosts, int vertex,
                          const char *address, coll_mtree_relays_found_t *candidates)
{
    bool has_ranks = false;

    for (int h = 0; h < num_hosts; h++) {
        has_ranks = has_ranks || hosts[h] == vertex;
    }
    if (vertex >= 0 && address != NULL && !has_ranks &&
        num_hosts + candidates->count < COLL_MTREE_RELAYS) {
        candidates->vertices[candidates->count] = vertex;
        candidates->addresses[candidates->count++] = address;
    }
}

/* Those that may relay for @a hosts. */
static void find_candidates(const mtree_topology_t *topology, const int *hosts,
                            int num_hosts, coll_mtree_relays_found_t *candidates)
{
    const char *address;
    int vertex;

    candidates->count = 0;
    if (coll_mtree_params_relays_world()) {
        for (int i = 0; coll_mtree_relay_world_get(topology, i, &vertex, &address); i++) {
            add_candidate(hosts, num_hosts, vertex, address, candidates);
        }
        return;
    }
    for (int v = 0; v < topology->num_vertices; v++) {
        add_candidate(hosts, num_hosts, v, topology->vertices[v].relay, candidates);
    }
}

void coll_mtree_relays_find(const mtree_topology_t *topology, const int *hosts,
                            int num_hosts, coll_mtree_relays_found_t *found)
{
    int count;

    find_candidates(topology, hosts, num_hosts, found);
    pthread_mutex_lock(&job.lock);
    count = found->count > 0 && has_key() ? found->count : 0;
    for (int i = 0; i < count; i++) {
        (void)find_relay(found->addresses[i]);
    }
    await_answers();
    found->count = 0;
    for (int i = 0; i < count; i++) {
        const coll_mtree_relay_control_t *relay = find_relay(found->addresses[i]);

        if (relay != NULL && relay->is_up) {
            found->vertices[found->count] = found->vertices[i];
            found->addresses[found->count++] = relay->reached;
        }
    }
    pthread_mutex_unlock(&job.lock);
}

/* Are all relays of @a plan up?  Then their numbers in the job go to @a numbers. */
static bool find_numbers(const mtree_plan_t *plan, uint32_t *numbers)
{
    for (int i = 0; i < plan->num_relays; i++) {
        const coll_mtree_relay_control_t *relay = find_relay(plan->relays[i]);

        if (relay == NULL || !relay->is_up) {
            return false;
        }
        numbers[i] = MTREE_RELAY_IS_RELAY | (uint32_t)(relay - job.relays);
    }
    return true;
}

bool coll_mtree_relays_are_up(const mtree_plan_t *plan)
{
    uint32_t numbers[COLL_MTREE_RELAYS];
    bool all;

    pthread_mutex_lock(&job.lock);
    all = find_numbers(plan, numbers);
    pthread_mutex_unlock(&job.lock);
    return all;
}

/* Send the relays of @a plan the message about it; false: one of them is lost. */
static bool send_plan(const mtree_plan_t *plan, const uint32_t *numbers,
                      const void *bytes, size_t length)
{
    bool is_sent = true;

    for (int i = 0; i < plan->num_relays && is_sent; i++) {
        is_sent =
            coll_mtree_relay_control_send(&job.relays[numbers[i] & ~MTREE_RELAY_IS_RELAY],
                                          MTREE_RELAY_PLAN, bytes, length);
    }
    return is_sent;
}

bool coll_mtree_relayed_write(const mtree_plan_t *plan, ompi_communicator_t *comm,
                              const int *host, char **bytes_p, size_t *length_p)
{
    const int ranks = ompi_comm_size(comm);
    uint32_t *peers = mtree_malloc((size_t)(ranks + plan->num_relays) * sizeof(*peers));
    coll_mtree_relay_pass_t pass;
    unsigned char *message = NULL;
    size_t length;
    bool is_sent;

    for (int r = 0; r < ranks; r++) {
        peers[r] = (uint32_t)coll_mtree_process_name(comm, r).vpid;
    }
    pthread_mutex_lock(&job.lock);
    pass = (coll_mtree_relay_pass_t){.job = job.id, .key = job.key};
    is_sent = find_numbers(plan, peers + ranks) &&
              mtree_relay_plan_write(plan, ++job.num_plans, ranks, host, peers, &message,
                                     &length) == MTREE_OK &&
              send_plan(plan, peers + ranks, message, length);
    pthread_mutex_unlock(&job.lock);
    if (is_sent) {
        *length_p = sizeof(pass) + length;
        *bytes_p = mtree_malloc(*length_p);
        memcpy(*bytes_p, &pass, sizeof(pass));
        memcpy(*bytes_p + sizeof(pass), message, length);
    }
    free(message);
    free(peers);
    return is_sent;
}

coll_mtree_relayed_t *coll_mtree_relayed_read(const char *bytes, size_t length)
{
    coll_mtree_relayed_t *relayed = mtree_calloc(1, sizeof(*relayed));
    const size_t before = sizeof(relayed->pass);

    mtree_require(length > before ? MTREE_OK : MTREE_ERR_INVALID);
    memcpy(&relayed->pass, bytes, before);
    mtree_require(mtree_relay_plan_read(bytes + before, length - before,
                                        (uint32_t)coll_mtree_world_rank(),
                                        &relayed->plan));
    return relayed;
}

void coll_mtree_relayed_destroy(coll_mtree_relayed_t *relayed)
{
    if (relayed != NULL) {
        mtree_relay_plan_destroy(relayed->plan);
        explicit_bzero(&relayed->pass, sizeof(relayed->pass));
        free(relayed);
    }
}

/* Relay @a i of @a plan. */
static coll_mtree_relay_control_t *relay_of(const mtree_relay_plan_t *plan, int i)
{
    return &job.relays[mtree_relay_plan_number(plan, i)];
}

bool coll_mtree_relays_tell(const mtree_relay_plan_t *plan, mtree_relay_kind_t kind,
                            const mtree_relay_start_t *start)
{
    const double now = mtree_clock_seconds();
    unsigned char bytes[MTREE_RELAY_START_BYTES];
    const size_t length = kind == MTREE_RELAY_START    ? sizeof(bytes)
                          : kind == MTREE_RELAY_CANCEL ? MTREE_RELAY_CALL_BYTES
                                                       : 0;
    bool all = true;

    mtree_relay_start_write(start, bytes);
    pthread_mutex_lock(&job.lock);
    for (int i = 0; i < plan->placement->num_relays; i++) {
        coll_mtree_relay_control_t *relay = relay_of(plan, i);

        /* Nobody has read the connection since the last call. */
        if (kind == MTREE_RELAY_START) {
            coll_mtree_relay_control_touch(relay, now);
        }
        if (kind == MTREE_RELAY_PING) {
            relay->pinged = now;
        }
        all = coll_mtree_relay_control_send(relay, kind, bytes, length) && all;
    }
    pthread_mutex_unlock(&job.lock);
    return all;
}

coll_mtree_relays_state_t coll_mtree_relays_poll_call(const mtree_relay_plan_t *plan,
                                                      const mtree_relay_start_t *start,
                                                      const char **address_p,
                                                      bool *have_answered_p)
{
    double now = mtree_clock_seconds();
    coll_mtree_relays_state_t state = COLL_MTREE_RELAYS_SERVE;

    *have_answered_p = true;
    pthread_mutex_lock(&job.lock);
    for (int i = 0; i < plan->placement->num_relays; i++) {
        coll_mtree_relay_control_t *relay = relay_of(plan, i);

        coll_mtree_relay_control_poll(relay, now);
        *have_answered_p =
            *have_answered_p && (!relay->is_up || relay->received > relay->pinged);
        if (!relay->is_up) {
            state = COLL_MTREE_RELAYS_LOST;
        } else if (state == COLL_MTREE_RELAYS_SERVE &&
                   coll_mtree_relay_control_has_refused(relay, start->plan,
                                                        start->number)) {
            state = COLL_MTREE_RELAYS_REFUSE;
            *address_p = relay->address;
        }
    }
    pthread_mutex_unlock(&job.lock);
    return state;
}

void coll_mtree_relays_drop(const mtree_relay_plan_t *plan, int i, int rank)
{
    coll_mtree_relay_control_t *relay = relay_of(plan, i);
    char reason[80];

    (void)snprintf(reason, sizeof(reason), "process %d of MPI_COMM_WORLD cannot reach it",
                   rank);
    pthread_mutex_lock(&job.lock);
    if (relay->is_up) {
        coll_mtree_relay_control_fail(relay, reason);
    }
    pthread_mutex_unlock(&job.lock);
}

bool coll_mtree_relays_drop_unreached(void)
{
    char reason[MTREE_RELAY_ADDRESS + 80];
    bool some = false;
    int worst, other;

    pthread_mutex_lock(&job.lock);
    while ((worst = coll_mtree_relay_control_worst(job.relays, job.num_relays, &other)) >=
           0) {
        (void)snprintf(reason, sizeof(reason), "it and relay %s cannot reach each other",
                       job.relays[other].address);
        coll_mtree_relay_control_fail(&job.relays[worst], reason);
        some = true;
    }
    pthread_mutex_unlock(&job.lock);
    return some;
}

void coll_mtree_relays_close(void)
{
    for (int i = 0; i < job.num_relays; i++) {
        mtree_relay_channel_cleanup(&job.relays[i].channel);
    }
    job.num_relays = 0;
    explicit_bzero(&job.key, sizeof(job.key));
    job.secret_state = 0;
}

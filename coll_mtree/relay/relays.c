/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/relays.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/relay/unreached.h"
#include "coll_mtree/relay/world.h"

#include "base/clock.h"
#include "base/log.h"
#include "relay/bytes.h"
#include "relay/channel.h"
#include "relay/dialer.h"
#include "tcp/crypto.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds that relays have to answer, all together. */
#define PATIENCE 3.0

/* Seconds between two questions whether a relay is there, and of silence until it is
 * taken for gone. */
#define ASK     1.0
#define SILENCE 5.0

typedef struct {
    char address[MTREE_RELAY_ADDRESS];
    mtree_relay_dialer_t *dialer; /* while it is asked */
    mtree_relay_channel_t channel;
    bool is_up;
    double asked, heard;                 /* clocks of the last question and answer */
    uint32_t refused_plan, refused_call; /* the last call that it refused */
} relay_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static relay_t relays[COLL_MTREE_RELAYS]; /* their places are their numbers in the job */
static int num_relays;
static coll_mtree_unreached_t unreached;
static mtree_relay_job_id_t job;
static mtree_relay_key_t key;
static uint32_t num_plans;

/* 0: nobody has read the secret; 1: there is one; -1: there is none. */
static int secret_state;

bool coll_mtree_relays_are_asked_for(void)
{
    return coll_mtree_params_relays_world() ||
           (coll_mtree_params.relay_secret != NULL &&
            coll_mtree_params.relay_secret[0] != '\0');
}

bool coll_mtree_relays_are_wanted(void)
{
    return coll_mtree_relays_are_asked_for() && !coll_mtree_params.deterministic;
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

    if (secret_state == 0) {
        bool is_read = read_secret(&secret) &&
                       mtree_crypto_draw(job.bytes, sizeof(job.bytes)) == MTREE_OK;

        secret_state = is_read ? 1 : -1;
        if (is_read) {
            mtree_relay_job_key(&secret, &job, &key);
            explicit_bzero(&secret, sizeof(secret));
        }
    }
    return secret_state > 0;
}

/* The relay at @a address, dialed if it is new; NULL: there are too many. */
static relay_t *find_relay(const char *address, double now)
{
    mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_CONTROL,
                                 .number = (uint32_t)num_relays,
                                 .is_encrypted = coll_mtree_params_encrypt(),
                                 .job = job};
    relay_t *relay;

    for (int i = 0; i < num_relays; i++) {
        if (strcmp(relays[i].address, address) == 0) {
            return &relays[i];
        }
    }
    if (num_relays == COLL_MTREE_RELAYS || strlen(address) >= MTREE_RELAY_ADDRESS) {
        return NULL;
    }
    relay = &relays[num_relays++];
    (void)snprintf(relay->address, sizeof(relay->address), "%s", address);
    relay->channel.socket = -1;
    relay->dialer = mtree_relay_dialer_create(address, &hello, &key, now, PATIENCE);
    return relay;
}

/* The relay that is asked has answered, or will not. */
static void settle(relay_t *relay, int answer, double now)
{
    mtree_relay_welcome_t welcome;

    if (answer > 0) {
        mtree_relay_channel_init(&relay->channel,
                                 mtree_relay_dialer_take(relay->dialer, &welcome),
                                 mtree_relay_dialer_keys(relay->dialer));
        mtree_info("relay %s: it answers, and has %llu bytes for calls", relay->address,
                   (unsigned long long)welcome.memory);
        relay->asked = relay->heard = now;
        relay->is_up = true;
    } else {
        mtree_warn("relay %s: %s; planned without it", relay->address,
                   mtree_relay_dialer_reason(relay->dialer));
    }
    mtree_relay_dialer_destroy(relay->dialer);
    relay->dialer = NULL;
}

/* Wait until all that are asked have answered. */
static void await_answers(void)
{
    const struct timespec pause = {.tv_nsec = 2000000};
    int asked;

    do {
        double now = mtree_clock_seconds();

        asked = 0;
        for (int i = 0; i < num_relays; i++) {
            relay_t *relay = &relays[i];
            int answer =
                relay->dialer == NULL ? 0 : mtree_relay_dialer_poll(relay->dialer, now);

            if (answer != 0) {
                settle(relay, answer, now);
            }
            asked += relay->dialer != NULL;
        }
        if (asked > 0) {
            (void)nanosleep(&pause, NULL);
        }
    } while (asked > 0);
}

static bool is_host(const int *hosts, int num_hosts, int vertex)
{
    for (int h = 0; h < num_hosts; h++) {
        if (hosts[h] == vertex) {
            return true;
        }
    }
    return false;
}

/* Add the relay of @a vertex, unless that has ranks or there are too many to plan with.
 */
static void add_candidate(const int *hosts, int num_hosts, int vertex,
                          const char *address, coll_mtree_relays_found_t *candidates)
{
    if (vertex >= 0 && address != NULL && !is_host(hosts, num_hosts, vertex) &&
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
    double now = mtree_clock_seconds();
    coll_mtree_relays_found_t candidates;

    found->count = 0;
    find_candidates(topology, hosts, num_hosts, &candidates);
    pthread_mutex_lock(&lock);
    if (candidates.count > 0 && has_key()) {
        for (int i = 0; i < candidates.count; i++) {
            (void)find_relay(candidates.addresses[i], now);
        }
        await_answers();
        for (int i = 0; i < candidates.count; i++) {
            const relay_t *relay = find_relay(candidates.addresses[i], now);

            if (relay != NULL && relay->is_up) {
                found->vertices[found->count] = candidates.vertices[i];
                found->addresses[found->count++] = candidates.addresses[i];
            }
        }
    }
    pthread_mutex_unlock(&lock);
}

bool coll_mtree_relays_answer(const mtree_plan_t *plan)
{
    bool all = true;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < plan->num_relays && all; i++) {
        const relay_t *relay = find_relay(plan->relays[i], mtree_clock_seconds());

        all = relay != NULL && relay->is_up;
    }
    pthread_mutex_unlock(&lock);
    return all;
}

/* Never again in this job. */
static void relay_fail(relay_t *relay, const char *reason)
{
    mtree_relay_channel_cleanup(&relay->channel);
    relay->is_up = false;
    mtree_warn("relay %s: %s; calls go on without it", relay->address, reason);
}

static bool relay_send(relay_t *relay, mtree_relay_kind_t kind, const void *bytes,
                       size_t length)
{
    if (relay->is_up &&
        mtree_relay_channel_send(&relay->channel, kind, bytes, length) != MTREE_OK) {
        relay_fail(relay, "its connection is lost");
    }
    return relay->is_up;
}

/* Tell the relay of number @a i in @a plan, as @a told has it but for the part. */
static bool tell_one(const mtree_plan_t *plan, mtree_relay_plan_t *told, int i,
                     relay_t *relay)
{
    int host = plan->num_hosts - plan->num_relays + i;
    mtree_wire_t wire = {0};
    bool is_told = false;

    if (mtree_plan_part_create(plan, host, &told->part) == MTREE_OK) {
        mtree_relay_plan_write(told, &wire);
        is_told = wire.status == MTREE_OK &&
                  relay_send(relay, MTREE_RELAY_PLAN, wire.bytes, (size_t)wire.length);
        mtree_plan_part_destroy(told->part);
    }
    free(wire.bytes);
    return is_told;
}

bool coll_mtree_relays_tell(const mtree_plan_t *plan, const mtree_placement_t *placement,
                            const uint32_t *world, coll_mtree_relay_contact_t *contact)
{
    size_t ranks = (size_t)placement->num_ranks;
    mtree_relay_plan_t told = {.placement = (mtree_placement_t *)placement,
                               .addresses = plan->relays};
    bool is_told = plan->num_relays <= COLL_MTREE_RELAYS;

    told.peers = malloc((ranks + COLL_MTREE_RELAYS) * sizeof(*told.peers));
    if (told.peers == NULL) {
        return false;
    }
    memcpy(told.peers, world, ranks * sizeof(*world));
    pthread_mutex_lock(&lock);
    *contact = (coll_mtree_relay_contact_t){
        .job = job, .key = key, .plan = ++num_plans, .num_relays = plan->num_relays};
    told.number = contact->plan;
    for (int i = 0; i < plan->num_relays && is_told; i++) {
        const relay_t *relay = find_relay(plan->relays[i], mtree_clock_seconds());

        is_told = relay != NULL && relay->is_up;
        if (is_told) {
            contact->numbers[i] = (uint32_t)(relay - relays);
            told.peers[ranks + (size_t)i] = MTREE_RELAY_IS_RELAY | contact->numbers[i];
        }
    }
    for (int i = 0; i < plan->num_relays && is_told; i++) {
        is_told = tell_one(plan, &told, i, &relays[contact->numbers[i]]);
    }
    pthread_mutex_unlock(&lock);
    free(told.peers);
    return is_told;
}

bool coll_mtree_relays_start(const coll_mtree_relay_contact_t *contact, int num,
                             const mtree_relay_start_t *start)
{
    unsigned char bytes[MTREE_RELAY_START_BYTES];
    double now = mtree_clock_seconds();
    bool all = true;

    mtree_relay_start_write(start, bytes);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < num; i++) {
        relay_t *relay = &relays[contact->numbers[i]];

        /* Nobody has listened since the last call. */
        relay->asked = relay->heard = now;
        all = relay_send(relay, MTREE_RELAY_START, bytes, sizeof(bytes)) && all;
    }
    pthread_mutex_unlock(&lock);
    return all;
}

static void take_message(relay_t *relay, const mtree_relay_message_t *message)
{
    if (message->kind == MTREE_RELAY_REFUSED &&
        message->length == MTREE_RELAY_CALL_BYTES) {
        relay->refused_plan = mtree_relay_get32(message->bytes);
        relay->refused_call = mtree_relay_get32(message->bytes + 4);
    } else if (message->kind == MTREE_RELAY_UNREACHED &&
               message->length == MTREE_RELAY_UNREACHED_BYTES) {
        (void)coll_mtree_unreached_add(&unreached, (uint32_t)(relay - relays),
                                       mtree_relay_get32(message->bytes));
    }
}

/* Read what it has said, and ask it now and then whether it is there. */
static void listen_to(relay_t *relay, double now)
{
    mtree_relay_message_t message;
    int answer;

    while ((answer = mtree_relay_channel_poll(&relay->channel, &message)) > 0) {
        relay->heard = now;
        take_message(relay, &message);
    }
    if (answer < 0) {
        relay_fail(relay, "its connection is lost");
    } else if (now > relay->heard + SILENCE) {
        relay_fail(relay, "it is silent");
    } else if (now > relay->asked + ASK) {
        relay->asked = now;
        (void)relay_send(relay, MTREE_RELAY_PING, NULL, 0);
    }
}

coll_mtree_relays_do_t coll_mtree_relays_watch(const coll_mtree_relay_contact_t *contact,
                                               int num, const mtree_relay_start_t *start,
                                               const char **who_p)
{
    double now = mtree_clock_seconds();
    coll_mtree_relays_do_t what = COLL_MTREE_RELAYS_SERVE;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < num; i++) {
        relay_t *relay = &relays[contact->numbers[i]];

        if (relay->is_up) {
            listen_to(relay, now);
        }
        if (!relay->is_up) {
            what = COLL_MTREE_RELAYS_LOST;
        } else if (what == COLL_MTREE_RELAYS_SERVE &&
                   relay->refused_plan == start->plan &&
                   relay->refused_call == start->number) {
            what = COLL_MTREE_RELAYS_REFUSE;
            *who_p = relay->address;
        }
    }
    pthread_mutex_unlock(&lock);
    return what;
}

void coll_mtree_relays_ask(const coll_mtree_relay_contact_t *contact, int num)
{
    double now = mtree_clock_seconds();

    pthread_mutex_lock(&lock);
    for (int i = 0; i < num; i++) {
        relay_t *relay = &relays[contact->numbers[i]];

        relay->asked = now;
        (void)relay_send(relay, MTREE_RELAY_PING, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
}

bool coll_mtree_relays_have_answered(const coll_mtree_relay_contact_t *contact, int num)
{
    bool all = true;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < num && all; i++) {
        const relay_t *relay = &relays[contact->numbers[i]];

        all = !relay->is_up || relay->heard > relay->asked;
    }
    pthread_mutex_unlock(&lock);
    return all;
}

void coll_mtree_relays_give_up(const coll_mtree_relay_contact_t *contact, int i, int rank)
{
    relay_t *relay = &relays[contact->numbers[i]];
    char reason[80];

    (void)snprintf(reason, sizeof(reason), "process %d of MPI_COMM_WORLD cannot reach it",
                   rank);
    pthread_mutex_lock(&lock);
    if (relay->is_up) {
        relay_fail(relay, reason);
    }
    pthread_mutex_unlock(&lock);
}

static uint64_t relays_up(void)
{
    uint64_t up = 0;

    for (int i = 0; i < num_relays; i++) {
        up |= (uint64_t)relays[i].is_up << i;
    }
    return up;
}

bool coll_mtree_relays_give_up_unreached(void)
{
    char reason[MTREE_RELAY_ADDRESS + 80];
    bool some = false;
    int worst, other;

    _Static_assert(COLL_MTREE_RELAYS <= COLL_MTREE_UNREACHED_RELAYS, "a bit for each");
    pthread_mutex_lock(&lock);
    while ((worst = coll_mtree_unreached_worst(&unreached, relays_up(), &other)) >= 0) {
        (void)snprintf(reason, sizeof(reason), "it and relay %s cannot reach each other",
                       relays[other].address);
        relay_fail(&relays[worst], reason);
        some = true;
    }
    pthread_mutex_unlock(&lock);
    return some;
}

void coll_mtree_relays_cancel(const coll_mtree_relay_contact_t *contact, int num,
                              const mtree_relay_start_t *start)
{
    unsigned char bytes[MTREE_RELAY_CALL_BYTES];

    mtree_relay_put32(bytes, start->plan);
    mtree_relay_put32(bytes + 4, start->number);
    pthread_mutex_lock(&lock);
    for (int i = 0; i < num; i++) {
        (void)relay_send(&relays[contact->numbers[i]], MTREE_RELAY_CANCEL, bytes,
                         sizeof(bytes));
    }
    pthread_mutex_unlock(&lock);
}

void coll_mtree_relays_close(void)
{
    for (int i = 0; i < num_relays; i++) {
        mtree_relay_channel_cleanup(&relays[i].channel);
    }
    num_relays = 0;
    unreached = (coll_mtree_unreached_t){0};
    explicit_bzero(&key, sizeof(key));
    secret_state = 0;
}

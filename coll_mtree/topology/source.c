/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/source.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/base/tuning.h"
#include "coll_mtree/compat.h"
#include "coll_mtree/control/exchange.h"
#include "coll_mtree/probe/probe.h"
#include "coll_mtree/probe/worker.h"
#include "coll_mtree/topology/cache.h"

#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "topo/dot/read.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of topologies in messages. */
#define FROM_PROBE "the probe"
#define FROM_CACHE "the cache"

/* Seconds of the longest round trip on earth. */
#define MOST_TRIP 0.5

/* What rank 0 decides; every rank does that. */
typedef enum {
    NEVER, /* there will be no topology; also where an exchange fails */
    READY, /* rank 0 has one, and so has each rank that needs it */
    SEND,  /* rank 0 has one that the others do not have, which comes with that */
    PROBE,
    WAIT /* the fallback serves until a long call, which probes */
} decision_t;

/* How far a module is with its topology. */
typedef struct coll_mtree_source {
    ompi_communicator_t *comm;
    bool has_topology;               /* rank 0 has one */
    bool is_asked;                   /* rank 0 has decided, at the first call */
    const coll_mtree_hosts_t *hosts; /* the group's */
    mtree_cache_t cached;            /* on rank 0, where no topology has been learned */
    char *learned; /* on rank 0: a topology to be sent, as DOT; or NULL */

    /* The exchange under way, and its reply. */
    atomic_bool ended;
    decision_t decision;
    char *topology; /* DOT; NULL: none came */
} source_t;

/* The topologies that this process has, for all communicators; they stay until the end of
 * the job. */
static struct {
    /* From the probe or from the cache, the oldest first. */
    mtree_topology_t **learned; /* [count] */
    int count, capacity;
    opal_mutex_t lock;
    /* The user's: read once per process, so that an error in it is logged once. */
    bool is_read;
    mtree_topology_t *of_user; /* NULL: none that can be used */
} all = {.lock = OPAL_MUTEX_STATIC_INIT};

/* That of coll_mtree_topology; NULL, which is logged once, when it cannot be used.  One
 * thread at a time may call. */
static const mtree_topology_t *topology_of_user(void)
{
    const char *path = coll_mtree_params.topology;

    if (!all.is_read) {
        all.is_read = true;
        mtree_log_about("coll_mtree_topology", "the fallback serves");
        if (mtree_topology_read(path, &all.of_user) != MTREE_OK) {
            all.of_user = NULL;
        }
        mtree_log_about(NULL, NULL);
    }
    return all.of_user;
}

/* Keep the topology that @a text describes; @a origin is its name in messages.  False,
 * which is logged: it cannot be read. */
static bool add_topology(const char *text, const char *origin)
{
    mtree_topology_t *topology;

    if (mtree_topology_parse(text, strlen(text), origin, &topology) != MTREE_OK) {
        return false;
    }
    opal_mutex_lock(&all.lock);
    mtree_array_reserve(&all.learned, &all.capacity, all.count + 1, sizeof(*all.learned));
    all.learned[all.count++] = topology;
    opal_mutex_unlock(&all.lock);
    return true;
}

static bool has_all(const mtree_topology_t *topology, const coll_mtree_hosts_t *hosts)
{
    for (int host = 0; host < hosts->numbers.num_hosts; host++) {
        if (mtree_topology_find_host(topology, hosts->list[host].name) < 0) {
            return false;
        }
    }
    return true;
}

/* The newest topology with all @a hosts, or NULL. */
static const mtree_topology_t *find_topology(const coll_mtree_hosts_t *hosts)
{
    const mtree_topology_t *newest = NULL;

    opal_mutex_lock(&all.lock);
    for (int i = all.count; newest == NULL && i-- > 0;) {
        newest = has_all(all.learned[i], hosts) ? all.learned[i] : NULL;
    }
    opal_mutex_unlock(&all.lock);
    return newest;
}

const mtree_topology_t *coll_mtree_source_topology(const coll_mtree_hosts_t *hosts)
{
    return coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE
               ? topology_of_user()
               : find_topology(hosts);
}

/* Keep the topology @a text, which is malloc'ed, for this process; NULL, and it is freed,
 * when it is none. */
static char *learn_text(char *text, const char *origin)
{
    if (text != NULL && !add_topology(text, origin)) {
        free(text);
        return NULL;
    }
    return text;
}

/* Reply @a decision, with the topology that rank 0 has learned, if any. */
static void reply(const source_t *source, coll_mtree_exchange_t *exchange,
                  decision_t decision)
{
    coll_mtree_exchange_reply(exchange, decision, source->learned,
                              source->learned == NULL ? 0 : strlen(source->learned));
}

/* What rank 0 does at the first call: it takes a topology of the hosts that it has
 * learned, or that the cache has. */
static decision_t decide(source_t *source)
{
    char *text = NULL;

    if (find_topology(source->hosts) != NULL) {
        return READY;
    }
    coll_mtree_topology_cache_init(&source->cached, source->hosts);
    if (coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_PROBE) {
        return PROBE;
    }
    (void)mtree_cache_read(&source->cached, time(NULL), &text);
    mtree_log_about(source->cached.path, NULL);
    source->learned = learn_text(text, FROM_CACHE);
    mtree_log_about(NULL, NULL);
    return source->learned != NULL ? SEND : WAIT;
}

/* At the first call. */
static void decide_first(coll_mtree_exchange_t *exchange, const void *contributions,
                         void *arg)
{
    source_t *source = arg;
    const decision_t decision = decide(source);

    (void)contributions;
    if (decision == WAIT) {
        coll_mtree_verbose(source->comm, 1,
                           "no topology is known yet: the network is probed at the first "
                           "call of 1 MiB, or now with coll_mtree_topology=probe");
    }
    reply(source, exchange, decision);
}

/* After the probe. */
static void decide_probed(coll_mtree_exchange_t *exchange, const void *contributions,
                          void *arg)
{
    const source_t *source = arg;

    (void)contributions;
    reply(source, exchange, source->learned == NULL ? NEVER : SEND);
}

static void exchange_ended(const coll_mtree_reply_t *reply, void *arg)
{
    source_t *source = arg;

    source->decision = reply->code == OMPI_SUCCESS ? (decision_t)reply->kind : NEVER;
    if (reply->payload != NULL) {
        source->topology = mtree_calloc(reply->length + 1, 1);
        memcpy(source->topology, reply->payload, reply->length);
    }
    atomic_store(&source->ended, true);
}

/* Have rank 0 decide by @a decide; blocks.  An exchange fails where a process is lost,
 * and then the fallback's calls do, too. */
static decision_t run(source_t *source, mca_coll_mtree_module_t *module,
                      coll_mtree_exchange_decide_t decide, coll_mtree_wait_t wait)
{
    free(source->topology);
    source->topology = NULL;
    atomic_store(&source->ended, false);
    coll_mtree_exchange_start(&(coll_mtree_exchange_spec_t){.module = module,
                                                            .comm = source->comm,
                                                            .decide = decide,
                                                            .end = exchange_ended,
                                                            .arg = source});
    while (!atomic_load(&source->ended)) {
        coll_mtree_progress_wait(wait);
    }
    return source->decision;
}

/* Write the topology @a text to the file that the user named, if any. */
static void write_output(const char *text)
{
    const char *path = coll_mtree_params.probe_output;
    FILE *out;

    if (path == NULL || path[0] == '\0') {
        return;
    }
    out = coll_mtree_safe_file_open(path, false);
    if (out == NULL || fputs(text, out) < 0 || fflush(out) != 0) {
        mtree_error("coll_mtree_probe_output: %s: cannot be written: %s", path,
                    coll_mtree_safe_file_error());
    }
    if (out != NULL) {
        fclose(out);
    }
}

/* Rank 0 leads the probe and keeps what it finds. */
static void lead(source_t *source, const coll_mtree_channel_t *channel)
{
    bool reuses = coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_AUTO;
    mtree_cache_stamp_t stamp;
    char *text;

    coll_mtree_verbose(source->comm, coll_mtree_fallback_level(source->comm),
                       "the network between %d hosts is probed, once, for %g s at most; "
                       "coll_mtree_topology names a map instead, or none",
                       source->hosts->numbers.num_hosts, coll_mtree_params.probe_seconds);
    if (coll_mtree_probe_lead(channel, source->hosts, reuses ? &source->cached : NULL,
                              &stamp, &text) == MTREE_OK) {
        source->learned = learn_text(text, FROM_PROBE);
    }
    if (source->learned != NULL) {
        (void)mtree_cache_write(&source->cached, &stamp, time(NULL), source->learned);
        write_output(source->learned);
    }
}

/* Rank 0 has no topology yet: probe, and receive what is found. */
static decision_t probe(source_t *source, mca_coll_mtree_module_t *module)
{
    coll_mtree_channel_t channel = coll_mtree_probe_channel(module, source->comm);
    const int rank = ompi_comm_rank(source->comm);

    if (rank == 0) {
        lead(source, &channel);
    } else if (coll_mtree_host_is_first(source->hosts->numbers.host, rank)) {
        coll_mtree_probe_worker_serve(&channel);
    }
    return run(source, module, decide_probed, COLL_MTREE_WAIT_LATER);
}

/* Nothing more is to be decided: keep only the result. */
static bool conclude(source_t *source, mca_coll_mtree_module_t *module, bool learned)
{
    source->has_topology = learned;
    module->cannot_serve = !learned;
    mtree_cache_cleanup(&source->cached);
    free(source->learned);
    free(source->topology);
    source->learned = source->topology = NULL;
    return learned;
}

/* The first call at which rank 0 decides, and a call of @a bytes from then on, the same
 * on all ranks. */
static bool look(source_t *source, mca_coll_mtree_module_t *module, double bytes)
{
    decision_t decision = WAIT;
    const char *origin = FROM_CACHE;

    if (!source->is_asked) {
        source->is_asked = true;
        decision = run(source, module, decide_first, COLL_MTREE_WAIT_AT_ONCE);
    }
    if (decision == PROBE || (decision == WAIT && bytes >= COLL_MTREE_LONG_BYTES)) {
        decision = probe(source, module);
        origin = FROM_PROBE;
    }
    if (decision == WAIT) {
        return false;
    }
    /* A rank that is rank 0 of another communicator needs the topology there; without it,
     * it probes again. */
    if (decision == SEND && ompi_comm_rank(source->comm) != 0) {
        (void)add_topology(source->topology, origin);
    }
    return conclude(source, module, decision != NEVER);
}

void coll_mtree_source_create(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                              const coll_mtree_hosts_t *hosts)
{
    module->source = mtree_calloc(1, sizeof(*module->source));
    module->source->comm = comm;
    module->source->hosts = hosts;
    module->source->has_topology =
        coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE;
    atomic_init(&module->source->ended, true);
}

bool coll_mtree_source_has_topology(const mca_coll_mtree_module_t *module)
{
    return module->source->has_topology;
}

bool coll_mtree_source_learn(mca_coll_mtree_module_t *module, double bytes,
                             coll_mtree_source_state_t *agreed)
{
    source_t *source = module->source;
    bool learned;

    if (agreed != NULL && (agreed->has_topology || agreed->cannot_serve)) {
        return conclude(source, module, agreed->has_topology);
    }
    if (agreed != NULL && agreed->is_asked && !source->is_asked &&
        bytes < COLL_MTREE_LONG_BYTES) {
        return false;
    }
    learned = look(source, module, bytes);
    if (agreed != NULL) {
        *agreed = (coll_mtree_source_state_t){.is_asked = true,
                                              .has_topology = learned,
                                              .cannot_serve = module->cannot_serve};
    }
    return learned;
}

void coll_mtree_source_destroy(mca_coll_mtree_module_t *module)
{
    if (module->source != NULL) {
        (void)conclude(module->source, module, false);
        free(module->source);
    }
}

double coll_mtree_source_user_trip(void)
{
    const mtree_topology_t *of = coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE
                                     ? topology_of_user()
                                     : NULL;
    double sum = 0, longest = 0;

    for (int l = 0; of != NULL && l < of->num_links; l++) {
        if (of->links[l].num_cables > 0) {
            return 0;
        }
        sum += of->links[l].latency;
        longest = fmax(longest, of->links[l].latency);
    }
    /* No way takes a link twice. */
    return 2 * longest >= COLL_MTREE_LONG_TRIP ? fmin(2 * sum, MOST_TRIP) : 0;
}

void coll_mtree_source_close(void)
{
    mtree_topology_destroy(all.of_user);
    all.of_user = NULL;
    all.is_read = false;
    while (all.count > 0) {
        mtree_topology_destroy(all.learned[--all.count]);
    }
    free(all.learned);
    all.learned = NULL;
    all.capacity = 0;
}

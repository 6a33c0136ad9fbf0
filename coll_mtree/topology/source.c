/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/topology/source.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/exchange.h"
#include "coll_mtree/probe/probe.h"
#include "coll_mtree/topology/cache.h"
#include "coll_mtree/topology/registry.h"
#include "coll_mtree/topology/user_files.h"

#include "base/clock.h"
#include "base/log.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a probe costs has to have been spent so many times in the fallback. */
#define PAYBACK 20.0

#define FIRST_LOOK 16 /* calls; each next one twice as many */

/* What rank 0 decides; every rank then does the same. */
typedef enum {
    DECISION_NEVER, /* there will be no topology; also where an exchange failed */
    DECISION_READY, /* rank 0 has a topology, and so has each rank that needs one */
    DECISION_SEND,  /* rank 0 has a topology that the others do not have */
    DECISION_PROBE,
    DECISION_WAIT /* go on with the fallback, and ask again later */
} decision_t;

/* Names of topologies in messages. */
#define FROM_PROBE "the probe"
#define FROM_CACHE "the cache"

/* Seconds that calls of the fallback took on one rank. */
typedef struct {
    double rooted, other;
} spent_t;

/* A module's way to a topology. */
struct coll_mtree_source {
    bool settled;
    bool watched; /* the fallback serves a call that mtree could have served */
    bool rooted;  /* that call has a root */
    unsigned calls,
        next_look; /* that could have been served; the next look at the clock */
    spent_t spent; /* in such calls on this rank */
    int num_hosts;
    int *host;                       /* [ranks] once they are known */
    coll_mtree_host_t *contribution; /* [ranks] on rank 0, the same */
    char *text;                      /* on rank 0: what is to be told; or NULL */
    /* The exchange that is under way, and its reply. */
    ompi_communicator_t *comm;
    atomic_bool ended;
    decision_t decision;
    char *topology; /* DOT, [topology_bytes]; NULL: none came */
    size_t topology_bytes;
};

typedef struct coll_mtree_source source_t;

const mtree_topology_t *coll_mtree_source_topology(const coll_mtree_host_t *contribution,
                                                   int ranks, const char **name_p)
{
    if (coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE) {
        *name_p = coll_mtree_params.topology;
        return coll_mtree_user_files_topology();
    } else {
        const mtree_topology_t *topology =
            coll_mtree_topology_registry_find(contribution, ranks);

        *name_p = topology == NULL ? "learned" : topology->source;
        return topology;
    }
}

/* Number the hosts in the order in which the ranks name them. */
static int number_hosts(source_t *source, const coll_mtree_host_t *contribution,
                        int ranks)
{
    int *first = calloc((size_t)ranks, sizeof(*first)); /* rank of each host */

    source->host = calloc((size_t)ranks, sizeof(*source->host));
    source->contribution = malloc((size_t)ranks * sizeof(*source->contribution));
    if (first == NULL || source->host == NULL || source->contribution == NULL) {
        free(first);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    memcpy(source->contribution, contribution, (size_t)ranks * sizeof(*contribution));
    source->num_hosts = 0;
    for (int rank = 0; rank < ranks; rank++) {
        int host = 0;

        while (host < source->num_hosts &&
               strcmp(contribution[first[host]].name, contribution[rank].name) != 0) {
            host++;
        }
        first[host] = host == source->num_hosts ? rank : first[host];
        source->num_hosts += host == source->num_hosts;
        source->host[rank] = host;
    }
    free(first);
    return OMPI_SUCCESS;
}

/* Is it worth probing by now, when calls took so many seconds? */
static bool is_worth_probing(const source_t *source, double seconds)
{
    return coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_PROBE ||
           seconds > PAYBACK * coll_mtree_probe_expected_seconds(source->num_hosts);
}

/* Keep the topology @a text, which is malloc'ed, for this process; NULL, and it is freed,
 * when it is none. */
static char *learn_text(char *text, const char *origin)
{
    if (text != NULL &&
        coll_mtree_topology_registry_add(text, strlen(text), origin) == NULL) {
        free(text);
        return NULL;
    }
    return text;
}

/* Rank 0 knows the hosts: what is to be done? */
static decision_t decide_first(source_t *source, const coll_mtree_host_t *contribution)
{
    int ranks = ompi_comm_size(source->comm);

    if (number_hosts(source, contribution, ranks) != OMPI_SUCCESS) {
        return DECISION_NEVER;
    }
    if (source->num_hosts < 2) {
        coll_mtree_verbose(
            source->comm, 1,
            "not served, all its ranks run on host %s; the fallback serves",
            contribution[0].name);
        return DECISION_NEVER;
    }
    if (coll_mtree_topology_registry_find(contribution, ranks) != NULL) {
        return DECISION_READY;
    }
    if (coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_AUTO) {
        source->text =
            learn_text(coll_mtree_topology_cache_read(contribution, ranks, source->host,
                                                      source->num_hosts),
                       FROM_CACHE);
        if (source->text != NULL) {
            return DECISION_SEND;
        }
        coll_mtree_verbose(
            source->comm, 1,
            "no topology is known yet: the network is probed when the "
            "fallback has taken %.0f s, or now with coll_mtree_topology=probe",
            PAYBACK * coll_mtree_probe_expected_seconds(source->num_hosts));
    }
    return is_worth_probing(source, 0) ? DECISION_PROBE : DECISION_WAIT;
}

static void decide(coll_mtree_exchange_t *exchange, const void *contribution, void *arg)
{
    source_t *source = arg;
    decision_t decision = decide_first(source, contribution);

    if (source->host != NULL) {
        coll_mtree_exchange_reply_hosts(exchange, source->num_hosts, source->host);
    }
    coll_mtree_exchange_reply(exchange, decision, NULL, 0);
}

/*
 * Rank 0 knows how long the ranks were in calls, @a contribution [ranks].  Of calls
 * without a root that is the shortest time, for who came early has waited for the others;
 * of those with one the longest, for a root that sends, or a leaf, leaves early.
 */
static void decide_again(coll_mtree_exchange_t *exchange, const void *contribution,
                         void *arg)
{
    source_t *source = arg;
    const spent_t *spent = contribution;
    spent_t all = spent[0];

    for (int rank = 1; rank < ompi_comm_size(source->comm); rank++) {
        all.rooted = fmax(all.rooted, spent[rank].rooted);
        all.other = fmin(all.other, spent[rank].other);
    }
    coll_mtree_exchange_reply(
        exchange,
        is_worth_probing(source, all.rooted + all.other) ? DECISION_PROBE : DECISION_WAIT,
        NULL, 0);
}

/* What was learned; without it the others learn that nothing was. */
static void decide_send(coll_mtree_exchange_t *exchange, const void *contribution,
                        void *arg)
{
    source_t *source = arg;

    (void)contribution;
    if (source->text == NULL) {
        coll_mtree_exchange_reply(exchange, DECISION_NEVER, NULL, 0);
    } else {
        coll_mtree_exchange_reply(exchange, DECISION_SEND, source->text,
                                  strlen(source->text));
    }
}

static void exchange_ended(coll_mtree_exchange_t *exchange,
                           const coll_mtree_reply_t *reply, void *arg)
{
    source_t *source = arg;
    size_t ranks = (size_t)ompi_comm_size(source->comm);

    (void)exchange;
    source->decision =
        reply->code == OMPI_SUCCESS ? (decision_t)reply->kind : DECISION_NEVER;
    if (source->decision != DECISION_NEVER && reply->payload != NULL) {
        source->topology = malloc(reply->length);
        source->topology_bytes = reply->length;
        if (source->topology == NULL) {
            source->decision = DECISION_NEVER;
        } else {
            memcpy(source->topology, reply->payload, reply->length);
        }
    }
    if (source->decision != DECISION_NEVER && reply->hosts != NULL &&
        source->host == NULL) {
        source->num_hosts = reply->num_hosts;
        source->host = malloc(ranks * sizeof(*source->host));
        if (source->host != NULL) {
            memcpy(source->host, reply->hosts, ranks * sizeof(*source->host));
        }
    }
    atomic_store(&source->ended, true);
}

/* Begin an exchange whose reply goes to source->decision and source->topology. */
static coll_mtree_exchange_t *exchange_begin(source_t *source,
                                             mca_coll_mtree_module_t *module,
                                             coll_mtree_exchange_decide_t decision)
{
    int first_tag = coll_mtree_tags_reserve(module, COLL_MTREE_EXCHANGE_TAGS, false);

    free(source->topology);
    source->topology = NULL;
    atomic_store(&source->ended, false);
    return decision == decide_again
               ? coll_mtree_exchange_start_with(module, source->comm, first_tag,
                                                &source->spent, sizeof(source->spent),
                                                decision, exchange_ended, source)
               : coll_mtree_exchange_start(module, source->comm, first_tag,
                                           decision == decide, decision, exchange_ended,
                                           source);
}

/* Wait for the end of @a exchange (NULL: no memory); what was decided. */
static decision_t exchange_wait(source_t *source, coll_mtree_exchange_t *exchange,
                                coll_mtree_wait_t wait)
{
    if (exchange == NULL) {
        return DECISION_NEVER;
    }
    coll_mtree_exchange_open(exchange);
    while (!atomic_load(&source->ended)) {
        coll_mtree_progress_wait(wait);
    }
    return source->decision;
}

/* Where the user wants what was found, too. */
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
    char *text;

    if (coll_mtree_probe_lead(channel, source->num_hosts, source->host,
                              source->contribution, &text) == OMPI_SUCCESS) {
        source->text = learn_text(text, FROM_PROBE);
    }
    if (source->text != NULL) {
        coll_mtree_topology_cache_write(source->contribution,
                                        ompi_comm_size(source->comm), source->host,
                                        source->num_hosts, source->text);
        write_output(source->text);
    }
}

/* Probe, if rank 0 has nothing to tell yet; then every rank hears what it has. */
static bool learn(source_t *source, mca_coll_mtree_module_t *module, bool probe)
{
    coll_mtree_channel_t channel = coll_mtree_probe_channel(module, source->comm);
    bool leads = ompi_comm_rank(source->comm) == 0;
    decision_t decision;

    if (probe && leads) {
        lead(source, &channel);
    } else if (probe && source->host != NULL) {
        coll_mtree_probe_serve(&channel, source->host);
    }
    decision = exchange_wait(source, exchange_begin(source, module, decide_send),
                             COLL_MTREE_WAIT_LATER);
    if (decision == DECISION_NEVER) {
        return false;
    }
    /* Another rank needs it when it is rank 0 of a communicator; without it, it probes.
     */
    if (!leads) {
        (void)coll_mtree_topology_registry_add(source->topology, source->topology_bytes,
                                               probe ? FROM_PROBE : FROM_CACHE);
    }
    return true;
}

/* The way has come to its end: keep only what it led to. */
static bool settle(source_t *source, mca_coll_mtree_module_t *module, bool learned)
{
    source->settled = learned;
    module->unserved = !learned;
    free(source->host);
    free(source->contribution);
    free(source->text);
    free(source->topology);
    source->host = NULL;
    source->contribution = NULL;
    source->text = source->topology = NULL;
    return learned;
}

/* A blocking call is at the point where something is decided. */
static bool look(source_t *source, mca_coll_mtree_module_t *module)
{
    coll_mtree_exchange_t *exchange =
        exchange_begin(source, module, source->calls == 1 ? decide : decide_again);
    decision_t decision = exchange_wait(source, exchange, COLL_MTREE_WAIT_AT_ONCE);

    switch (decision) {
    case DECISION_WAIT:
        return false;
    case DECISION_READY:
        return settle(source, module, true);
    case DECISION_SEND:
    case DECISION_PROBE:
        return settle(source, module, learn(source, module, decision == DECISION_PROBE));
    default:
        return settle(source, module, false);
    }
}

bool coll_mtree_source_create(mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    if (module->source == NULL) {
        module->source = calloc(1, sizeof(*module->source));
        if (module->source == NULL) {
            return false;
        }
        module->source->comm = comm;
        module->source->next_look = 1;
        module->source->settled =
            coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE;
        atomic_init(&module->source->ended, true);
    }
    return true;
}

bool coll_mtree_source_is_settled(mca_coll_mtree_module_t *module,
                                  mtree_collective_t collective, bool blocking)
{
    source_t *source = module->source;

    if (source->settled || !blocking) {
        return source->settled;
    }
    source->watched = true;
    source->rooted = mtree_collective_has_root(collective);
    if (++source->calls < source->next_look) {
        return false;
    }
    source->next_look = source->calls == 1 ? FIRST_LOOK : 2 * source->calls;
    return look(source, module);
}

double coll_mtree_source_watch(const mca_coll_mtree_module_t *module)
{
    const source_t *source = module->source;

    return source == NULL || !source->watched ? 0 : mtree_clock_seconds();
}

void coll_mtree_source_watched(mca_coll_mtree_module_t *module, double began)
{
    if (began > 0) {
        source_t *source = module->source;
        double *spent = source->rooted ? &source->spent.rooted : &source->spent.other;

        source->watched = false;
        *spent += mtree_clock_seconds() - began;
    }
}

void coll_mtree_source_destroy(mca_coll_mtree_module_t *module)
{
    if (module->source != NULL) {
        (void)settle(module->source, module, false);
        free(module->source);
    }
}

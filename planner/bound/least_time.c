/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/bound/least_time.h"

#include "base/memory.h"
#include "base/units.h"
#include "planner/bound/slowest_flow.h"
#include "planner/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Of a message so short that it flows over one path. */
#define LEAST_BYTES 1e-3

static const char *const names[] = {[MTREE_BOUND_LATENCY] = "latency",
                                    [MTREE_BOUND_FLOW] = "flow",
                                    [MTREE_BOUND_CUT] = "cut",
                                    [MTREE_BOUND_PROCESSOR] = "processor"};

const char *mtree_bound_name(mtree_bound_t by)
{
    return names[by];
}

void mtree_least_time_clear(mtree_least_time_t *time)
{
    free(time->limit);
    *time = (mtree_least_time_t){0};
}

/* The end of a message from each of so many hosts. */
typedef struct {
    double at; /* seconds */
    double from;
} told_t;

double mtree_processors_telling(const mtree_processor_costs_t *costs, int num_hosts,
                                double latency)
{
    const double trip = 2.0 * costs->overhead + latency;
    const double ranks = costs->ranks_per_host > 1 ? costs->ranks_per_host : 1;
    told_t *told = mtree_calloc((size_t)num_hosts, sizeof(*told));
    int num = 1, by_new = 0, by_old = 0;
    double known = 1.0 + ranks, seconds;

    if (num_hosts < 2 || costs->overhead <= 0.0) {
        free(told);
        return 0.0;
    }
    told[0] = (told_t){trip, 1.0};
    /* Who sent a message sends the next; who got it, its first.  Both in their order, so
     * that the next to be told is the sooner one. */
    while (known < num_hosts) {
        const told_t *old = &told[by_old], *new = &told[by_new];

        if (old->at + costs->overhead <= new->at + trip) {
            told[num] = (told_t){old->at + costs->overhead, old->from};
            by_old++;
        } else {
            told[num] = (told_t){new->at + trip, new->from *ranks};
            by_new++;
        }
        known += told[num++].from * ranks;
    }
    seconds = told[num - 1].at;
    free(told);
    return seconds;
}

double mtree_processors_adding(const mtree_processor_costs_t *costs,
                               mtree_collective_t collective, double bytes, int num_ranks,
                               int num_relays)
{
    if (!mtree_collective_reduces(collective) || costs->fold_rate <= 0.0) {
        return 0.0;
    }
    return bytes / costs->fold_rate * (num_ranks - 1) / (num_ranks + num_relays);
}

/* What the call needs. */
typedef struct {
    const mtree_topology_t *topology;
    const int *hosts;
    int num_hosts;
    const mtree_least_time_call_t *call;
    mtree_slowest_t path, flow;
    double telling, adding; /* seconds of processors */
    double burst;           /* seconds for which the longest one fills its link */
} needs_t;

/* The least latency of a message between two hosts, seconds: of a link that joins two, or
 * of two that join hosts to switches. */
static double nearest_hosts(const mtree_topology_t *topology)
{
    double nearest = INFINITY;

    for (int l = 0; l < topology->num_links; l++) {
        const mtree_link_t *link = &topology->links[l];
        const int hosts = (topology->vertices[link->u].kind == MTREE_VERTEX_HOST) +
                          (topology->vertices[link->v].kind == MTREE_VERTEX_HOST);

        if (hosts > 0) {
            nearest = fmin(nearest, hosts == 2 ? link->latency : 2.0 * link->latency);
        }
    }
    return nearest;
}

/* The bytes of the call that flows have to carry: less by the bursts of all links, which
 * may be of one host's block. */
static double flowing_bytes(needs_t *needs)
{
    const mtree_topology_t *topology = needs->topology;
    const mtree_collective_t collective = needs->call->collective;
    const bool has_blocks = mtree_collective_has_blocks(collective) ||
                            mtree_collective_is_personalized(collective);
    double bursts = 0.0;

    for (int l = 0; l < topology->num_links; l++) {
        const mtree_link_t *link = &topology->links[l];

        for (int arc = 2 * l; arc < 2 * l + 2; arc++) {
            needs->burst = fmax(needs->burst, mtree_arc_burst(topology, arc));
        }
        bursts += fmax(link->conditions.burst, 0.0);
    }
    return fmax(needs->call->bytes - bursts * (has_blocks ? needs->num_hosts : 1),
                LEAST_BYTES);
}

static void find_needs(needs_t *needs)
{
    const mtree_least_time_call_t *call = needs->call;
    const int per_host = call->costs.ranks_per_host;

    needs->telling = mtree_processors_telling(&call->costs, needs->num_hosts,
                                              nearest_hosts(needs->topology));
    needs->adding = mtree_processors_adding(
        &call->costs, call->collective, call->bytes,
        needs->num_hosts * (per_host > 1 ? per_host : 1), call->num_relays);
    mtree_slowest_flow(needs->topology, needs->hosts, needs->num_hosts, call->collective,
                       call->root, flowing_bytes(needs), &needs->path, &needs->flow);
}

/* The greatest of them. */
static void find_greatest(const needs_t *needs, mtree_least_time_t *time)
{
    const mtree_least_time_call_t *call = needs->call;
    const double ends = 2.0 * call->costs.overhead;
    const double cut =
        call->cut > 0.0 ? 8.0 * call->bytes / call->cut - needs->burst : 0.0;
    const double network = fmax(needs->flow.seconds, cut);
    const double processors = fmax(needs->telling, needs->adding);

    time->seconds = fmax(network + ends, processors);
    time->by = processors > network + ends || ends > network ? MTREE_BOUND_PROCESSOR
               : cut > needs->flow.seconds                   ? MTREE_BOUND_CUT
               : needs->flow.seconds > needs->path.seconds * (1.0 + MTREE_TUNED_HARDLY)
                   ? MTREE_BOUND_FLOW
                   : MTREE_BOUND_LATENCY;
}

static const char *name_of(const needs_t *needs, int host, const char *others)
{
    return host < 0 ? others : needs->topology->vertices[needs->hosts[host]].name;
}

/* "the flow from a to b", where either may be several hosts. */
static void write_way(const needs_t *needs, const char *what, const mtree_slowest_t *way,
                      FILE *out)
{
    char others[32] = "all others";

    if (way->count < needs->num_hosts - 1) {
        snprintf(others, sizeof(others), "%d others", way->count);
    }
    fprintf(out, "the %s from %s to %s", what, name_of(needs, way->from, others),
            name_of(needs, way->to, others));
}

static void write_limit(const needs_t *needs, mtree_bound_t by, FILE *out)
{
    const mtree_least_time_call_t *call = needs->call;
    char size[MTREE_UNITS_LENGTH];

    switch (by) {
    case MTREE_BOUND_LATENCY:
        write_way(needs, "path", &needs->path, out);
        break;
    case MTREE_BOUND_FLOW:
        write_way(needs, "flow", &needs->flow, out);
        break;
    case MTREE_BOUND_CUT:
        fprintf(out, "%s", call->limit != NULL ? call->limit : "what links carry");
        break;
    case MTREE_BOUND_PROCESSOR:
        if (needs->adding > needs->telling) {
            fprintf(out, "adding up %s",
                    mtree_units_format_size(call->bytes, size, sizeof(size)));
        } else {
            fprintf(out, "messages between %d hosts", needs->num_hosts);
        }
        break;
    }
}

mtree_status_t mtree_least_time(const mtree_topology_t *topology, const int *hosts,
                                int num_hosts, const mtree_least_time_call_t *call,
                                mtree_least_time_t *time_p)
{
    needs_t needs = {
        .topology = topology, .hosts = hosts, .num_hosts = num_hosts, .call = call};
    mtree_least_time_t time = {0};
    mtree_status_t status = mtree_collective_check(call->collective);
    const bool any = num_hosts > 1 && call->bytes > 0.0;
    size_t length;
    FILE *out;

    if (status == MTREE_OK && any) {
        find_needs(&needs);
        find_greatest(&needs, &time);
        out = mtree_text_begin(&time.limit, &length);
        write_limit(&needs, time.by, out);
        mtree_text_end(out);
    }
    if (status == MTREE_OK) {
        *time_p = time;
    }
    return status;
}

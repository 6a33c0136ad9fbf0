/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stages of the probe that tell whether a host's links share its interface: several
 * of them at once, then the fastest alone.  What seems to share is tried once more, as a
 * network in use may have been slow by chance.
 */
#include "base/log.h"
#include "topo/probe/shared_interface.h"
#include "topo/probe/state.h"

#include <math.h>
#include <stdlib.h>

#define NONE (-1)

/* Of the time that is left: after fans come links alone, after these what is in doubt. */
#define FANS_SHARE  0.6
#define ALONE_SHARE 0.8

#define FAN    4    /* links of a host that are tried at once */
#define SHARED 1.25 /* an arc that is so much faster alone shares something */

/* When more than this part of all hosts seems to share, it was not by chance: that
 * strikes a round, and no round is a fan of more than half of the hosts. */
#define SURE 0.75

/* Up to FAN arcs from @a host to neighbours, drawn evenly, its fastest among them when
 * that is known; their number. */
static int choose_fan(mtree_probe_t *probe, int host, int arcs[FAN])
{
    const mtree_probe_graph_t *graph = &probe->graph;
    const mtree_probe_edge_t *link;
    int count = 0, seen = 0;
    int i, arc, place;

    if (probe->fastest[host] != NONE) {
        arcs[count++] = probe->fastest[host];
    }
    for (i = graph->first_link[host]; i != NONE; i = link->next[link->v == host]) {
        link = &graph->links[i];
        arc = 2 * i + (link->v == host);
        if (!mtree_probe_graph_is_neighbour(graph, arc) || arc == probe->fastest[host]) {
            continue;
        }
        ++seen;
        if (count < FAN) {
            arcs[count++] = arc;
            continue;
        }
        place = (int)mtree_random_below(&probe->random, (uint64_t)seen);
        if (place < FAN && arcs[place] != probe->fastest[host]) {
            arcs[place] = arc;
        }
    }
    return count;
}

static mtree_status_t prepare_fans(mtree_probe_t *probe)
{
    size_t num_hosts = (size_t)probe->num_hosts;
    mtree_status_t status = mtree_probe_reset_arcs(probe);
    int host;

    if (status != MTREE_OK) {
        return status;
    }
    probe->had_turn = calloc(num_hosts, sizeof(*probe->had_turn));
    probe->fastest = calloc(num_hosts, sizeof(*probe->fastest));
    if (probe->had_turn == NULL || probe->fastest == NULL) {
        return mtree_no_memory("the links of %d hosts", probe->num_hosts);
    }
    for (host = 0; host < probe->num_hosts; ++host) {
        probe->fastest[host] = NONE;
    }
    return MTREE_OK;
}

/* A round trip along the longest of @a arcs. */
static double longest_trip(const mtree_probe_t *probe, const int *arcs, int num_arcs)
{
    double trip = 0;
    int i;

    for (i = 0; i < num_arcs; ++i) {
        trip = fmax(trip, 2 * probe->latency[arcs[i] >> 1]);
    }
    return trip;
}

mtree_status_t mtree_probe_fill_interface_test(mtree_probe_t *probe)
{
    mtree_status_t status = (probe->had_turn != NULL) ? MTREE_OK : prepare_fans(probe);
    mtree_probe_test_batch_t agenda;
    int host, count;
    int arcs[FAN];

    if (status != MTREE_OK) {
        return status;
    }
    mtree_probe_test_batch_init(&agenda, &probe->graph);
    for (host = 0; host < probe->num_hosts; ++host) {
        count = probe->had_turn[host] ? 0 : choose_fan(probe, host, arcs);
        if (count < 2) {
            probe->had_turn[host] = true;
        } else if (mtree_probe_test_batch_add(&agenda, host, arcs, count,
                                              longest_trip(probe, arcs, count))) {
            probe->fastest[host] = arcs[0];
        } else {
            break;
        }
    }
    return mtree_probe_set_agenda(probe, &agenda, FANS_SHARE,
                                  "several links of each host at once");
}

/* Of the links that @a host used in its fan, the fastest. */
static int find_fastest(const mtree_probe_t *probe, int host)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    const mtree_probe_edge_t *link;
    int fastest = NONE;
    int i, arc;

    for (i = graph->first_link[host]; i != NONE; i = link->next[link->v == host]) {
        link = &graph->links[i];
        arc = 2 * i + (link->v == host);
        if (probe->arcs[arc].most > 0 &&
            (fastest == NONE || probe->arcs[arc].most > probe->arcs[fastest].most)) {
            fastest = arc;
        }
    }
    return fastest;
}

/* Which link each host is to try alone, of those that were in a fan. */
static void prepare_alone(mtree_probe_t *probe)
{
    int host;

    for (host = 0; host < probe->num_hosts; ++host) {
        if (probe->fastest[host] != NONE) {
            probe->fastest[host] = find_fastest(probe, host);
        }
        probe->had_turn[host] = probe->fastest[host] == NONE;
    }
    probe->prepared = true;
}

/* Links of which the fans did not tell enough are tried alone in the same round, as many
 * of them as there is room for. */
static void add_doubtful(const mtree_probe_t *probe, mtree_probe_test_batch_t *agenda)
{
    bool fits = true;
    int arc, from;

    for (arc = 0; fits && arc < 2 * probe->graph.num_links; ++arc) {
        from = mtree_probe_arc_from(&probe->graph, arc);
        if (mtree_probe_graph_is_neighbour(&probe->graph, arc) &&
            probe->fastest[from] != arc && mtree_probe_needs_test(probe, arc)) {
            fits = mtree_probe_test_batch_add(agenda, from, &arc, 1,
                                              longest_trip(probe, &arc, 1));
        }
    }
}

mtree_status_t mtree_probe_fill_single_link_test(mtree_probe_t *probe)
{
    mtree_probe_test_batch_t agenda;
    const int *fastest;
    bool fits = true;
    int host;

    if (!probe->prepared) {
        prepare_alone(probe);
    }
    mtree_probe_test_batch_init(&agenda, &probe->graph);
    for (host = 0; fits && host < probe->num_hosts; ++host) {
        fastest = &probe->fastest[host];
        if (!probe->had_turn[host]) {
            fits = mtree_probe_test_batch_add(&agenda, host, fastest, 1,
                                              longest_trip(probe, fastest, 1));
        }
    }
    if (probe->stage == MTREE_PROBE_STAGE_ALONE) {
        add_doubtful(probe, &agenda);
    }
    return mtree_probe_set_agenda(probe, &agenda, ALONE_SHARE,
                                  "one link of each host alone");
}

/*
 * Was @a arc clearly slower whenever it was part of a fan than whenever it was alone?
 * Streams that did not settle tell nothing.
 */
static bool is_shared(const mtree_probe_t *probe, int arc)
{
    double alone = INFINITY, in_fan = 0;
    const mtree_probe_stream_t *stream;
    int i;

    for (i = 0; i < probe->num_streams; ++i) {
        stream = &probe->streams[i];
        if (stream->from != mtree_probe_arc_from(&probe->graph, arc) ||
            stream->to != mtree_probe_arc_to(&probe->graph, arc) || stream->rate.rising) {
            continue;
        }
        if (stream->alone) {
            alone = fmin(alone, stream->rate.rate);
        } else {
            in_fan = fmax(in_fan, stream->rate.rate);
        }
    }
    return isfinite(alone) && in_fan > 0 && alone > SHARED * in_fan;
}

mtree_status_t mtree_probe_end_single_link_retest(mtree_probe_t *probe)
{
    bool *shared = calloc((size_t)probe->num_hosts, sizeof(*shared));
    mtree_probe_graph_t split;
    mtree_status_t status = MTREE_OK;
    int host, num_shared = 0;

    if (shared == NULL) {
        return mtree_no_memory("the links of %d hosts", probe->num_hosts);
    }
    for (host = 0; host < probe->num_hosts; ++host) {
        shared[host] =
            probe->fastest[host] != NONE && is_shared(probe, probe->fastest[host]);
        num_shared += shared[host];
    }
    if (num_shared > 0) {
        status = mtree_probe_sharing_split(&probe->graph, shared, &split);
        if (status == MTREE_OK) {
            mtree_probe_graph_clear(&probe->graph);
            probe->graph = split;
            status = mtree_probe_fit_graph(probe);
        }
        if (status == MTREE_OK) {
            status = mtree_probe_reset_arcs(probe);
        }
        if (status == MTREE_OK) {
            status = mtree_probe_explain(probe);
        }
    }
    free(shared);
    return status;
}

mtree_status_t mtree_probe_end_single_link_test(mtree_probe_t *probe)
{
    int host, num_shared = 0;

    for (host = 0; host < probe->num_hosts; ++host) {
        if (probe->fastest[host] != NONE && !is_shared(probe, probe->fastest[host])) {
            probe->fastest[host] = NONE;
        }
        probe->had_turn[host] = probe->fastest[host] == NONE;
        num_shared += probe->fastest[host] != NONE;
    }
    if (num_shared > SURE * probe->num_hosts) {
        probe->stage = MTREE_PROBE_STAGE_ALONE_AGAIN;
        return mtree_probe_end_single_link_retest(probe);
    }
    return MTREE_OK;
}

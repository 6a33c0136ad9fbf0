/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stages of the probe that find hosts whose links share one interface.  A host uses
 * several of its links at once, then the fastest of them alone.  Hosts whose links seem
 * to share are tested a second time, as a busy network may have been slow by chance.
 */
#include "base/log.h"
#include "topo/probe/shared_interface.h"
#include "topo/probe/state.h"

#include <math.h>
#include <stdlib.h>

#define NONE (-1)

/* Parts of the time that is left: what remains of it is for the stages that follow. */
#define INTERFACE_TEST_SHARE   0.6
#define SINGLE_LINK_TEST_SHARE 0.8

#define LINKS_AT_ONCE 4 /* links of a host that are used at once */
#define SHARED_SPEEDUP                                                                   \
    1.25 /* an arc that is at least this many times as fast alone shares an interface */

/* When links of more than this part of all hosts seem to share, no second test is needed:
 * chance disturbs one round, and no round tests more than half of the hosts. */
#define SYSTEMATIC 0.75

/* Choose up to LINKS_AT_ONCE arcs from @a host to neighbours, at random, with its fastest
 * if that is known.  Returns their number. */
static int choose_links(mtree_probe_t *probe, int host, int arcs[LINKS_AT_ONCE])
{
    const mtree_probe_graph_t *graph = &probe->graph;
    const mtree_probe_edge_t *link;
    int count = 0, num_candidates = 0;
    int arc, place;

    if (probe->fastest[host] != NONE) {
        arcs[count++] = probe->fastest[host];
    }
    for (int i = graph->first_link[host]; i != NONE; i = link->next[link->v == host]) {
        link = &graph->links[i];
        arc = 2 * i + (link->v == host);
        if (!mtree_probe_graph_is_neighbour(graph, arc) || arc == probe->fastest[host] ||
            probe->reused[arc] > 0) {
            continue;
        }
        ++num_candidates;
        if (count < LINKS_AT_ONCE) {
            arcs[count++] = arc;
            continue;
        }
        place = (int)mtree_random_below(&probe->random, (uint64_t)num_candidates);
        if (place < LINKS_AT_ONCE && arcs[place] != probe->fastest[host]) {
            arcs[place] = arc;
        }
    }
    return count;
}

static mtree_status_t prepare_interface_test(mtree_probe_t *probe)
{
    size_t num_hosts = (size_t)probe->num_hosts;
    mtree_status_t status = mtree_probe_reset_arcs(probe);

    if (status != MTREE_OK) {
        return status;
    }
    MTREE_ARENA_ARRAY(&probe->arena, probe->tested, num_hosts);
    MTREE_ARENA_ARRAY(&probe->arena, probe->fastest, num_hosts);
    if (probe->tested == NULL || probe->fastest == NULL) {
        return mtree_no_memory("the links of %d hosts", probe->num_hosts);
    }
    for (int host = 0; host < probe->num_hosts; ++host) {
        probe->fastest[host] = NONE;
    }
    return MTREE_OK;
}

/* Seconds of a round trip along the longest of @a arcs. */
static double longest_rtt(const mtree_probe_t *probe, const int *arcs, int num_arcs)
{
    double rtt = 0;

    for (int i = 0; i < num_arcs; ++i) {
        rtt = fmax(rtt, 2 * probe->latency[arcs[i] >> 1]);
    }
    return rtt;
}

mtree_status_t mtree_probe_fill_interface_test(mtree_probe_t *probe)
{
    mtree_status_t status =
        (probe->tested != NULL) ? MTREE_OK : prepare_interface_test(probe);
    mtree_probe_test_batch_t batch;
    int host, count;
    int arcs[LINKS_AT_ONCE];

    if (status != MTREE_OK) {
        return status;
    }
    mtree_probe_test_batch_init(&batch, &probe->graph);
    for (host = 0; host < probe->num_hosts; ++host) {
        count = probe->tested[host] ? 0 : choose_links(probe, host, arcs);
        if (count < 2) {
            probe->tested[host] = true;
        } else if (mtree_probe_test_batch_add(&batch, host, arcs, count,
                                              longest_rtt(probe, arcs, count))) {
            probe->fastest[host] = arcs[0];
        } else {
            break;
        }
    }
    return mtree_probe_set_batch(probe, &batch, INTERFACE_TEST_SHARE,
                                 "several links of each host at once");
}

/* The fastest of the links that @a host used at once. */
static int find_fastest(const mtree_probe_t *probe, int host)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    const mtree_probe_edge_t *link;
    int fastest = NONE;
    int arc;

    for (int i = graph->first_link[host]; i != NONE; i = link->next[link->v == host]) {
        link = &graph->links[i];
        arc = 2 * i + (link->v == host);
        if (probe->arcs[arc].most > 0 &&
            (fastest == NONE || probe->arcs[arc].most > probe->arcs[fastest].most)) {
            fastest = arc;
        }
    }
    return fastest;
}

/* Choose the link that each host uses alone. */
static void prepare_single_link_test(mtree_probe_t *probe)
{
    for (int host = 0; host < probe->num_hosts; ++host) {
        if (probe->fastest[host] != NONE) {
            probe->fastest[host] = find_fastest(probe, host);
        }
        probe->tested[host] = probe->fastest[host] == NONE;
    }
    probe->prepared = true;
}

/* Links that still need a test are used alone in the same round, as many of them as fit.
 */
static void add_uncertain_links(const mtree_probe_t *probe,
                                mtree_probe_test_batch_t *batch)
{
    bool fits = true;
    int from;

    for (int arc = 0; fits && arc < 2 * probe->graph.num_links; ++arc) {
        from = mtree_probe_arc_from(&probe->graph, arc);
        if (mtree_probe_graph_is_neighbour(&probe->graph, arc) &&
            probe->fastest[from] != arc && mtree_probe_needs_test(probe, arc)) {
            fits = mtree_probe_test_batch_add(batch, from, &arc, 1,
                                              longest_rtt(probe, &arc, 1));
        }
    }
}

mtree_status_t mtree_probe_fill_single_link_test(mtree_probe_t *probe)
{
    mtree_probe_test_batch_t batch;
    const int *fastest;
    bool fits = true;
    int host;

    if (!probe->prepared) {
        prepare_single_link_test(probe);
    }
    mtree_probe_test_batch_init(&batch, &probe->graph);
    for (host = 0; fits && host < probe->num_hosts; ++host) {
        fastest = &probe->fastest[host];
        if (!probe->tested[host]) {
            fits = mtree_probe_test_batch_add(&batch, host, fastest, 1,
                                              longest_rtt(probe, fastest, 1));
        }
    }
    if (probe->stage == MTREE_PROBE_STAGE_SINGLE_LINK_TEST) {
        add_uncertain_links(probe, &batch);
    }
    return mtree_probe_set_batch(probe, &batch, SINGLE_LINK_TEST_SHARE,
                                 "one link of each host alone");
}

/*
 * Was @a arc clearly slower whenever others were used with it than whenever it was alone?
 * Streams that were still rising are not counted.
 */
static bool is_shared(const mtree_probe_t *probe, int arc)
{
    double alone = INFINITY, together = 0;
    const mtree_probe_stream_t *stream;

    for (int i = 0; i < probe->num_streams; ++i) {
        stream = &probe->streams[i];
        if (stream->from != mtree_probe_arc_from(&probe->graph, arc) ||
            stream->to != mtree_probe_arc_to(&probe->graph, arc) || stream->rate.rising) {
            continue;
        }
        if (stream->alone) {
            alone = fmin(alone, stream->rate.rate);
        } else {
            together = fmax(together, stream->rate.rate);
        }
    }
    return isfinite(alone) && together > 0 && alone > SHARED_SPEEDUP * together;
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
        probe->tested[host] = probe->fastest[host] == NONE;
        num_shared += probe->fastest[host] != NONE;
    }
    if (num_shared > SYSTEMATIC * probe->num_hosts) {
        probe->stage = MTREE_PROBE_STAGE_SINGLE_LINK_RETEST;
        return mtree_probe_end_single_link_retest(probe);
    }
    return MTREE_OK;
}

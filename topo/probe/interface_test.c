/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stages of the probe that find hosts whose links share one interface.  All hosts use
 * several of their links at once, then each the fastest of them alone.  A busy network
 * may have been slow by chance, so all use several links a second time, and hosts whose
 * links seem to share one alone.
 *
 * Without these stages simulated stars whose switch no trace shows get plans with 0.75 of
 * the throughput instead of 0.99.  Host after host the tests took most of the time:
 * plans for ten cloud regions had 0.44, now 0.96 with 3 GB (notes/tried.md).
 */
#include "topo/probe/shared.h"
#include "topo/probe/state.h"

#include <math.h>

#define NONE (-1)

/* Parts of the time that is left: what remains of it is for the stages that follow. */
#define INTERFACE_TEST_SHARE   0.6
#define SINGLE_LINK_TEST_SHARE 0.8

/* Links of a host that are used at once.  There may be many: the test measures each.
 * Where bytes for few are left, the least number still lets what was seen stand for the
 * rest. */
#define LEAST_LINKS_AT_ONCE 4
#define MOST_LINKS_AT_ONCE  16

/* Streams of a round. */
#define MOST_STREAMS 512

#define SHARED_SPEEDUP                                                                   \
    1.25 /* an arc that is at least this many times as fast alone shares an interface */

/*
 * Is @a arc the one of its link that is tested first?  The other one is assumed to be
 * alike, so streams for half of the arcs show most of a network of which the budget bears
 * no more.  Half of a host's arcs are such, if it is linked to all others.
 */
static bool is_first_way(const mtree_probe_graph_t *graph, int arc)
{
    int from = mtree_probe_arc_from(graph, arc), to = mtree_probe_arc_to(graph, arc);

    return (from < to) == ((from + to) % 2 == 0);
}

/* Choose up to @a most arcs from @a host to neighbours, first ways before others, with
 * its fastest if that is known.  Returns their number. */
static int choose_links(const mtree_probe_t *probe, int host, int most,
                        int arcs[MOST_LINKS_AT_ONCE])
{
    const mtree_probe_graph_t *graph = &probe->graph;
    const int num_hosts = probe->num_hosts;
    /* As many streams come to each host, and later rounds choose others. */
    const int first = host + 1 + most * probe->num_rounds;
    int count = probe->fastest[host] != NONE;

    arcs[0] = probe->fastest[host];
    for (int i = 0; i < 2 * num_hosts && count < most; ++i) {
        const int arc = mtree_probe_graph_find_arc(graph, host, (first + i) % num_hosts);

        if (arc != NONE && arc != probe->fastest[host] && probe->arcs[arc].reused <= 0 &&
            mtree_probe_graph_is_neighbour(graph, arc) &&
            is_first_way(graph, arc) == (i < num_hosts)) {
            arcs[count++] = arc;
        }
    }
    return count;
}

/* Streams of a round that @a share of the bytes that are left is enough for. */
static int most_streams(const mtree_probe_t *probe, double share)
{
    const int affordable = mtree_probe_affordable(probe, share, 0);

    return affordable < MOST_STREAMS ? affordable : MOST_STREAMS;
}

/* How many links each host uses at once, as there is room for in one round, and bytes. */
static int count_links(const mtree_probe_t *probe)
{
    double rtt = 0;
    int streams;

    for (int i = 0; i < probe->graph.num_links; ++i) {
        rtt = fmax(rtt, 2 * probe->latency[i]);
    }
    streams = mtree_probe_affordable(probe, INTERFACE_TEST_SHARE, rtt);
    streams = (streams < MOST_STREAMS ? streams : MOST_STREAMS) / probe->num_hosts;
    return streams < LEAST_LINKS_AT_ONCE  ? LEAST_LINKS_AT_ONCE
           : streams > MOST_LINKS_AT_ONCE ? MOST_LINKS_AT_ONCE
                                          : streams;
}

/* Add a stream across @a arc, which is a whole path. */
static void add_stream(mtree_probe_t *probe, int arc)
{
    mtree_probe_add_stream(probe, mtree_probe_arc_from(&probe->graph, arc),
                           mtree_probe_arc_to(&probe->graph, arc));
}

void mtree_probe_fill_interface_test(mtree_probe_t *probe)
{
    const int most = count_links(probe);
    const int affordable = most_streams(probe, INTERFACE_TEST_SHARE);
    int arcs[MOST_LINKS_AT_ONCE];

    for (int host = 0; host < probe->num_hosts; ++host) {
        int count = probe->tested[host] ? 0 : choose_links(probe, host, most, arcs);

        if (probe->num_experiments + count > affordable) {
            break;
        }
        probe->tested[host] = true;
        for (int i = 0; i < count && count >= 2; ++i) {
            add_stream(probe, arcs[i]);
        }
        if (count >= 2 && probe->stage == MTREE_PROBE_STAGE_INTERFACE_TEST) {
            probe->fastest[host] = arcs[0];
        }
    }
    mtree_probe_set_round(probe, INTERFACE_TEST_SHARE, INTERFACE_TEST_SHARE,
                          "several links of each host at once");
}

/* The fastest of the links that @a host used at once. */
static int find_fastest(const mtree_probe_t *probe, int host)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    int fastest = NONE;

    MTREE_PROBE_ARCS_FROM (arc, graph, host) {
        if (probe->arcs[arc].most > 0 && probe->arcs[arc].reused <= 0 &&
            mtree_probe_graph_is_neighbour(graph, arc) &&
            (fastest == NONE || probe->arcs[arc].most > probe->arcs[fastest].most)) {
            fastest = arc;
        }
    }
    return fastest;
}

mtree_status_t mtree_probe_end_interface_test(mtree_probe_t *probe)
{
    for (int host = 0; host < probe->num_hosts; ++host) {
        if (probe->fastest[host] != NONE) {
            probe->fastest[host] = find_fastest(probe, host);
        }
        probe->tested[host] = probe->fastest[host] == NONE;
    }
    return MTREE_OK;
}

/* May @a host send across its link beside the streams of the round?  No two have a
 * sender, a receiver or a link in common. */
static bool is_apart(const mtree_probe_t *probe, int host)
{
    const int to = mtree_probe_arc_to(&probe->graph, probe->fastest[host]);

    for (int i = 0; i < probe->num_experiments; ++i) {
        const mtree_probe_experiment_t *other = &probe->experiments[i];

        if (other->to == to || (other->from == to && other->to == host)) {
            return false;
        }
    }
    return true;
}

void mtree_probe_fill_single_link_test(mtree_probe_t *probe)
{
    const int affordable = most_streams(probe, SINGLE_LINK_TEST_SHARE);
    int due = 0;
    double share;

    for (int host = 0; host < probe->num_hosts; ++host) {
        due += !probe->tested[host];
        if (!probe->tested[host] && probe->num_experiments < affordable &&
            is_apart(probe, host)) {
            probe->tested[host] = true;
            add_stream(probe, probe->fastest[host]);
        }
    }
    /* Rounds like this one follow. */
    share = SINGLE_LINK_TEST_SHARE * probe->num_experiments / (due > 0 ? due : 1);
    mtree_probe_set_round(probe, share, share, "one link of each host alone");
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
    mtree_probe_graph_t split;
    bool *shared;
    int num_shared = 0;

    MTREE_ARENA_ARRAY(&probe->scratch, shared, (size_t)probe->num_hosts);
    for (int host = 0; host < probe->num_hosts; ++host) {
        shared[host] =
            probe->fastest[host] != NONE && is_shared(probe, probe->fastest[host]);
        num_shared += shared[host];
    }
    if (num_shared == 0) {
        return MTREE_OK;
    }
    mtree_probe_split_shared(&probe->graph, shared, &split);
    mtree_probe_graph_clear(&probe->graph);
    probe->graph = split;
    return mtree_probe_fit_graph(probe);
}

mtree_status_t mtree_probe_end_single_link_test(mtree_probe_t *probe)
{
    for (int host = 0; host < probe->num_hosts; ++host) {
        if (probe->fastest[host] != NONE && !is_shared(probe, probe->fastest[host])) {
            probe->fastest[host] = NONE;
        }
        probe->tested[host] = false;
    }
    return MTREE_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The stages of the probe that find hosts whose links share one interface.  All hosts use
 * several of their links at once, then each the fastest of them alone.  A busy network
 * may have been slow by chance, so all use several links a second time, and hosts whose
 * links seem to share one alone.
 *
 * Without these stages simulated stars whose switch no trace shows get plans with 0.75 of
 * the throughput instead of 0.99.  Host after host the tests took most of the time:
 * plans for ten cloud regions had 0.44, now 0.98 with 10 GB (notes/tried.md).
 */
#include "base/log.h"
#include "topo/probe/state.h"

#include <math.h>
#include <stdlib.h>

#define NONE (-1)

/* Parts of the time that is left: what remains of it is for the stages that follow. */
#define INTERFACE_TEST_SHARE   0.6
#define SINGLE_LINK_TEST_SHARE 0.8

/* Links of a host that are used at once.  There may be many: the test measures each.
 * Where bytes for few are left, the least number still lets what was seen stand for the
 * rest. */
#define LEAST_LINKS_AT_ONCE 4
#define MOST_LINKS_AT_ONCE  16

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

/* Choose up to @a room arcs from @a host to neighbours, at random, all of which are the
 * first ways of their links or all not; returns their number. */
static int draw_links(mtree_probe_t *probe, int host, bool first_way, int room, int *arcs)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    const mtree_probe_edge_t *link;
    int count = 0, arc, place;

    for (int i = graph->first_link[host]; i != NONE; i = link->next[link->v == host]) {
        link = &graph->links[i];
        arc = 2 * i + (link->v == host);
        if (!mtree_probe_graph_is_neighbour(graph, arc) || arc == probe->fastest[host] ||
            probe->reused[arc] > 0 || is_first_way(graph, arc) != first_way) {
            continue;
        }
        ++count;
        place = count <= room ? count - 1
                              : (int)mtree_random_below(&probe->random, (uint64_t)count);
        if (place < room) {
            arcs[place] = arc;
        }
    }
    return count < room ? count : room;
}

/* Choose up to @a most arcs from @a host to neighbours, at random, with its fastest if
 * that is known.  Returns their number. */
static int choose_links(mtree_probe_t *probe, int host, int most,
                        int arcs[MOST_LINKS_AT_ONCE])
{
    int count = probe->fastest[host] != NONE;

    arcs[0] = probe->fastest[host];
    count += draw_links(probe, host, true, most - count, arcs + count);
    return count + draw_links(probe, host, false, most - count, arcs + count);
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

/* How many links each host uses at once, as there is room for in one batch, and bytes. */
static int count_links(const mtree_probe_t *probe)
{
    double rtt = 0;
    int streams;

    for (int i = 0; i < probe->graph.num_links; ++i) {
        rtt = fmax(rtt, 2 * probe->latency[i]);
    }
    streams = mtree_probe_affordable(probe, INTERFACE_TEST_SHARE, rtt);
    if (streams > MTREE_PROBE_BATCH_CAPACITY) {
        streams = MTREE_PROBE_BATCH_CAPACITY;
    }
    streams /= probe->num_hosts;
    return streams < LEAST_LINKS_AT_ONCE  ? LEAST_LINKS_AT_ONCE
           : streams > MOST_LINKS_AT_ONCE ? MOST_LINKS_AT_ONCE
                                          : streams;
}

mtree_status_t mtree_probe_fill_interface_test(mtree_probe_t *probe)
{
    const int most = count_links(probe);
    mtree_status_t status =
        (probe->tested != NULL) ? MTREE_OK : prepare_interface_test(probe);
    mtree_probe_test_batch_t batch = {.graph = &probe->graph, .at_once = true};
    int host, count;
    int arcs[MOST_LINKS_AT_ONCE];

    if (status != MTREE_OK) {
        return status;
    }
    for (host = 0; host < probe->num_hosts; ++host) {
        count = probe->tested[host] ? 0 : choose_links(probe, host, most, arcs);
        if (count < 2) {
            probe->tested[host] = true;
        } else if (mtree_probe_test_batch_add(&batch, host, arcs, count,
                                              longest_rtt(probe, arcs, count))) {
            if (probe->stage == MTREE_PROBE_STAGE_INTERFACE_TEST) {
                probe->fastest[host] = arcs[0];
            }
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

mtree_status_t mtree_probe_fill_single_link_test(mtree_probe_t *probe)
{
    mtree_probe_test_batch_t batch = {.graph = &probe->graph};
    const int *fastest;
    bool fits = true;
    int host;

    if (!probe->prepared) {
        prepare_single_link_test(probe);
    }
    for (host = 0; fits && host < probe->num_hosts; ++host) {
        fastest = &probe->fastest[host];
        if (!probe->tested[host]) {
            fits = mtree_probe_test_batch_add(&batch, host, fastest, 1,
                                              longest_rtt(probe, fastest, 1));
        }
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

typedef struct {
    const mtree_probe_graph_t *old;
    mtree_probe_graph_t *graph;
    int *group;    /* [num_hosts] the least of the hosts of the same switch, or NONE */
    int *size;     /* [num_hosts] hosts of the group whose least host it is */
    int *port;     /* [num_hosts] the switch of a group */
    int *vertices; /* of the current path */
    mtree_arena_t arena; /* of the arrays */
} splitter_t;

/* Is @a host linked to a host of @a group, and is no path of several links known from it
 * to one of them? */
static bool belongs(const splitter_t *splitter, int host, int group)
{
    const mtree_probe_graph_t *old = splitter->old;
    const mtree_probe_edge_t *link;
    bool linked = false;
    int other;

    for (int i = old->first_link[host]; i != NONE; i = link->next[link->v == host]) {
        link = &old->links[i];
        other = (link->u == host) ? link->v : link->u;
        linked |= other < old->num_hosts && splitter->group[other] == group;
    }
    for (int i = old->first_path[host]; linked && i < old->first_path[host + 1]; ++i) {
        if (old->paths[i].num_arcs > 1 && splitter->group[old->paths[i].to] == group) {
            return false;
        }
    }
    return linked;
}

/* Add to @a group every host that belongs to it; true if there was one. */
static bool grow_group(splitter_t *splitter, const bool *shared, int group)
{
    bool grown = false;

    for (int host = 0; host < splitter->old->num_hosts; ++host) {
        if (shared[host] && splitter->group[host] == NONE &&
            belongs(splitter, host, group)) {
            splitter->group[host] = group;
            ++splitter->size[group];
            grown = true;
        }
    }
    return grown;
}

/* Hosts of one Ethernet are linked, directly or, where not all routes were traced,
 * through others. */
static void form_groups(splitter_t *splitter, const bool *shared)
{
    int num_hosts = splitter->old->num_hosts;
    int group;

    for (int host = 0; host < num_hosts; ++host) {
        splitter->group[host] = NONE;
    }
    for (int host = 0; host < num_hosts; ++host) {
        if (shared[host] && splitter->group[host] == NONE) {
            splitter->group[host] = host;
            splitter->size[host] = 1;
            while (grow_group(splitter, shared, host)) {}
        }
    }
    /* Two hosts are no network: each keeps an interface of its own. */
    for (int host = 0; host < num_hosts; ++host) {
        if (splitter->group[host] != NONE && splitter->size[splitter->group[host]] == 2) {
            group = splitter->group[host];
            splitter->group[host] = host;
            if (host != group) {
                splitter->size[host] = 1;
                splitter->size[group] = 1;
            }
        }
    }
}

static mtree_status_t add_switches(splitter_t *splitter)
{
    const mtree_probe_graph_t *old = splitter->old;
    mtree_status_t status = MTREE_OK;
    int vertex;

    for (int i = old->num_hosts; status == MTREE_OK && i < old->num_vertices; ++i) {
        status = mtree_probe_graph_add_switch(splitter->graph, old->names[i], &vertex);
    }
    for (int i = 0; status == MTREE_OK && i < old->num_hosts; ++i) {
        if (splitter->group[i] == i) {
            status =
                mtree_probe_graph_add_switch(splitter->graph, NULL, &splitter->port[i]);
        }
    }
    return status;
}

static int port_of(const splitter_t *splitter, int vertex)
{
    if (vertex >= splitter->old->num_hosts || splitter->group[vertex] == NONE) {
        return NONE;
    }
    return splitter->port[splitter->group[vertex]];
}

/* List the vertices of @a path with the switches between them; returns their number. */
static int lay_out(splitter_t *splitter, const mtree_probe_path_t *path)
{
    int *vertices = splitter->vertices;
    int last = path->from;
    int length = 0;
    int vertex, out, in;

    vertices[length++] = path->from;
    for (int i = 0; i < path->num_arcs; ++i) {
        vertex = mtree_probe_arc_to(splitter->old, path->arcs[i]);
        out = port_of(splitter, last);
        in = port_of(splitter, vertex);
        if (out != NONE && out != vertices[length - 1]) {
            /* Data that a host forwards enters and leaves by the same port, so the port
             * alone is on the path. */
            if (length >= 2 && vertices[length - 2] == out) {
                --length;
            } else {
                vertices[length++] = out;
            }
        }
        if (in != NONE && in != out) {
            vertices[length++] = in;
        }
        vertices[length++] = vertex;
        last = vertex;
    }
    return length;
}

static mtree_status_t copy_paths(splitter_t *splitter)
{
    const mtree_probe_graph_t *old = splitter->old;
    mtree_status_t status = MTREE_OK;

    for (int i = 0; status == MTREE_OK && i < old->num_paths; ++i) {
        status = mtree_probe_graph_add_path(splitter->graph, splitter->vertices,
                                            lay_out(splitter, &old->paths[i]));
    }
    return status;
}

/*
 * A copy of @a graph with switches behind the interfaces of the hosts for which
 * @a shared[host] is set.  Three or more such hosts that are linked, and none of which
 * has a known path of several links to another, are joined by one switch instead of their
 * links.  Any other such host gets a switch of its own, to which its links move.  The
 * caller clears *graph_p.  MTREE_ERR_NO_MEMORY.
 */
static mtree_status_t split_shared(const mtree_probe_graph_t *graph, const bool *shared,
                                   mtree_probe_graph_t *graph_p)
{
    size_t num_hosts = (size_t)graph->num_hosts;
    splitter_t splitter = {.old = graph};
    mtree_probe_graph_t split;
    mtree_status_t status;

    status = mtree_probe_graph_init(&split, graph->num_hosts);
    if (status != MTREE_OK) {
        return status;
    }
    splitter.graph = &split;
    MTREE_ARENA_ARRAY(&splitter.arena, splitter.group, num_hosts);
    MTREE_ARENA_ARRAY(&splitter.arena, splitter.size, num_hosts);
    MTREE_ARENA_ARRAY(&splitter.arena, splitter.port, num_hosts);
    MTREE_ARENA_ARRAY(&splitter.arena, splitter.vertices,
                      3 * ((size_t)graph->num_vertices + 1));
    if (splitter.arena.status != MTREE_OK) {
        status = mtree_no_memory("the interfaces of %zu hosts", num_hosts);
    } else {
        form_groups(&splitter, shared);
        status = add_switches(&splitter);
    }
    if (status == MTREE_OK) {
        status = copy_paths(&splitter);
    }
    if (status == MTREE_OK) {
        status = mtree_probe_graph_index(&split);
    }
    if (status == MTREE_OK) {
        *graph_p = split;
    } else {
        mtree_probe_graph_clear(&split);
    }
    mtree_arena_cleanup(&splitter.arena);
    return status;
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
        status = split_shared(&probe->graph, shared, &split);
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
    for (int host = 0; host < probe->num_hosts; ++host) {
        if (probe->fastest[host] != NONE && !is_shared(probe, probe->fastest[host])) {
            probe->fastest[host] = NONE;
        }
        probe->tested[host] = false;
    }
    return MTREE_OK;
}

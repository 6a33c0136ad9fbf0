/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/bound/quickest_flow.h"

#include "base/memory.h"
#include "topo/adjacency.h"
#include "topo/vertex_heap.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room below this part of a link's capacity is what rounding leaves. */
#define NO_ROOM 1e-12

/* What latencies are counted in, seconds. */
#define PICOSECOND 1e-12

/* Instead of an arc into a vertex. */
#define NONE  (-1)
#define BEGIN (-2)

struct mtree_quickest_flow {
    const mtree_topology_t *topology;
    mtree_adjacency_t adjacency;
    int64_t *latency; /* [num_links] picoseconds */
    double *capacity; /* [2 x num_links] bits/s */
    double *flow;     /* [num_links] bits/s from u to v; negative: from v to u */
    /* Vertex number num_vertices, the end, is behind all those to which the flow goes. */
    mtree_distance_t *price; /* [num_vertices + 1] no arc with room costs less than what
                                the prices of its ends differ by */
    mtree_distance_t *distance; /* [num_vertices + 1] from the begin, beyond the prices */
    mtree_vertex_heap_t heap;
    int *into;   /* [num_vertices + 1] the arc that reached each; of the end the vertex */
    bool *is_to; /* [num_vertices] */
    double work; /* arcs that may still be looked at */
    mtree_arena_t arena;
};

static void allocate(mtree_quickest_flow_t *flow)
{
    const mtree_topology_t *topology = flow->topology;
    const size_t vertices = (size_t)topology->num_vertices + 1;
    const size_t links = (size_t)topology->num_links;
    mtree_arena_t *arena = &flow->arena;

    MTREE_ARENA_ARRAY(arena, flow->latency, links);
    MTREE_ARENA_ARRAY(arena, flow->capacity, 2 * links);
    MTREE_ARENA_ARRAY(arena, flow->flow, links);
    MTREE_ARENA_ARRAY(arena, flow->price, vertices);
    MTREE_ARENA_ARRAY(arena, flow->distance, vertices);
    MTREE_ARENA_ARRAY(arena, flow->into, vertices);
    MTREE_ARENA_ARRAY(arena, flow->is_to, vertices);
    mtree_vertex_heap_init(&flow->heap, flow->distance, topology->num_vertices + 1,
                           arena);
    mtree_adjacency_init(&flow->adjacency, topology, arena);
}

mtree_quickest_flow_t *mtree_quickest_flow_create(const mtree_topology_t *topology,
                                                  bool reversed)
{
    mtree_quickest_flow_t *flow = mtree_calloc(1, sizeof(*flow));

    flow->topology = topology;
    flow->work = INFINITY;
    allocate(flow);
    for (int l = 0; l < topology->num_links; ++l) {
        flow->latency[l] = mtree_distance_picoseconds(topology->links[l].latency);
    }
    for (int arc = 0; arc < 2 * topology->num_links; ++arc) {
        flow->capacity[arc] = mtree_arc_capacity(topology, reversed ? arc ^ 1 : arc);
    }
    return flow;
}

void mtree_quickest_flow_destroy(mtree_quickest_flow_t *flow)
{
    if (flow != NULL) {
        mtree_arena_cleanup(&flow->arena);
        free(flow);
    }
}

void mtree_quickest_flow_limit(mtree_quickest_flow_t *flow, double arcs)
{
    flow->work = arcs;
}

bool mtree_quickest_flow_is_over(const mtree_quickest_flow_t *flow)
{
    return flow->work <= 0.0;
}

static mtree_distance_t sum(mtree_distance_t a, mtree_distance_t b)
{
    return (mtree_distance_t){a.latency + b.latency, a.links + b.links};
}

static mtree_distance_t difference(mtree_distance_t a, mtree_distance_t b)
{
    return (mtree_distance_t){a.latency - b.latency, a.links - b.links};
}

/* The bits/s that @a arc can carry besides the flow, and what they cost.  They take the
 * place of what flows the other way, if anything does, which makes the flow cheaper. */
static double find_room(const mtree_quickest_flow_t *flow, int arc,
                        mtree_distance_t *cost_p)
{
    const int link = arc >> 1;
    const double along = (arc & 1) != 0 ? -flow->flow[link] : flow->flow[link];
    const double tiny = NO_ROOM * fmax(flow->capacity[arc], flow->capacity[arc ^ 1]);
    double room = flow->capacity[arc] - along;

    *cost_p = (mtree_distance_t){flow->latency[link], 1};
    if (along < -tiny) {
        *cost_p = difference((mtree_distance_t){0, 0}, *cost_p);
        room = -along;
    }
    return room > tiny ? room : 0.0;
}

/* Offer @a vertex a path through @a by that is so long. */
static void offer(mtree_quickest_flow_t *flow, int vertex, int by,
                  mtree_distance_t distance)
{
    if (flow->into[vertex] == NONE ||
        mtree_distance_compare(distance, flow->distance[vertex]) < 0) {
        flow->into[vertex] = by;
        flow->distance[vertex] = distance;
        mtree_vertex_heap_offer(&flow->heap, vertex);
    }
}

static void expand(mtree_quickest_flow_t *flow, int vertex)
{
    const mtree_topology_t *topology = flow->topology;
    const int end = topology->num_vertices;
    const mtree_distance_t so_far = sum(flow->distance[vertex], flow->price[vertex]);
    const int *first = flow->adjacency.first;
    mtree_distance_t cost;

    for (int i = first[vertex]; i < first[vertex + 1]; ++i) {
        const int arc = flow->adjacency.arcs[i], to = mtree_arc_to(topology, arc);

        if (flow->into[to] != BEGIN && find_room(flow, arc, &cost) > 0.0) {
            offer(flow, to, arc, difference(sum(so_far, cost), flow->price[to]));
        }
    }
    if (flow->is_to[vertex]) {
        offer(flow, end, vertex, difference(so_far, flow->price[end]));
    }
    flow->work -= first[vertex + 1] - first[vertex];
}

/* Find the cheapest path from @a from to the end (Dijkstra's algorithm on costs less
 * prices); false: there is none, and all that can be reached has its distance. */
static bool search(mtree_quickest_flow_t *flow, int from)
{
    const int end = flow->topology->num_vertices;

    for (int v = 0; v <= end; ++v) {
        flow->into[v] = NONE;
    }
    mtree_vertex_heap_clear(&flow->heap);
    offer(flow, from, BEGIN, (mtree_distance_t){0, 0});
    while (flow->heap.length > 0) {
        const int vertex = mtree_vertex_heap_pop(&flow->heap);

        if (vertex == end) {
            return true;
        }
        expand(flow, vertex);
    }
    return false;
}

/* Raise prices by the distances that a successful search found, by that of the end where
 * they are farther or not known. */
static void raise_prices(mtree_quickest_flow_t *flow)
{
    const int end = flow->topology->num_vertices;
    const mtree_distance_t most = flow->distance[end];

    for (int v = 0; v <= end; ++v) {
        const bool is_near =
            flow->into[v] != NONE && mtree_distance_compare(flow->distance[v], most) < 0;

        flow->price[v] = sum(flow->price[v], is_near ? flow->distance[v] : most);
    }
}

/* Fill the path that was found; bits/s. */
static double fill_path(mtree_quickest_flow_t *flow)
{
    const mtree_topology_t *topology = flow->topology;
    const int *into = flow->into;
    const int last = into[topology->num_vertices];
    double least = INFINITY;
    mtree_distance_t cost;

    for (int v = last; into[v] != BEGIN; v = mtree_arc_from(topology, into[v])) {
        least = fmin(least, find_room(flow, into[v], &cost));
    }
    for (int v = last; into[v] != BEGIN; v = mtree_arc_from(topology, into[v])) {
        flow->flow[into[v] >> 1] += (into[v] & 1) != 0 ? -least : least;
    }
    return least;
}

/* Begin with no flow. */
static void begin(mtree_quickest_flow_t *flow, const int *to, int num_to)
{
    const size_t vertices = (size_t)flow->topology->num_vertices + 1;

    memset(flow->flow, 0, (size_t)flow->topology->num_links * sizeof(*flow->flow));
    memset(flow->price, 0, vertices * sizeof(*flow->price));
    memset(flow->is_to, 0, vertices * sizeof(*flow->is_to));
    for (int i = 0; i < num_to; ++i) {
        flow->is_to[to[i]] = true;
    }
}

void mtree_quickest_flow_distances(mtree_quickest_flow_t *flow, int from, double *seconds)
{
    begin(flow, NULL, 0);
    (void)search(flow, from);
    for (int v = 0; v < flow->topology->num_vertices; ++v) {
        seconds[v] = flow->into[v] == NONE
                         ? INFINITY
                         : (double)flow->distance[v].latency * PICOSECOND;
    }
}

double mtree_quickest_flow_seconds(mtree_quickest_flow_t *flow, int from, const int *to,
                                   int num_to, double bits, double enough)
{
    const int end = flow->topology->num_vertices;
    double seconds = INFINITY, carried = 0.0, on_way = 0.0;

    begin(flow, to, num_to);
    while (search(flow, from)) {
        double length, rate;

        raise_prices(flow);
        length = (double)flow->price[end].latency * PICOSECOND;
        if (length >= seconds) {
            break;
        }
        rate = fill_path(flow);
        carried += rate;
        on_way += rate * length;
        seconds = (bits + on_way) / carried;
        if (seconds <= enough) {
            break;
        }
        if (mtree_quickest_flow_is_over(flow)) {
            return 0.0;
        }
    }
    return seconds;
}

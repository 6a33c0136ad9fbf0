/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/routes.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/log.h"
#include "topo/adjacency.h"
#include "topo/vertex_heap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

/* The routes to one destination, in the order of their sources. */
typedef struct {
    int *arcs;
    int *first; /* [num_hosts + 1] the begin of a source's route in arcs */
} table_t;

struct mtree_routes {
    const mtree_topology_t *topology;
    int num_hosts;
    bool *is_host;   /* [num_vertices] one of the hosts given at creation */
    table_t *tables; /* [num_hosts] by destination */
    mtree_arena_t arena;
};

typedef struct {
    const mtree_topology_t *topology;
    mtree_adjacency_t adjacency;
    int64_t *latency;           /* [num_links] picoseconds */
    mtree_distance_t *distance; /* [num_vertices] to the destination */
    mtree_vertex_heap_t heap;
    int *next_arc; /* [num_vertices] the arc to take from here, or NONE */
    bool *fixed;   /* [num_vertices] neighbours of the destination: their arc is fixed */
    int64_t *choices; /* [num_vertices] product of the numbers of equal next vertices */
    mtree_arena_t arena; /* of the arrays */
} search_t;

/* Offer the vertex that @a arc leaves a path over it. */
static void search_offer(search_t *search, int arc, mtree_distance_t distance)
{
    const mtree_topology_t *topology = search->topology;
    int vertex = mtree_arc_from(topology, arc);

    if (search->next_arc[vertex] != NONE &&
        mtree_distance_compare(distance, search->distance[vertex]) >= 0) {
        return;
    }
    search->next_arc[vertex] = arc;
    search->distance[vertex] = distance;
    mtree_vertex_heap_offer(&search->heap, vertex);
}

/* The distance of the vertex that @a arc leaves over that arc. */
static mtree_distance_t distance_over(const search_t *search, int arc)
{
    mtree_distance_t distance = search->distance[mtree_arc_to(search->topology, arc)];

    distance.latency += search->latency[arc >> 1];
    distance.links += 1;
    return distance;
}

/* Offer a path through @a vertex to the vertices with an arc to it. */
static void search_expand(search_t *search, int vertex)
{
    const mtree_topology_t *topology = search->topology;
    int arc;

    for (int i = search->adjacency.first[vertex]; i < search->adjacency.first[vertex + 1];
         ++i) {
        arc = search->adjacency.arcs[i] ^ 1;
        if (!search->fixed[mtree_arc_from(topology, arc)] &&
            mtree_arc_capacity(topology, arc) > 0) {
            search_offer(search, arc, distance_over(search, arc));
        }
    }
}

/* Is @a arc a best one of the vertex it leaves, whose distance is known? */
static bool is_best(const search_t *search, int arc)
{
    int from = mtree_arc_from(search->topology, arc);
    int to = mtree_arc_to(search->topology, arc);

    return mtree_arc_capacity(search->topology, arc) > 0 &&
           search->next_arc[to] != NONE &&
           mtree_distance_compare(distance_over(search, arc), search->distance[from]) ==
               0;
}

/*
 * Choose among the equal next vertices of @a vertex by the index of the destination, as a
 * number of mixed radix: the choice nearest the destination uses the lowest digit, the
 * one before it the next.  Routes to the destinations below one switch of a fat tree then
 * use different switches above it.
 */
static void search_spread(search_t *search, int vertex, int destination)
{
    int first = search->adjacency.first[vertex];
    int end = search->adjacency.first[vertex + 1];
    int64_t choices = 0;
    int count = 0;
    int chosen;

    for (int i = first; i < end; ++i) {
        if (is_best(search, search->adjacency.arcs[i])) {
            if (count == 0) {
                choices = search->choices[mtree_arc_to(search->topology,
                                                       search->adjacency.arcs[i])];
            }
            ++count;
        }
    }
    chosen = (int)(destination / choices % count);
    for (int i = first; chosen >= 0; ++i) {
        if (is_best(search, search->adjacency.arcs[i])) {
            search->next_arc[vertex] = search->adjacency.arcs[i];
            --chosen;
        }
    }
    /* Past the largest index every digit is zero. */
    search->choices[vertex] =
        (choices > MTREE_TOPOLOGY_MAX_VERTICES) ? choices : choices * count;
}

/*
 * Fill next_arc for @a destination: Dijkstra's algorithm backwards from it.  Each link
 * adds to the count of links, so distances grow strictly: when a vertex is taken, the
 * vertices that may follow it on a best path have been taken before.
 */
static void search_run(search_t *search, int destination)
{
    int num_vertices = search->topology->num_vertices;
    int vertex;

    memset(search->fixed, 0, (size_t)num_vertices * sizeof(*search->fixed));
    for (int i = 0; i < num_vertices; ++i) {
        search->next_arc[i] = NONE;
        search->choices[i] = 1;
    }
    search->distance[destination] = (mtree_distance_t){0, 0};
    search->fixed[destination] = true;
    search_expand(search, destination);
    for (int i = 0; i < search->heap.length; ++i) {
        search->fixed[search->heap.vertices[i]] = true;
    }
    while (search->heap.length > 0) {
        vertex = mtree_vertex_heap_pop(&search->heap);
        if (!search->fixed[vertex]) {
            search_spread(search, vertex, destination);
        }
        search_expand(search, vertex);
    }
}

static mtree_status_t search_init(search_t *search, const mtree_topology_t *topology)
{
    const size_t num_vertices = (size_t)topology->num_vertices;
    mtree_arena_t *arena = &search->arena;

    search->topology = topology;
    MTREE_ARENA_ARRAY(arena, search->latency, (size_t)topology->num_links);
    MTREE_ARENA_ARRAY(arena, search->distance, num_vertices);
    MTREE_ARENA_ARRAY(arena, search->next_arc, num_vertices);
    MTREE_ARENA_ARRAY(arena, search->fixed, num_vertices);
    MTREE_ARENA_ARRAY(arena, search->choices, num_vertices);
    mtree_vertex_heap_init(&search->heap, search->distance, topology->num_vertices,
                           arena);
    if (arena->status != MTREE_OK) {
        return mtree_no_memory("the routes of %zu vertices", num_vertices);
    }
    for (int i = 0; i < topology->num_links; ++i) {
        search->latency[i] = mtree_distance_picoseconds(topology->links[i].latency);
    }
    return mtree_adjacency_init(&search->adjacency, topology, arena);
}

/*
 * The number of arcs from @a vertex to @a destination, which are written to @a arcs
 * unless it is NULL; -1 when there is no path.
 */
static int search_follow(const search_t *search, int vertex, int destination, int *arcs)
{
    int count = 0;
    int arc;

    while (vertex != destination) {
        arc = search->next_arc[vertex];
        if (arc == NONE) {
            return -1;
        }
        if (arcs != NULL) {
            arcs[count] = arc;
        }
        ++count;
        vertex = mtree_arc_to(search->topology, arc);
    }
    return count;
}

static mtree_status_t no_memory(int num_hosts)
{
    return mtree_no_memory("the routes between %d hosts", num_hosts);
}

/* Store the routes from all hosts to @a destination. */
static mtree_status_t table_fill(mtree_routes_t *routes, table_t *table,
                                 const search_t *search, const int *hosts,
                                 int destination)
{
    const mtree_topology_t *topology = search->topology;
    const int num_hosts = routes->num_hosts;
    int total = 0, count;

    MTREE_ARENA_ARRAY(&routes->arena, table->first, (size_t)num_hosts + 1);
    if (table->first == NULL) {
        return no_memory(num_hosts);
    }
    for (int i = 0; i < num_hosts; ++i) {
        count = search_follow(search, hosts[i], destination, NULL);
        if (count < 0) {
            mtree_error("%s: host %s has no path to host %s; join them with links",
                        topology->source, topology->vertices[hosts[i]].name,
                        topology->vertices[destination].name);
            return MTREE_ERR_UNREACHABLE;
        }
        /* At most 4096 hosts times 16384 links per route: within an int. */
        total += count;
        table->first[i + 1] = total;
    }
    MTREE_ARENA_ARRAY(&routes->arena, table->arcs, (size_t)total);
    if (table->arcs == NULL) {
        return no_memory(num_hosts);
    }
    for (int i = 0; i < num_hosts; ++i) {
        search_follow(search, hosts[i], destination, table->arcs + table->first[i]);
    }
    return MTREE_OK;
}

static mtree_status_t routes_fill(mtree_routes_t *routes, const int *hosts)
{
    const mtree_topology_t *topology = routes->topology;
    const int num_hosts = routes->num_hosts;
    search_t search = {0};
    mtree_status_t status;

    MTREE_ARENA_ARRAY(&routes->arena, routes->is_host, (size_t)topology->num_vertices);
    MTREE_ARENA_ARRAY(&routes->arena, routes->tables, (size_t)num_hosts);
    if (routes->arena.status != MTREE_OK) {
        return no_memory(num_hosts);
    }
    for (int i = 0; i < num_hosts; ++i) {
        routes->is_host[hosts[i]] = true;
    }
    status = search_init(&search, topology);
    for (int i = 0; i < num_hosts && status == MTREE_OK; ++i) {
        search_run(&search, hosts[i]);
        status = mtree_cancel_is_set()
                     ? MTREE_ERR_CANCELLED
                     : table_fill(routes, &routes->tables[i], &search, hosts, hosts[i]);
    }
    mtree_arena_cleanup(&search.arena);
    return status;
}

mtree_status_t mtree_routes_create(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, mtree_routes_t **routes_p)
{
    mtree_routes_t *routes;
    mtree_status_t status;

    if (num_hosts > MTREE_ROUTES_MAX_HOSTS) {
        mtree_error(
            "%s: routes between %d hosts are more than mtree computes (%d hosts); name "
            "fewer hosts",
            topology->source, num_hosts, MTREE_ROUTES_MAX_HOSTS);
        return MTREE_ERR_LIMIT;
    }
    routes = calloc(1, sizeof(*routes));
    if (routes == NULL) {
        return no_memory(num_hosts);
    }
    routes->topology = topology;
    routes->num_hosts = num_hosts;
    status = routes_fill(routes, hosts);
    if (status != MTREE_OK) {
        mtree_routes_destroy(routes);
        return status;
    }
    *routes_p = routes;
    return MTREE_OK;
}

void mtree_routes_destroy(mtree_routes_t *routes)
{
    if (routes != NULL) {
        mtree_arena_cleanup(&routes->arena);
        free(routes);
    }
}

const int *mtree_routes_get(const mtree_routes_t *routes, int from, int to,
                            int *num_arcs_p)
{
    const table_t *table = &routes->tables[to];

    *num_arcs_p = table->first[from + 1] - table->first[from];
    return table->arcs + table->first[from];
}

double mtree_routes_latency(const mtree_routes_t *routes, int from, int to)
{
    double latency = 0;
    int num_arcs;
    const int *arcs = mtree_routes_get(routes, from, to, &num_arcs);

    for (int i = 0; i < num_arcs; ++i) {
        latency += routes->topology->links[arcs[i] >> 1].latency;
    }
    return latency;
}

double mtree_routes_capacity(const mtree_routes_t *routes, int from, int to)
{
    double least = INFINITY;
    int num_arcs;
    const int *arcs = mtree_routes_get(routes, from, to, &num_arcs);

    for (int i = 0; i < num_arcs; ++i) {
        least = fmin(least, mtree_arc_capacity(routes->topology, arcs[i]));
    }
    return least;
}

bool mtree_routes_adjacent(const mtree_routes_t *routes, int from, int to)
{
    int num_arcs;
    const int *arcs = mtree_routes_get(routes, from, to, &num_arcs);

    for (int i = 0; i + 1 < num_arcs; ++i) {
        if (routes->is_host[mtree_arc_to(routes->topology, arcs[i])]) {
            return false;
        }
    }
    return true;
}

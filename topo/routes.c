/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/routes.h"

#include "base/arena.h"
#include "base/cancel.h"
#include "base/log.h"
#include "base/memory.h"
#include "topo/adjacency.h"
#include "topo/vertex_heap.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

/* How far a host is from a destination. */
typedef struct {
    double latency; /* seconds */
    int links;
} reach_t;

struct mtree_routes {
    const mtree_topology_t *topology;
    int num_hosts;
    int *hosts;     /* [num_hosts] vertices */
    bool *is_host;  /* [num_vertices] one of the hosts given at creation */
    int *next_arc;  /* [num_hosts][num_vertices] by destination, where the next vertices
                       are a tree: the arc to take from a vertex, or NONE */
    reach_t *reach; /* [num_hosts][num_hosts] by destination */
    mtree_arena_t arena;
};

typedef struct {
    const mtree_topology_t *topology;
    mtree_adjacency_t adjacency;
    int64_t *latency;           /* [num_links] picoseconds */
    mtree_distance_t *distance; /* [num_vertices] to the destination */
    mtree_vertex_heap_t heap;
    int *next_arc; /* [num_vertices] of this destination, the routes' */
    bool *fixed;   /* [num_vertices] neighbours of the destination: their arc is fixed */
    int64_t *choices; /* [num_vertices] product of the numbers of equal next vertices */
    int *equal;       /* [2 * num_links] arcs to the equal next vertices of one */
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

/* What @a arc carries if its link names its ends: there mtree itself chooses the way. */
static double named_capacity(const search_t *search, int arc)
{
    return search->topology->links[arc >> 1].num_cables > 0
               ? mtree_arc_capacity(search->topology, arc)
               : 0;
}

/*
 * Choose among the equal next vertices of @a vertex, those over the widest links that
 * name their ends if there are any, by the index of the destination, as a number of mixed
 * radix: the choice nearest the destination uses the lowest digit, the one before it the
 * next.  Routes to the destinations below one switch of a fat tree then use different
 * switches above it.
 */
static void search_spread(search_t *search, int vertex, int destination)
{
    const int *first = search->adjacency.first + vertex;
    int64_t choices;
    int count = 0;
    double widest = 0;

    for (int i = first[0]; i < first[1]; ++i) {
        const int arc = search->adjacency.arcs[i];
        const double width = named_capacity(search, arc);

        if (width >= widest && is_best(search, arc)) {
            count = width > widest ? 0 : count;
            widest = width;
            search->equal[count++] = arc;
        }
    }
    choices = search->choices[mtree_arc_to(search->topology, search->equal[0])];
    search->next_arc[vertex] = search->equal[destination / choices % count];
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

static void search_init(search_t *search, const mtree_topology_t *topology)
{
    const size_t num_vertices = (size_t)topology->num_vertices;
    mtree_arena_t *arena = &search->arena;

    search->topology = topology;
    MTREE_ARENA_ARRAY(arena, search->latency, (size_t)topology->num_links);
    MTREE_ARENA_ARRAY(arena, search->distance, num_vertices);
    MTREE_ARENA_ARRAY(arena, search->fixed, num_vertices);
    MTREE_ARENA_ARRAY(arena, search->choices, num_vertices);
    MTREE_ARENA_ARRAY(arena, search->equal, 2 * (size_t)topology->num_links);
    mtree_vertex_heap_init(&search->heap, search->distance, topology->num_vertices,
                           arena);
    for (int i = 0; i < topology->num_links; ++i) {
        search->latency[i] = mtree_distance_picoseconds(topology->links[i].latency);
    }
    mtree_adjacency_init(&search->adjacency, topology, arena);
}

/* Note how far all hosts are from host number @a to. */
static mtree_status_t routes_reach(mtree_routes_t *routes, const search_t *search, int to)
{
    const mtree_topology_t *topology = routes->topology;
    reach_t *reach = routes->reach + (size_t)to * (size_t)routes->num_hosts;

    for (int from = 0; from < routes->num_hosts; ++from) {
        int vertex = routes->hosts[from];
        mtree_distance_t distance = search->distance[vertex];

        if (search->next_arc[vertex] == NONE && vertex != routes->hosts[to]) {
            mtree_error("%s: host %s has no path to host %s; join them with links",
                        topology->source, topology->vertices[vertex].name,
                        topology->vertices[routes->hosts[to]].name);
            return MTREE_ERR_UNREACHABLE;
        }
        reach[from] = (reach_t){(double)distance.latency / 1e12, distance.links};
    }
    return MTREE_OK;
}

static mtree_status_t routes_fill(mtree_routes_t *routes, const int *hosts)
{
    const mtree_topology_t *topology = routes->topology;
    const int num_hosts = routes->num_hosts;
    search_t search = {0};
    mtree_status_t status = MTREE_OK;

    const size_t num_vertices = (size_t)topology->num_vertices;

    MTREE_ARENA_ARRAY(&routes->arena, routes->hosts, (size_t)num_hosts);
    MTREE_ARENA_ARRAY(&routes->arena, routes->is_host, num_vertices);
    MTREE_ARENA_ARRAY(&routes->arena, routes->next_arc, (size_t)num_hosts * num_vertices);
    MTREE_ARENA_ARRAY(&routes->arena, routes->reach,
                      (size_t)num_hosts * (size_t)num_hosts);
    for (int i = 0, vertex = 0; i < num_hosts; ++i, ++vertex) {
        while (hosts == NULL && topology->vertices[vertex].kind != MTREE_VERTEX_HOST) {
            ++vertex;
        }
        routes->hosts[i] = hosts != NULL ? hosts[i] : vertex;
        routes->is_host[routes->hosts[i]] = true;
    }
    search_init(&search, topology);
    for (int i = 0; i < num_hosts && status == MTREE_OK; ++i) {
        search.next_arc = routes->next_arc + (size_t)i * num_vertices;
        search_run(&search, routes->hosts[i]);
        status = mtree_cancel_is_set() ? MTREE_ERR_CANCELLED
                                       : routes_reach(routes, &search, i);
    }
    mtree_arena_cleanup(&search.arena);
    return status;
}

mtree_status_t mtree_routes_create(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, mtree_routes_t **routes_p)
{
    mtree_routes_t *routes;
    mtree_status_t status;

    num_hosts = hosts == NULL ? mtree_topology_num_hosts(topology) : num_hosts;
    if (num_hosts > MTREE_ROUTES_MAX_HOSTS) {
        mtree_error(
            "%s: routes between %d hosts are more than mtree computes (%d hosts); name "
            "fewer hosts",
            topology->source, num_hosts, MTREE_ROUTES_MAX_HOSTS);
        return MTREE_ERR_LIMIT;
    }
    routes = mtree_calloc(1, sizeof(*routes));
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

/* The arc that leads from @a vertex to host number @a to; NONE: it is there. */
static int arc_from(const mtree_routes_t *routes, int vertex, int to)
{
    return routes
        ->next_arc[(size_t)to * (size_t)routes->topology->num_vertices + (size_t)vertex];
}

int mtree_routes_first(const mtree_routes_t *routes, int from, int to)
{
    return arc_from(routes, routes->hosts[from], to);
}

int mtree_routes_next(const mtree_routes_t *routes, int arc, int to)
{
    return arc_from(routes, mtree_arc_to(routes->topology, arc), to);
}

int mtree_routes_list(const mtree_routes_t *routes, int from, int to, int *arcs)
{
    int count = 0;

    MTREE_ROUTE_ARCS (arc, routes, from, to) {
        arcs[count++] = arc;
    }
    return count;
}

bool mtree_routes_join(const mtree_routes_t *routes, int from, int over, int to)
{
    int there = mtree_routes_first(routes, from, over);
    int arc = mtree_routes_first(routes, from, to);

    /* What follows a vertex depends on the destination alone, so the rest is a route. */
    while (there != NONE && there == arc) {
        there = mtree_routes_next(routes, there, over);
        arc = mtree_routes_next(routes, arc, to);
    }
    return there == NONE;
}

static const reach_t *reach_of(const mtree_routes_t *routes, int from, int to)
{
    return &routes->reach[(size_t)to * (size_t)routes->num_hosts + (size_t)from];
}

int mtree_routes_links(const mtree_routes_t *routes, int from, int to)
{
    return reach_of(routes, from, to)->links;
}

double mtree_routes_latency(const mtree_routes_t *routes, int from, int to)
{
    return reach_of(routes, from, to)->latency;
}

double mtree_routes_capacity(const mtree_routes_t *routes, int from, int to)
{
    double least = INFINITY;

    MTREE_ROUTE_ARCS (arc, routes, from, to) {
        least = fmin(least, mtree_arc_capacity(routes->topology, arc));
    }
    return least;
}

bool mtree_routes_adjacent(const mtree_routes_t *routes, int from, int to)
{
    MTREE_ROUTE_ARCS (arc, routes, from, to) {
        int vertex = mtree_arc_to(routes->topology, arc);

        if (routes->is_host[vertex]) {
            return vertex == routes->hosts[to];
        }
    }
    return true;
}

/* Is @a host nearer to @a from than @a other?  Ties go to the one with the lower number,
 * which is @a other. */
static bool is_nearer(const mtree_routes_t *routes, int from, int host, int other)
{
    double distance = mtree_routes_latency(routes, from, host);
    double least = mtree_routes_latency(routes, from, other);

    return distance < least ||
           (distance <= least && mtree_routes_links(routes, from, host) <
                                     mtree_routes_links(routes, from, other));
}

void mtree_routes_order(const mtree_routes_t *routes, int first, int *order)
{
    int num_hosts = routes->num_hosts;

    for (int i = 0; i < num_hosts; i++) {
        order[i] = (first + i) % num_hosts;
    }
    for (int i = 1; i < num_hosts; i++) {
        int nearest = i, host;

        for (int j = i + 1; j < num_hosts; j++) {
            if (is_nearer(routes, order[i - 1], order[j], order[nearest])) {
                nearest = j;
            }
        }
        /* Those before it move up, so that what is left stays in its order. */
        host = order[nearest];
        for (int j = nearest; j > i; j--) {
            order[j] = order[j - 1];
        }
        order[i] = host;
    }
}

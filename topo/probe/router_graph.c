/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"
#include "topo/probe/routes_private.h"

#define NONE (-1)

/* Longer runs of routers that do not answer are not searched among known links: there are
 * too many paths.  Without this search, and without gates, plans carry less where routers
 * are silent (notes/tried.md). */
#define MAX_FILLED 3

typedef struct {
    const mtree_probe_routes_t *routes;
    mtree_probe_graph_t *graph;
    int *class_of;
    int *vertex_of;   /* [num_addresses] vertex of a class, or NONE */
    int *gate_class;  /* [num_hosts] of hosts beside the same silent router */
    int *gate_vertex; /* [num_hosts] of the classes, or NONE */
    int vertices[MTREE_PROBE_MAX_HOPS + 1]; /* of the current route */
    bool *done;                             /* [num_traceroutes] */
    int *steps; /* by vertex: 1 + links to the end of the current run; 0: too many */
    int *near;  /* [num_near] the vertices that have steps */
    int num_near;
    mtree_arena_t arena; /* of the arrays */
} resolver_t;

static int address_vertex(resolver_t *resolver, int address)
{
    const mtree_probe_addresses_t *addresses = &resolver->routes->addresses;
    const int class = resolver->class_of[address];

    if (addresses->items[address]->owner >= 0) {
        return addresses->items[address]->owner;
    }
    if (resolver->vertex_of[class] == NONE) {
        resolver->vertex_of[class] =
            mtree_probe_graph_add_switch(resolver->graph, addresses->items[class]->text);
    }
    return resolver->vertex_of[class];
}

/* Fill resolver->vertices with those of @a route, NONE for silent routers; true if there
 * are such. */
static bool lay_out(resolver_t *resolver, const mtree_probe_traceroute_t *route)
{
    bool has_silent = false;

    resolver->vertices[0] = route->from;
    resolver->vertices[route->num_hops + 1] = route->to;
    for (int i = 0; i < route->num_hops; ++i) {
        const bool is_silent = route->hops[i] == MTREE_PROBE_SILENT;

        resolver->vertices[i + 1] =
            is_silent ? NONE : address_vertex(resolver, route->hops[i]);
        has_silent = has_silent || is_silent;
    }
    return has_silent;
}

static bool comes_before(const int *vertices, int count, int vertex)
{
    int i;

    for (i = 0; i < count && vertices[i] != vertex; ++i) {}
    return i < count;
}

/* Set the steps of all vertices from which so few links lead to @a to that a run may. */
static void find_near(resolver_t *resolver, int to)
{
    int *steps = resolver->steps, *near = resolver->near;

    while (resolver->num_near > 0) {
        steps[near[--resolver->num_near]] = 0;
    }
    near[resolver->num_near++] = to;
    steps[to] = 1;
    for (int i = 0; i < resolver->num_near && steps[near[i]] <= MAX_FILLED; ++i) {
        MTREE_PROBE_ARCS_FROM (arc, resolver->graph, near[i]) {
            const int vertex = mtree_probe_arc_to(resolver->graph, arc);

            if (steps[vertex] == 0) {
                steps[vertex] = steps[near[i]] + 1;
                near[resolver->num_near++] = vertex;
            }
        }
    }
}

/* Find vertices for the places from @a place to @a end - 1 along known links that lead to
 * the vertex at @a end, whose steps are set. */
static bool fill_run(const resolver_t *resolver, int *vertices, int place, int end)
{
    if (place == end) {
        return true;
    }
    MTREE_PROBE_ARCS_FROM (arc, resolver->graph, vertices[place - 1]) {
        const int vertex = mtree_probe_arc_to(resolver->graph, arc);
        const int steps = resolver->steps[vertex];

        if (steps > 1 && steps <= end - place + 1 &&
            !comes_before(vertices, place, vertex)) {
            vertices[place] = vertex;
            if (fill_run(resolver, vertices, place + 1, end)) {
                return true;
            }
        }
    }
    vertices[place] = NONE;
    return false;
}

/* The place after the run of silent routers that begins at @a place. */
static int run_end(const int *vertices, int place)
{
    while (vertices[place] == NONE) {
        ++place;
    }
    return place;
}

/* Fill the runs that known links explain; false when others remain. */
static bool fill_runs(resolver_t *resolver, int length)
{
    bool filled = true;
    int end;

    for (int place = 1; place < length; ++place) {
        if (resolver->vertices[place] == NONE) {
            end = run_end(resolver->vertices, place);
            find_near(resolver, resolver->vertices[end]);
            if (end - place > MAX_FILLED ||
                !fill_run(resolver, resolver->vertices, place, end)) {
                filled = false;
            }
            place = end;
        }
    }
    return filled;
}

/* All routes of a host that begin with a silent router are assumed to begin with the same
 * one, the host's gate.  A single silent router between two hosts is the gate of both. */
static void join_gates(resolver_t *resolver, const mtree_probe_traceroute_t *route)
{
    if (route->num_hops == 1) {
        mtree_probe_class_join(resolver->gate_class, route->from, route->to);
    }
}

static int gate_vertex(resolver_t *resolver, int host)
{
    const int class = mtree_probe_class_find(resolver->gate_class, host);

    if (resolver->gate_vertex[class] == NONE) {
        resolver->gate_vertex[class] =
            mtree_probe_graph_add_switch(resolver->graph, NULL);
    }
    return resolver->gate_vertex[class];
}

/* Give vertices of their own to the silent routers that known links do not explain; these
 * then explain the route back, and others. */
static void name_silent(resolver_t *resolver, int length)
{
    int *vertices = resolver->vertices;

    if (length > 2 && vertices[1] == NONE) {
        vertices[1] = gate_vertex(resolver, vertices[0]);
    }
    if (length > 2 && vertices[length - 2] == NONE) {
        vertices[length - 2] = gate_vertex(resolver, vertices[length - 1]);
    }
    /* Routes to other hosts of a gate may have come by the same routers. */
    (void)fill_runs(resolver, length);
    for (int place = 1; place < length - 1; ++place) {
        if (vertices[place] == NONE) {
            vertices[place] = mtree_probe_graph_add_switch(resolver->graph, NULL);
        }
    }
}

/* Add the current route, unless merged addresses make it pass a vertex twice. */
static void add_path(resolver_t *resolver, int length)
{
    for (int i = 1; i < length; ++i) {
        if (comes_before(resolver->vertices, i, resolver->vertices[i])) {
            return;
        }
    }
    mtree_probe_graph_add_path(resolver->graph, resolver->vertices, length);
}

typedef enum { WHOLE, FILLED, NAMED } stage_t;

/* Add the routes of @a stage: first those without silent routers, then those that known
 * links explain, then the others. */
static void resolve_stage(resolver_t *resolver, stage_t stage)
{
    const mtree_probe_routes_t *routes = resolver->routes;

    for (int i = 0; i < routes->num_traceroutes; ++i) {
        const mtree_probe_traceroute_t *route = &routes->traceroutes[i];
        const int length = route->num_hops + 2;

        if (resolver->done[i] || (lay_out(resolver, route) && stage == WHOLE)) {
            continue;
        }
        if (stage == FILLED && !fill_runs(resolver, length)) {
            if (resolver->vertices[1] == NONE) {
                join_gates(resolver, route);
            }
            continue;
        }
        if (stage == NAMED) {
            (void)fill_runs(resolver, length);
            name_silent(resolver, length);
        }
        add_path(resolver, length);
        resolver->done[i] = true;
    }
}

static void resolver_init(resolver_t *resolver)
{
    const mtree_probe_routes_t *routes = resolver->routes;
    const int num_addresses = routes->addresses.num_addresses;
    mtree_arena_t *arena = &resolver->arena;
    size_t most = (size_t)(routes->num_hosts + num_addresses); /* vertices */

    for (int i = 0; i < routes->num_traceroutes; ++i) {
        most += (size_t)routes->traceroutes[i].num_hops;
    }
    MTREE_ARENA_ARRAY(arena, resolver->steps, most);
    MTREE_ARENA_ARRAY(arena, resolver->near, most);
    MTREE_ARENA_ARRAY(arena, resolver->vertex_of, (size_t)num_addresses);
    MTREE_ARENA_ARRAY(arena, resolver->gate_class, (size_t)routes->num_hosts);
    MTREE_ARENA_ARRAY(arena, resolver->gate_vertex, (size_t)routes->num_hosts);
    MTREE_ARENA_ARRAY(arena, resolver->done, (size_t)routes->num_traceroutes);
    resolver->class_of = mtree_probe_find_aliases(routes, arena);
    for (int i = 0; i < num_addresses; ++i) {
        resolver->vertex_of[i] = NONE;
    }
    for (int i = 0; i < routes->num_hosts; ++i) {
        resolver->gate_class[i] = i;
        resolver->gate_vertex[i] = NONE;
    }
}

/* Linked hosts use their link: add the paths that were not traced. */
static void add_neighbours(mtree_probe_graph_t *graph, mtree_arena_t *scratch)
{
    bool *is_used;

    MTREE_ARENA_ARRAY(scratch, is_used, 2 * (size_t)graph->num_links);
    for (int i = 0; i < graph->num_paths; ++i) {
        const int arc =
            mtree_probe_graph_find_arc(graph, graph->paths[i].from, graph->paths[i].to);

        if (arc != NONE) {
            is_used[arc] = true;
        }
    }
    for (int arc = 0; arc < 2 * graph->num_links; ++arc) {
        const int ends[2] = {mtree_probe_arc_from(graph, arc),
                             mtree_probe_arc_to(graph, arc)};

        if (mtree_probe_arc_direct(graph, arc) && !is_used[arc]) {
            mtree_probe_graph_add_path(graph, ends, 2);
        }
    }
}

void mtree_probe_routes_resolve(const mtree_probe_routes_t *routes,
                                mtree_probe_graph_t *graph)
{
    resolver_t resolver = {.routes = routes, .graph = graph};

    mtree_probe_graph_init(graph, routes->num_hosts);
    resolver_init(&resolver);
    for (stage_t stage = WHOLE; stage <= NAMED; ++stage) {
        resolve_stage(&resolver, stage);
    }
    add_neighbours(graph, &resolver.arena);
    mtree_arena_cleanup(&resolver.arena);
    mtree_probe_graph_index(graph);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/arena.h"
#include "base/log.h"
#include "topo/probe/probe.h"
#include "topo/probe/routes_private.h"

#include <stdlib.h>

#define NONE (-1)

/* Longer runs of routers that do not answer are not searched among known links: there are
 * too many paths.  Without this search, and without gates, plans carry less where routers
 * are silent (notes/tried.md). */
#define MAX_FILLED 3

typedef struct {
    mtree_probe_routes_t *routes;
    mtree_probe_graph_t *graph;
    int *class_of;
    int *vertex_of;   /* [num_addresses] vertex of a class, or NONE */
    int *gate_class;  /* [num_hosts] of hosts beside the same silent router */
    int *gate_vertex; /* [num_hosts] of the classes, or NONE */
    int vertices[MTREE_PROBE_MAX_HOPS + 2]; /* of the current route */
    bool *done;                             /* [num_traceroutes] */
    mtree_arena_t arena;                    /* of vertex_of, the gates and done */
} resolver_t;

int mtree_probe_compare_traceroutes(const void *left, const void *right)
{
    const mtree_probe_traceroute_t *a = left, *b = right;

    return a->from != b->from ? a->from - b->from
           : a->to != b->to   ? a->to - b->to
                              : a->number - b->number;
}

/* Sort the routes by their ends, and keep the last of the same ones. */
static void sort_routes(mtree_probe_routes_t *routes)
{
    mtree_probe_traceroute_t *all = routes->traceroutes;
    int kept = 0;

    qsort(all, (size_t)routes->num_traceroutes, sizeof(*all),
          mtree_probe_compare_traceroutes);
    for (int i = 0; i < routes->num_traceroutes; ++i) {
        const bool is_same = kept > 0 && all[kept - 1].from == all[i].from &&
                             all[kept - 1].to == all[i].to;

        kept -= is_same;
        all[kept] = all[i];
        all[kept++].number = 0;
    }
    routes->num_traceroutes = kept;
}

static mtree_status_t address_vertex(resolver_t *resolver, int address, int *vertex_p)
{
    const mtree_probe_addresses_t *addresses = &resolver->routes->addresses;
    int class = resolver->class_of[address];
    mtree_status_t status;

    if (addresses->items[address]->owner >= 0) {
        *vertex_p = addresses->items[address]->owner;
        return MTREE_OK;
    }
    if (resolver->vertex_of[class] == NONE) {
        status = mtree_probe_graph_add_switch(
            resolver->graph, addresses->items[class]->text, &resolver->vertex_of[class]);
        if (status != MTREE_OK) {
            return status;
        }
    }
    *vertex_p = resolver->vertex_of[class];
    return MTREE_OK;
}

/* Fill resolver->vertices with those of @a route, NONE for silent routers; *silent_p is
 * the number of these. */
static mtree_status_t lay_out(resolver_t *resolver, const mtree_probe_traceroute_t *route,
                              int *silent_p)
{
    mtree_status_t status;

    *silent_p = 0;
    resolver->vertices[0] = route->from;
    resolver->vertices[route->num_hops + 1] = route->to;
    for (int i = 0; i < route->num_hops; ++i) {
        if (route->hops[i] == MTREE_PROBE_SILENT) {
            resolver->vertices[i + 1] = NONE;
            ++*silent_p;
            continue;
        }
        status = address_vertex(resolver, route->hops[i], &resolver->vertices[i + 1]);
        if (status != MTREE_OK) {
            return status;
        }
    }
    return MTREE_OK;
}

static bool comes_before(const int *vertices, int count, int vertex)
{
    int i;

    for (i = 0; i < count && vertices[i] != vertex; ++i) {}
    return i < count;
}

/* Find vertices for the places from @a place to @a end - 1 along known links that lead to
 * the vertex at @a end. */
static bool fill_run(const mtree_probe_graph_t *graph, int *vertices, int place, int end)
{
    int last = vertices[place - 1];
    const mtree_probe_edge_t *link;
    int vertex;

    if (place == end) {
        return mtree_probe_graph_find_arc(graph, last, vertices[end]) != NONE;
    }
    for (int i = graph->first_link[last]; i != NONE; i = link->next[link->v == last]) {
        link = &graph->links[i];
        vertex = (link->v == last) ? link->u : link->v;
        if (!comes_before(vertices, place, vertex) && vertex != vertices[end]) {
            vertices[place] = vertex;
            if (fill_run(graph, vertices, place + 1, end)) {
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
            if (end - place > MAX_FILLED ||
                !fill_run(resolver->graph, resolver->vertices, place, end)) {
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

static mtree_status_t gate_vertex(resolver_t *resolver, int host, int *vertex_p)
{
    int class = mtree_probe_class_find(resolver->gate_class, host);
    mtree_status_t status;

    if (resolver->gate_vertex[class] == NONE) {
        status = mtree_probe_graph_add_switch(resolver->graph, NULL,
                                              &resolver->gate_vertex[class]);
        if (status != MTREE_OK) {
            return status;
        }
    }
    *vertex_p = resolver->gate_vertex[class];
    return MTREE_OK;
}

/* Give vertices of their own to the silent routers that known links do not explain; these
 * then explain the route back, and others. */
static mtree_status_t name_silent(resolver_t *resolver, int length)
{
    int *vertices = resolver->vertices;
    mtree_status_t status = MTREE_OK;

    if (length > 2 && vertices[1] == NONE) {
        status = gate_vertex(resolver, vertices[0], &vertices[1]);
    }
    if (status == MTREE_OK && length > 2 && vertices[length - 2] == NONE) {
        status = gate_vertex(resolver, vertices[length - 1], &vertices[length - 2]);
    }
    /* Routes to other hosts of a gate may have come by the same routers. */
    (void)fill_runs(resolver, length);
    for (int place = 1; status == MTREE_OK && place < length - 1; ++place) {
        if (vertices[place] == NONE) {
            status =
                mtree_probe_graph_add_switch(resolver->graph, NULL, &vertices[place]);
        }
    }
    return status;
}

/* Add the current route, unless merged addresses make it pass a vertex twice. */
static mtree_status_t add_path(resolver_t *resolver, int length)
{
    for (int i = 1; i < length; ++i) {
        if (comes_before(resolver->vertices, i, resolver->vertices[i])) {
            return MTREE_OK;
        }
    }
    return mtree_probe_graph_add_path(resolver->graph, resolver->vertices, length);
}

typedef enum { WHOLE, FILLED, NAMED } stage_t;

/* Add the routes of @a stage: first those without silent routers, then those that known
 * links explain, then the others. */
static mtree_status_t resolve_stage(resolver_t *resolver, stage_t stage)
{
    mtree_probe_routes_t *routes = resolver->routes;
    mtree_status_t status;
    int length, silent;

    for (int i = 0; i < routes->num_traceroutes; ++i) {
        if (resolver->done[i]) {
            continue;
        }
        length = routes->traceroutes[i].num_hops + 2;
        status = lay_out(resolver, &routes->traceroutes[i], &silent);
        if (status != MTREE_OK) {
            return status;
        }
        if (stage == WHOLE && silent > 0) {
            continue;
        }
        if (stage == FILLED && !fill_runs(resolver, length)) {
            if (resolver->vertices[1] == NONE) {
                join_gates(resolver, &routes->traceroutes[i]);
            }
            continue;
        }
        if (stage == NAMED) {
            (void)fill_runs(resolver, length);
            status = name_silent(resolver, length);
        }
        if (status == MTREE_OK) {
            status = add_path(resolver, length);
        }
        if (status != MTREE_OK) {
            return status;
        }
        resolver->done[i] = true;
    }
    return MTREE_OK;
}

static mtree_status_t resolver_init(resolver_t *resolver, mtree_probe_routes_t *routes,
                                    mtree_probe_graph_t *graph)
{
    const size_t num_hosts = (size_t)routes->num_hosts;
    mtree_arena_t *arena = &resolver->arena;

    *resolver = (resolver_t){.routes = routes, .graph = graph};
    MTREE_ARENA_ARRAY(arena, resolver->vertex_of,
                      (size_t)routes->addresses.num_addresses);
    MTREE_ARENA_ARRAY(arena, resolver->gate_class, num_hosts);
    MTREE_ARENA_ARRAY(arena, resolver->gate_vertex, num_hosts);
    MTREE_ARENA_ARRAY(arena, resolver->done, (size_t)routes->num_traceroutes);
    if (arena->status != MTREE_OK) {
        return mtree_no_memory("the network of %d routes", routes->num_traceroutes);
    }
    for (int i = 0; i < routes->addresses.num_addresses; ++i) {
        resolver->vertex_of[i] = NONE;
    }
    for (int i = 0; i < routes->num_hosts; ++i) {
        resolver->gate_class[i] = i;
        resolver->gate_vertex[i] = NONE;
    }
    return mtree_probe_find_aliases(routes, arena, &resolver->class_of);
}

/* Linked hosts use their link: add the paths that were not traced. */
static mtree_status_t add_neighbours(mtree_probe_graph_t *graph)
{
    int *missing = malloc((2 * (size_t)graph->num_links + 1) * sizeof(*missing));
    mtree_status_t status = MTREE_OK;
    int num_missing = 0;
    int arc, i, ends[2];

    if (missing == NULL) {
        return mtree_no_memory("the links between %d hosts", graph->num_hosts);
    }
    for (arc = 0; arc < 2 * graph->num_links; ++arc) {
        if (mtree_probe_arc_direct(graph, arc) &&
            mtree_probe_graph_find_path(graph, mtree_probe_arc_from(graph, arc),
                                        mtree_probe_arc_to(graph, arc)) == NULL) {
            missing[num_missing++] = arc;
        }
    }
    for (i = 0; status == MTREE_OK && i < num_missing; ++i) {
        ends[0] = mtree_probe_arc_from(graph, missing[i]);
        ends[1] = mtree_probe_arc_to(graph, missing[i]);
        status = mtree_probe_graph_add_path(graph, ends, 2);
    }
    free(missing);
    return (status == MTREE_OK) ? mtree_probe_graph_index(graph) : status;
}

mtree_status_t mtree_probe_routes_resolve(mtree_probe_routes_t *routes,
                                          mtree_probe_graph_t *graph_p)
{
    mtree_probe_graph_t graph;
    resolver_t resolver;
    mtree_status_t status;
    stage_t stage;

    sort_routes(routes);
    status = mtree_probe_graph_init(&graph, routes->num_hosts);
    if (status != MTREE_OK) {
        return status;
    }
    status = resolver_init(&resolver, routes, &graph);
    for (stage = WHOLE; status == MTREE_OK && stage <= NAMED; ++stage) {
        status = resolve_stage(&resolver, stage);
    }
    mtree_arena_cleanup(&resolver.arena);
    if (status == MTREE_OK) {
        status = mtree_probe_graph_index(&graph);
    }
    if (status == MTREE_OK) {
        status = add_neighbours(&graph);
    }
    if (status != MTREE_OK) {
        goto err_clear_graph;
    }
    *graph_p = graph;
    return MTREE_OK;

err_clear_graph:
    mtree_probe_graph_clear(&graph);
    return status;
}

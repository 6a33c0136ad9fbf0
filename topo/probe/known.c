/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What earlier probes found between some of the hosts.
 */
#include "base/log.h"
#include "topo/probe/state.h"

#include <stdlib.h>
#include <string.h>

/* Add the arc @a from > @a to of @a map, whose vertices have @a degree links. */
static void add_arc(mtree_probe_t *probe, const mtree_topology_t *map, const int *degree,
                    int from, int to, double capacity)
{
    const mtree_vertex_t *ends[] = {&map->vertices[from], &map->vertices[to]};
    mtree_probe_known_t known = {.capacity = capacity}, *added;

    known.at_host[0] = degree[from] == 1 && ends[0]->kind == MTREE_VERTEX_HOST &&
                       ends[1]->kind == MTREE_VERTEX_SWITCH;
    known.at_host[1] = degree[to] == 1 && ends[1]->kind == MTREE_VERTEX_HOST &&
                       ends[0]->kind == MTREE_VERTEX_SWITCH;
    known.from = mtree_arena_strdup(&probe->arena, ends[0]->name);
    known.to = mtree_arena_strdup(&probe->arena, ends[1]->name);
    added = MTREE_ARENA_APPEND(&probe->arena, probe->known, probe->num_known,
                               probe->known_capacity);
    if (added != NULL) {
        *added = known;
    }
}

mtree_status_t mtree_probe_add_known(mtree_probe_t *probe, const mtree_topology_t *map,
                                     const double *capacity)
{
    int *degree = calloc((size_t)map->num_vertices + 1, sizeof(*degree));

    if (degree == NULL) {
        return mtree_no_memory("%d known links", map->num_links);
    }
    for (int arc = 0; arc < 2 * map->num_links; ++arc) {
        ++degree[mtree_arc_from(map, arc)];
    }
    for (int arc = 0; arc < 2 * map->num_links; ++arc) {
        if (capacity[arc] > 0) {
            add_arc(probe, map, degree, mtree_arc_from(map, arc), mtree_arc_to(map, arc),
                    capacity[arc]);
        }
    }
    free(degree);
    return probe->arena.status == MTREE_OK
               ? MTREE_OK
               : mtree_no_memory("%d known links", map->num_links);
}

/* Is @a vertex of the graph called @a name?  Routers without an address have no name. */
static bool is_called(const mtree_probe_t *probe, int vertex, const char *name)
{
    const char *own = vertex < probe->num_hosts ? probe->names[vertex]
                                                : probe->graph.vertices[vertex].name;

    return own != NULL && strcmp(own, name) == 0;
}

/* Is @a vertex a host with one link, which goes to @a other, a switch? */
static bool is_leaf(const mtree_probe_t *probe, int vertex, int other)
{
    const mtree_probe_graph_t *graph = &probe->graph;
    int arc = vertex < probe->num_hosts ? graph->vertices[vertex].first_arc : -1;

    return arc >= 0 && other >= probe->num_hosts &&
           graph->links[arc >> 1].next[arc & 1] < 0;
}

static bool is_known_as(const mtree_probe_t *probe, const mtree_probe_known_t *known,
                        int arc)
{
    int from = mtree_probe_arc_from(&probe->graph, arc);
    int to = mtree_probe_arc_to(&probe->graph, arc);
    bool from_called = is_called(probe, from, known->from);
    bool to_called = is_called(probe, to, known->to);

    return (from_called && to_called) ||
           (from_called && known->at_host[0] && is_leaf(probe, from, to)) ||
           (to_called && known->at_host[1] && is_leaf(probe, to, from));
}

void mtree_probe_find_known(const mtree_probe_t *probe)
{
    for (int arc = 0; arc < 2 * probe->graph.num_links; ++arc) {
        for (int i = 0; i < probe->num_known && probe->arcs[arc].reused <= 0; ++i) {
            if (is_known_as(probe, &probe->known[i], arc)) {
                probe->arcs[arc].reused = probe->known[i].capacity;
            }
        }
    }
}

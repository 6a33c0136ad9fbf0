/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What earlier probes found between some of the hosts.
 */
#include "base/memory.h"
#include "topo/probe/state.h"

#include <stdlib.h>
#include <string.h>

/* Is @a vertex of @a map a host with one link, which goes to @a other, a switch? */
static bool is_map_leaf(const mtree_topology_t *map, const int *degree, int vertex,
                        int other)
{
    return degree[vertex] == 1 && map->vertices[vertex].kind == MTREE_VERTEX_HOST &&
           map->vertices[other].kind == MTREE_VERTEX_SWITCH;
}

void mtree_probe_add_known(mtree_probe_t *probe, const mtree_topology_t *map)
{
    int *degree = mtree_calloc((size_t)map->num_vertices, sizeof(*degree));

    for (int arc = 0; arc < 2 * map->num_links; ++arc) {
        ++degree[mtree_arc_from(map, arc)];
    }
    for (int arc = 0; arc < 2 * map->num_links; ++arc) {
        const int from = mtree_arc_from(map, arc), to = mtree_arc_to(map, arc);
        mtree_probe_known_t *known;

        if (mtree_arc_capacity(map, arc) <= 0) {
            continue;
        }
        known = MTREE_ARENA_APPEND(&probe->arena, probe->known, probe->num_known,
                                   probe->known_capacity);
        known->from = mtree_arena_strdup(&probe->arena, map->vertices[from].name);
        known->to = mtree_arena_strdup(&probe->arena, map->vertices[to].name);
        known->at_host[0] = is_map_leaf(map, degree, from, to);
        known->at_host[1] = is_map_leaf(map, degree, to, from);
        known->capacity = mtree_arc_capacity(map, arc);
    }
    free(degree);
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

    return (is_called(probe, from, known->from) ||
            (known->at_host[1] && is_leaf(probe, to, from))) &&
           (is_called(probe, to, known->to) ||
            (known->at_host[0] && is_leaf(probe, from, to)));
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/graph.h"

#include <stdlib.h>
#include <string.h>

#define NONE (-1)

static int add_vertex(mtree_probe_graph_t *graph, const char *name)
{
    mtree_probe_vertex_t *vertex = MTREE_ARENA_APPEND(
        &graph->arena, graph->vertices, graph->num_vertices, graph->vertex_capacity);

    *vertex = (mtree_probe_vertex_t){.name = name, .first_arc = NONE};
    return graph->num_vertices - 1;
}

void mtree_probe_graph_init(mtree_probe_graph_t *graph, int num_hosts)
{
    *graph = (mtree_probe_graph_t){.num_hosts = num_hosts};
    for (int host = 0; host < num_hosts; ++host) {
        (void)add_vertex(graph, NULL);
    }
}

void mtree_probe_graph_clear(mtree_probe_graph_t *graph)
{
    mtree_arena_cleanup(&graph->arena);
    *graph = (mtree_probe_graph_t){0};
}

int mtree_probe_graph_add_switch(mtree_probe_graph_t *graph, const char *name)
{
    return add_vertex(graph,
                      name != NULL ? mtree_arena_strdup(&graph->arena, name) : NULL);
}

int mtree_probe_graph_find_arc(const mtree_probe_graph_t *graph, int u, int v)
{
    MTREE_PROBE_ARCS_FROM (arc, graph, u) {
        if (mtree_probe_arc_to(graph, arc) == v) {
            return arc;
        }
    }
    return NONE;
}

/* The arc from @a u to @a v, whose link is added if it is missing. */
static int join(mtree_probe_graph_t *graph, int u, int v)
{
    mtree_probe_vertex_t *ends[] = {&graph->vertices[u], &graph->vertices[v]};
    int arc = mtree_probe_graph_find_arc(graph, u, v);
    mtree_probe_edge_t *link;

    if (arc != NONE) {
        return arc;
    }
    link = MTREE_ARENA_APPEND(&graph->arena, graph->links, graph->num_links,
                              graph->link_capacity);
    arc = 2 * (graph->num_links - 1);
    *link = (mtree_probe_edge_t){
        .u = u, .v = v, .next = {ends[0]->first_arc, ends[1]->first_arc}};
    ends[0]->first_arc = arc;
    ends[1]->first_arc = arc + 1;
    return arc;
}

void mtree_probe_graph_add_path(mtree_probe_graph_t *graph, const int *vertices,
                                int num_vertices)
{
    mtree_probe_path_t *path;
    int *arcs;

    MTREE_ARENA_ARRAY(&graph->arena, arcs, (size_t)num_vertices);
    path = MTREE_ARENA_APPEND(&graph->arena, graph->paths, graph->num_paths,
                              graph->path_capacity);
    for (int i = 0; i + 1 < num_vertices; ++i) {
        arcs[i] = join(graph, vertices[i], vertices[i + 1]);
    }
    *path = (mtree_probe_path_t){.from = vertices[0],
                                 .to = vertices[num_vertices - 1],
                                 .num_arcs = num_vertices - 1,
                                 .arcs = arcs};
}

static int compare_ends(const void *left, const void *right)
{
    const mtree_probe_path_t *a = left, *b = right;

    return a->from != b->from ? a->from - b->from : a->to - b->to;
}

/* List the paths that cross each arc by their length. */
static void list_crossings(mtree_probe_graph_t *graph, int *next)
{
    int longest = 0;

    for (int i = 0; i < graph->num_paths; ++i) {
        longest =
            (graph->paths[i].num_arcs > longest) ? graph->paths[i].num_arcs : longest;
    }
    memcpy(next, graph->first_crossing, (size_t)(2 * graph->num_links) * sizeof(*next));
    for (int length = 1; length <= longest; ++length) {
        for (int i = 0; i < graph->num_paths; ++i) {
            for (int j = 0; graph->paths[i].num_arcs == length && j < length; ++j) {
                graph->crossing[next[graph->paths[i].arcs[j]]++] = i;
            }
        }
    }
}

void mtree_probe_graph_index(mtree_probe_graph_t *graph)
{
    int num_arcs = 2 * graph->num_links;
    int total = 0;
    int *next;

    for (int i = 0; i < graph->num_paths; ++i) {
        total += graph->paths[i].num_arcs;
    }
    MTREE_ARENA_ARRAY(&graph->arena, graph->first_path, (size_t)graph->num_hosts + 1);
    MTREE_ARENA_ARRAY(&graph->arena, graph->first_crossing, (size_t)num_arcs + 2);
    MTREE_ARENA_ARRAY(&graph->arena, graph->crossing, (size_t)total);
    MTREE_ARENA_ARRAY(&graph->arena, next, (size_t)num_arcs);
    if (graph->num_paths > 0) {
        qsort(graph->paths, (size_t)graph->num_paths, sizeof(*graph->paths),
              compare_ends);
    }
    for (int i = 0; i < graph->num_paths; ++i) {
        ++graph->first_path[graph->paths[i].from + 1];
        for (int j = 0; j < graph->paths[i].num_arcs; ++j) {
            ++graph->first_crossing[graph->paths[i].arcs[j] + 1];
        }
    }
    for (int i = 0; i < graph->num_hosts; ++i) {
        graph->first_path[i + 1] += graph->first_path[i];
    }
    for (int i = 0; i < num_arcs; ++i) {
        graph->first_crossing[i + 1] += graph->first_crossing[i];
    }
    list_crossings(graph, next);
}

const mtree_probe_path_t *mtree_probe_graph_find_path(const mtree_probe_graph_t *graph,
                                                      int from, int to)
{
    const mtree_probe_path_t wanted = {.from = from, .to = to};

    return (graph->num_paths == 0)
               ? NULL
               : bsearch(&wanted, graph->paths, (size_t)graph->num_paths,
                         sizeof(*graph->paths), compare_ends);
}

bool mtree_probe_graph_is_neighbour(const mtree_probe_graph_t *graph, int arc)
{
    const mtree_probe_path_t *path;

    if (!mtree_probe_arc_direct(graph, arc)) {
        return false;
    }
    path = mtree_probe_graph_find_path(graph, mtree_probe_arc_from(graph, arc),
                                       mtree_probe_arc_to(graph, arc));
    return path != NULL && path->num_arcs == 1;
}

int mtree_probe_class_find(const int *class_of, int member)
{
    while (class_of[member] != member) {
        member = class_of[member];
    }
    return member;
}

void mtree_probe_class_join(int *class_of, int one, int other)
{
    one = mtree_probe_class_find(class_of, one);
    other = mtree_probe_class_find(class_of, other);
    class_of[one < other ? other : one] = one < other ? one : other;
}

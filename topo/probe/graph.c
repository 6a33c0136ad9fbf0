/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/graph.h"

#include "base/array.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define NONE (-1)

static mtree_status_t no_memory(void)
{
    return mtree_no_memory("the network that the probe found");
}

/* Memory for @a count vertices. */
static mtree_status_t reserve_vertices(mtree_probe_graph_t *graph, int count)
{
    int capacity = graph->vertex_capacity; /* of both arrays */

    if (mtree_array_reserve(&graph->names, &capacity, count, sizeof(*graph->names)) !=
            MTREE_OK ||
        mtree_array_reserve(&graph->first_link, &graph->vertex_capacity, count,
                            sizeof(*graph->first_link)) != MTREE_OK) {
        return no_memory();
    }
    return MTREE_OK;
}

mtree_status_t mtree_probe_graph_init(mtree_probe_graph_t *graph, int num_hosts)
{
    mtree_status_t status;

    *graph = (mtree_probe_graph_t){.num_hosts = num_hosts};
    status = reserve_vertices(graph, num_hosts);
    if (status != MTREE_OK) {
        mtree_probe_graph_clear(graph);
        return status;
    }
    for (int host = 0; host < num_hosts; ++host) {
        graph->names[host] = NULL;
        graph->first_link[host] = NONE;
    }
    graph->num_vertices = num_hosts;
    return MTREE_OK;
}

void mtree_probe_graph_clear(mtree_probe_graph_t *graph)
{
    free(graph->names);
    free(graph->first_link);
    free(graph->links);
    free(graph->paths);
    mtree_arena_cleanup(&graph->arena);
    mtree_arena_cleanup(&graph->index);
    *graph = (mtree_probe_graph_t){0};
}

mtree_status_t mtree_probe_graph_add_switch(mtree_probe_graph_t *graph, const char *name,
                                            int *vertex_p)
{
    mtree_status_t status = reserve_vertices(graph, graph->num_vertices + 1);
    const char *copy = name != NULL ? mtree_arena_strdup(&graph->arena, name) : NULL;

    if (status != MTREE_OK) {
        return status;
    }
    if (name != NULL && copy == NULL) {
        return no_memory();
    }
    graph->names[graph->num_vertices] = copy;
    graph->first_link[graph->num_vertices] = NONE;
    *vertex_p = graph->num_vertices++;
    return MTREE_OK;
}

int mtree_probe_graph_find_arc(const mtree_probe_graph_t *graph, int u, int v)
{
    const mtree_probe_edge_t *link;

    for (int i = graph->first_link[u]; i != NONE; i = link->next[link->v == u]) {
        link = &graph->links[i];
        if (link->u == v || link->v == v) {
            return 2 * i + (link->v == u);
        }
    }
    return NONE;
}

static mtree_status_t join(mtree_probe_graph_t *graph, int u, int v, int *arc_p)
{
    int arc = mtree_probe_graph_find_arc(graph, u, v);

    if (arc != NONE) {
        *arc_p = arc;
        return MTREE_OK;
    }
    if (mtree_array_reserve(&graph->links, &graph->link_capacity, graph->num_links + 1,
                            sizeof(*graph->links)) != MTREE_OK) {
        return no_memory();
    }
    graph->links[graph->num_links] = (mtree_probe_edge_t){
        .u = u, .v = v, .next = {graph->first_link[u], graph->first_link[v]}};
    graph->first_link[u] = graph->num_links;
    graph->first_link[v] = graph->num_links;
    *arc_p = 2 * graph->num_links++;
    return MTREE_OK;
}

mtree_status_t mtree_probe_graph_add_path(mtree_probe_graph_t *graph, const int *vertices,
                                          int num_vertices)
{
    mtree_status_t status;
    int *arcs;

    MTREE_ARENA_ARRAY(&graph->arena, arcs, (size_t)num_vertices);
    if (arcs == NULL ||
        mtree_array_reserve(&graph->paths, &graph->path_capacity, graph->num_paths + 1,
                            sizeof(*graph->paths)) != MTREE_OK) {
        return no_memory();
    }
    for (int i = 0; i + 1 < num_vertices; ++i) {
        status = join(graph, vertices[i], vertices[i + 1], &arcs[i]);
        if (status != MTREE_OK) {
            return status;
        }
    }
    graph->paths[graph->num_paths++] =
        (mtree_probe_path_t){.from = vertices[0],
                             .to = vertices[num_vertices - 1],
                             .num_arcs = num_vertices - 1,
                             .arcs = arcs};
    return MTREE_OK;
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

mtree_status_t mtree_probe_graph_index(mtree_probe_graph_t *graph)
{
    int num_arcs = 2 * graph->num_links;
    int total = 0;
    int *next;

    if (graph->num_paths > 0) {
        qsort(graph->paths, (size_t)graph->num_paths, sizeof(*graph->paths),
              compare_ends);
    }
    for (int i = 0; i < graph->num_paths; ++i) {
        total += graph->paths[i].num_arcs;
    }
    mtree_arena_cleanup(&graph->index);
    MTREE_ARENA_ARRAY(&graph->index, graph->first_path, (size_t)graph->num_hosts + 1);
    MTREE_ARENA_ARRAY(&graph->index, graph->first_crossing, (size_t)num_arcs + 2);
    MTREE_ARENA_ARRAY(&graph->index, graph->crossing, (size_t)total);
    MTREE_ARENA_ARRAY(&graph->index, next, (size_t)num_arcs);
    if (graph->index.status != MTREE_OK) {
        return no_memory();
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
    return MTREE_OK;
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

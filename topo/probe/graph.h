/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The graph of the link probe: hosts, switches and links without capacities and
 * latencies, and the paths that packets between hosts take.
 */
#ifndef MTREE_TOPO_PROBE_GRAPH_H
#define MTREE_TOPO_PROBE_GRAPH_H

#include "base/arena.h"
#include "base/status.h"

#include <stdbool.h>

/* Arcs are numbered as those of a topology: 2l is link l from its u to its v. */
typedef struct {
    int u, v;
    int next[2]; /* the next arc that leaves u, and the next that leaves v; or -1 */
} mtree_probe_edge_t;

typedef struct {
    const char *name; /* the address of a switch; NULL: none, or a host */
    int first_arc;    /* that leaves it, or -1 */
} mtree_probe_vertex_t;

typedef struct {
    int from, to; /* hosts */
    int num_arcs;
    int *arcs;
} mtree_probe_path_t;

typedef struct {
    int num_hosts; /* vertices 0 to num_hosts - 1 are the hosts */
    int num_vertices, vertex_capacity;
    mtree_probe_vertex_t *vertices;
    int num_links, link_capacity;
    mtree_probe_edge_t *links;
    int num_paths, path_capacity;
    mtree_probe_path_t *paths; /* sorted by from and then by to, once indexed */
    int *first_path;           /* [num_hosts + 1] by the host they start from */
    int *first_crossing;       /* [2 num_links + 1] once indexed */
    int *crossing;             /* the paths that cross each arc, the shortest first */
    mtree_arena_t arena;       /* of all of these */
} mtree_probe_graph_t;

/* Hosts without links. */
void mtree_probe_graph_init(mtree_probe_graph_t *graph, int num_hosts);
void mtree_probe_graph_clear(mtree_probe_graph_t *graph);

/* Add a switch; @a name is copied and may be NULL.  Returns its vertex. */
int mtree_probe_graph_add_switch(mtree_probe_graph_t *graph, const char *name);

/* The path along @a vertices, of which the first and the last are hosts and none comes
 * twice; links that are missing are added. */
void mtree_probe_graph_add_path(mtree_probe_graph_t *graph, const int *vertices,
                                int num_vertices);

/* The arc from @a u to @a v, or -1. */
int mtree_probe_graph_find_arc(const mtree_probe_graph_t *graph, int u, int v);

/* Call it when all paths have been added and before the functions below. */
void mtree_probe_graph_index(mtree_probe_graph_t *graph);

/* The path between two hosts, or NULL. */
const mtree_probe_path_t *mtree_probe_graph_find_path(const mtree_probe_graph_t *graph,
                                                      int from, int to);

/* Does @a arc join two hosts whose path is this arc? */
bool mtree_probe_graph_is_neighbour(const mtree_probe_graph_t *graph, int arc);

/* The vertex that @a arc leaves, and the one it enters. */
static inline int mtree_probe_arc_from(const mtree_probe_graph_t *graph, int arc)
{
    return (arc & 1) ? graph->links[arc >> 1].v : graph->links[arc >> 1].u;
}

static inline int mtree_probe_arc_to(const mtree_probe_graph_t *graph, int arc)
{
    return mtree_probe_arc_from(graph, arc ^ 1);
}

/* For each arc @a _arc that leaves vertex @a _vertex of @a _graph. */
#define MTREE_PROBE_ARCS_FROM(_arc, _graph, _vertex)                                     \
    for (int _arc = (_graph)->vertices[_vertex].first_arc; _arc >= 0;                    \
         _arc = (_graph)->links[_arc >> 1].next[_arc & 1])

/* Does @a arc join two hosts? */
static inline bool mtree_probe_arc_direct(const mtree_probe_graph_t *graph, int arc)
{
    return graph->links[arc >> 1].u < graph->num_hosts &&
           graph->links[arc >> 1].v < graph->num_hosts;
}

/* Classes: each member leads, by class_of[], to the one that stands for its class, which
 * leads to itself.  A joined class is known by the lesser of the two. */
int mtree_probe_class_find(const int *class_of, int member);
void mtree_probe_class_join(int *class_of, int one, int other);

#endif

#include "planner/arborescence.h"

#include "topo/log.h"

#include <stdlib.h>

/* An edge of a contracted graph: `above` is its number in the graph that was contracted.
 */
typedef struct {
    int from, to;
    double price;
    int above;
} edge_t;

typedef struct {
    int num_vertices, root, num_edges;
    edge_t *edges;
    int *enter; /* [num_vertices] the edge chosen into each vertex, -1: none */
    int *part;  /* [num_vertices] the vertex of the contracted graph that it becomes */
} graph_t;

static void graph_free(graph_t *graph)
{
    free(graph->edges);
    free(graph->enter);
    free(graph->part);
}

static mtree_status_t graph_init(graph_t *graph, int num_vertices, int root,
                                 int num_edges)
{
    graph->num_vertices = num_vertices;
    graph->root = root;
    graph->num_edges = 0;
    graph->edges = malloc(((size_t)num_edges + 1) * sizeof(*graph->edges));
    graph->enter = malloc((size_t)num_vertices * sizeof(*graph->enter));
    graph->part = malloc((size_t)num_vertices * sizeof(*graph->part));
    if (graph->edges == NULL || graph->enter == NULL || graph->part == NULL) {
        mtree_error(
            "arborescence: no memory for %d vertices and %d edges; use fewer hosts",
            num_vertices, num_edges);
        graph_free(graph);
        return MTREE_ERR_NO_MEMORY;
    }
    return MTREE_OK;
}

/* Choose the cheapest edge into every vertex but the root. */
static mtree_status_t choose_edges(graph_t *graph)
{
    for (int v = 0; v < graph->num_vertices; v++) {
        graph->enter[v] = -1;
    }
    for (int e = 0; e < graph->num_edges; e++) {
        int *enter = &graph->enter[graph->edges[e].to];

        if (*enter < 0 || graph->edges[e].price < graph->edges[*enter].price) {
            *enter = e;
        }
    }
    graph->enter[graph->root] = -1;
    for (int v = 0; v < graph->num_vertices; v++) {
        if (v != graph->root && graph->enter[v] < 0) {
            return MTREE_ERR_UNREACHABLE;
        }
    }
    return MTREE_OK;
}

/*
 * Number the vertices of the contracted graph in graph->part: one a cycle of chosen
 * edges, one for every vertex that is on none.  Returns how many there are, num_vertices
 * when there is no cycle.
 */
static int number_parts(graph_t *graph)
{
    enum { UNSEEN = -1, ON_PATH = -2 };
    int num_parts = 0;

    for (int v = 0; v < graph->num_vertices; v++) {
        graph->part[v] = UNSEEN;
    }
    graph->part[graph->root] = num_parts++;
    for (int start = 0; start < graph->num_vertices; start++) {
        int v = start;

        while (graph->part[v] == UNSEEN) {
            graph->part[v] = ON_PATH;
            v = graph->edges[graph->enter[v]].from;
        }
        if (graph->part[v] == ON_PATH) {
            while (graph->part[v] == ON_PATH) {
                graph->part[v] = num_parts;
                v = graph->edges[graph->enter[v]].from;
            }
            num_parts++;
        }
        for (v = start; graph->part[v] == ON_PATH;
             v = graph->edges[graph->enter[v]].from) {
            graph->part[v] = num_parts++;
        }
    }
    return num_parts;
}

/* The graph in which every part is a vertex; an edge's price becomes what it adds to the
 * one it replaces. */
static void contract(const graph_t *graph, graph_t *small)
{
    for (int e = 0; e < graph->num_edges; e++) {
        const edge_t *edge = &graph->edges[e];
        int from = graph->part[edge->from];
        int to = graph->part[edge->to];

        if (from != to && edge->to != graph->root) {
            small->edges[small->num_edges++] = (edge_t){
                from, to, edge->price - graph->edges[graph->enter[edge->to]].price, e};
        }
    }
}

/* Leaves the answer in graph->enter. */
static mtree_status_t solve(graph_t *graph)
{
    mtree_status_t status = choose_edges(graph);
    graph_t small;
    int num_parts;

    if (status != MTREE_OK) {
        return status;
    }
    num_parts = number_parts(graph);
    if (num_parts == graph->num_vertices) {
        return MTREE_OK;
    }
    status = graph_init(&small, num_parts, graph->part[graph->root], graph->num_edges);
    if (status != MTREE_OK) {
        return status;
    }
    contract(graph, &small);
    status = solve(&small);
    if (status == MTREE_OK) {
        /* The edge into a part opens its cycle where it arrives; the rest of the cycle
         * stays. */
        for (int part = 0; part < num_parts; part++) {
            if (small.enter[part] >= 0) {
                int edge = small.edges[small.enter[part]].above;

                graph->enter[graph->edges[edge].to] = edge;
            }
        }
    }
    graph_free(&small);
    return status;
}

mtree_status_t mtree_arborescence_find(int num_vertices, int root, int num_edges,
                                       const int *from, const int *to,
                                       const double *price, int *edge_p)
{
    graph_t graph;
    mtree_status_t status = graph_init(&graph, num_vertices, root, num_edges);

    if (status != MTREE_OK) {
        return status;
    }
    for (int e = 0; e < num_edges; e++) {
        graph.edges[graph.num_edges++] = (edge_t){from[e], to[e], price[e], e};
    }
    status = solve(&graph);
    if (status == MTREE_OK) {
        for (int v = 0; v < num_vertices; v++) {
            edge_p[v] = graph.enter[v];
        }
    }
    graph_free(&graph);
    return status;
}

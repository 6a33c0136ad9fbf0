/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/arborescence.h"

#include "base/arena.h"
#include "base/log.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The search (Chu and Liu, Edmonds).  Nodes are the vertices and, behind them, the cycles
 * that were contracted, at most as many. */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    int num_vertices, num_edges, num_nodes, root;
    const int *from, *to; /* [num_edges] */
    double *price; /* [num_edges] less by what the edges cost whose place it would take */
    int *node;     /* [num_vertices] the outermost node that a vertex is in */
    int *around;   /* [num_nodes] the cycle that a node is in; -1: none */
    int *into;     /* [num_nodes] the cheapest edge into a node; -1: none */
    double *least; /* [num_nodes] its price */
    int *seen;     /* [num_nodes] where the walk began that reached it; -1: none has */
} search_t;

static mtree_status_t search_init(search_t *search, const double *price)
{
    const size_t vertices = (size_t)search->num_vertices;

    MTREE_ARENA_ARRAY(&search->arena, search->node, vertices);
    MTREE_ARENA_ARRAY(&search->arena, search->price, (size_t)search->num_edges);
    MTREE_ARENA_ARRAY(&search->arena, search->around, 2 * vertices);
    MTREE_ARENA_ARRAY(&search->arena, search->into, 2 * vertices);
    MTREE_ARENA_ARRAY(&search->arena, search->least, 2 * vertices);
    MTREE_ARENA_ARRAY(&search->arena, search->seen, 2 * vertices);
    if (search->arena.status != MTREE_OK) {
        return mtree_no_memory("an arborescence over %d vertices", search->num_vertices);
    }
    memcpy(search->price, price, (size_t)search->num_edges * sizeof(*price));
    memset(search->around, -1, 2 * vertices * sizeof(*search->around));
    for (int v = 0; v < search->num_vertices; ++v) {
        search->node[v] = v;
    }
    return MTREE_OK;
}

/* Choose the cheapest edge into each outermost node but the root, of several the first;
 * false: one has none. */
static bool choose_edges(search_t *search)
{
    for (int n = 0; n < search->num_nodes; ++n) {
        if (search->around[n] < 0) {
            search->into[n] = search->seen[n] = -1;
            search->least[n] = INFINITY;
        }
    }
    for (int edge = 0; edge < search->num_edges; ++edge) {
        const int n = search->node[search->to[edge]];

        if (search->price[edge] < search->least[n] && n != search->root &&
            search->node[search->from[edge]] != n) {
            search->least[n] = search->price[edge];
            search->into[n] = edge;
        }
    }
    for (int n = 0; n < search->num_nodes; ++n) {
        if (search->around[n] < 0 && search->into[n] < 0 && n != search->root) {
            return false;
        }
    }
    return true;
}

/* The outermost node from which the edge into @a n comes. */
static int before(const search_t *search, int n)
{
    return search->node[search->from[search->into[n]]];
}

/* Contract the cycles of the edges chosen; false: there is none. */
static bool contract_cycles(search_t *search)
{
    const int num_nodes = search->num_nodes;

    for (int start = 0; start < num_nodes; ++start) {
        int n = start;

        while (n != search->root && search->around[n] < 0 && search->seen[n] < 0) {
            search->seen[n] = start;
            n = before(search, n);
        }
        if (n != search->root && search->around[n] < 0 && search->seen[n] == start) {
            for (; search->around[n] < 0; n = before(search, n)) {
                search->around[n] = search->num_nodes;
            }
            ++search->num_nodes;
        }
    }
    for (int edge = 0; edge < search->num_edges; ++edge) {
        const int n = search->node[search->to[edge]];

        search->price[edge] -= search->around[n] >= 0 ? search->least[n] : 0.0;
    }
    for (int v = 0; v < search->num_vertices; ++v) {
        const int n = search->node[v];

        search->node[v] = search->around[n] >= 0 ? search->around[n] : n;
    }
    return search->num_nodes > num_nodes;
}

/* Open the cycles again, the last first: each keeps all of its edges but the one into the
 * node at which it is entered. */
static void expand(search_t *search)
{
    for (int cycle = search->num_nodes - 1; cycle >= search->num_vertices; --cycle) {
        int n = search->to[search->into[cycle]];

        while (search->around[n] != cycle) {
            n = search->around[n];
        }
        search->into[n] = search->into[cycle];
    }
}

mtree_status_t mtree_arborescence_find(int num_vertices, int root, int num_edges,
                                       const int *from, const int *to,
                                       const double *price, int *edge_p)
{
    search_t search = {.num_vertices = num_vertices,
                       .num_edges = num_edges,
                       .num_nodes = num_vertices,
                       .root = root,
                       .from = from,
                       .to = to};
    mtree_status_t status = search_init(&search, price);
    bool any = status == MTREE_OK;

    while (any) {
        status = choose_edges(&search) ? MTREE_OK : MTREE_ERR_UNREACHABLE;
        any = status == MTREE_OK && contract_cycles(&search);
    }
    if (status == MTREE_OK) {
        expand(&search);
        memcpy(edge_p, search.into, (size_t)num_vertices * sizeof(*edge_p));
    }
    mtree_arena_cleanup(&search.arena);
    return status;
}

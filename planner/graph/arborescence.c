/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/arborescence.h"

#include "base/arena.h"
#include "base/log.h"

#include <stdbool.h>
#include <string.h>

/* The search (Chu and Liu, Edmonds).  Nodes are the vertices and, behind them, the cycles
 * that were contracted, at most as many. */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    int num_vertices, num_edges, num_nodes;
    const int *from, *to; /* [num_edges] */
    double *price; /* [num_edges] less by what the edges cost whose place it would take */
    int *next;     /* [num_edges] another edge into the same node; -1: none */
    int *first;    /* [num_nodes] of the edges into a node; -1: none */
    int *around;   /* [num_nodes] the cycle that a node is in; -1: none */
    int *outer;    /* [num_nodes] a node around it; itself: it is outermost */
    int *into;     /* [num_nodes] the cheapest edge into a node; -1: none */
    int *seen;     /* [num_nodes] where the walk began that reached it; -1: none has */
    int *over;     /* [num_nodes] the cheapest edge from a node into node `over_to` */
    int *over_to;  /* [num_nodes] */
    int *sources;  /* [num_vertices] scratch */
} search_t;

static mtree_status_t search_init(search_t *search, int root, const double *price)
{
    const size_t vertices = (size_t)search->num_vertices, nodes = 2 * vertices;

    MTREE_ARENA_ARRAY(&search->arena, search->price, (size_t)search->num_edges);
    MTREE_ARENA_ARRAY(&search->arena, search->next, (size_t)search->num_edges);
    MTREE_ARENA_ARRAY(&search->arena, search->first, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->around, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->outer, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->into, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->seen, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->over, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->over_to, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->sources, vertices);
    if (search->arena.status != MTREE_OK) {
        return mtree_no_memory("an arborescence over %d vertices", search->num_vertices);
    }
    memcpy(search->price, price, (size_t)search->num_edges * sizeof(*price));
    for (int n = 0; n < (int)nodes; ++n) {
        search->first[n] = search->around[n] = search->into[n] = -1;
        search->seen[n] = search->over_to[n] = -1;
        search->outer[n] = n;
    }
    for (int edge = 0; edge < search->num_edges; ++edge) {
        search->next[edge] = search->first[search->to[edge]];
        search->first[search->to[edge]] = edge;
    }
    search->seen[root] = root;
    return MTREE_OK;
}

/* The outermost node that @a n is in. */
static int outermost(const search_t *search, int n)
{
    while (search->outer[n] != n) {
        n = search->outer[n] = search->outer[search->outer[n]];
    }
    return n;
}

/* The better of two edges, either of which may be -1: the cheaper one, or the first. */
static int better(const search_t *search, int a, int b)
{
    if (a < 0 || b < 0) {
        return a < 0 ? b : a;
    }
    if (search->price[a] != search->price[b]) {
        return search->price[a] < search->price[b] ? a : b;
    }
    return a < b ? a : b;
}

/* Choose the best edge into outermost node @a n; -1: there is none.  Of the edges from
 * one other node the best stays, so no node has more of them than there are nodes. */
static int choose_edge(search_t *search, int n)
{
    int num_sources = 0;

    for (int edge = search->first[n]; edge >= 0; edge = search->next[edge]) {
        const int source = outermost(search, search->from[edge]);

        if (source == n) {
            continue;
        }
        if (search->over_to[source] != n) {
            search->over_to[source] = n;
            search->over[source] = -1;
            search->sources[num_sources++] = source;
        }
        search->over[source] = better(search, search->over[source], edge);
    }
    search->first[n] = -1;
    for (int s = 0; s < num_sources; ++s) {
        const int edge = search->over[search->sources[s]];

        search->next[edge] = search->first[n];
        search->first[n] = edge;
        search->into[n] = better(search, search->into[n], edge);
    }
    return search->into[n];
}

/* The node from which the edge into @a n comes. */
static int before(const search_t *search, int n)
{
    return outermost(search, search->from[search->into[n]]);
}

/* Contract the cycle of @a n; returns the node that stands for it. */
static int contract(search_t *search, int n)
{
    const int cycle = search->num_nodes++;

    for (; n != cycle; n = before(search, n)) {
        const double least = search->price[search->into[n]];

        search->around[n] = search->outer[n] = cycle;
        for (int edge = search->first[n], next; edge >= 0; edge = next) {
            next = search->next[edge];
            search->price[edge] -= least;
            search->next[edge] = search->first[cycle];
            search->first[cycle] = edge;
        }
    }
    return cycle;
}

/* Walk backwards from vertex @a start, over the best edges, until a node that an earlier
 * walk has seen.  False: no edge leads on. */
static bool walk(search_t *search, int start)
{
    int n = outermost(search, start);

    while (search->seen[n] < 0) {
        search->seen[n] = start;
        if (choose_edge(search, n) < 0) {
            return false;
        }
        n = before(search, n);
        n = search->seen[n] == start ? contract(search, n) : n;
    }
    return true;
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
                       .from = from,
                       .to = to};
    mtree_status_t status = search_init(&search, root, price);

    for (int v = 0; v < num_vertices && status == MTREE_OK; ++v) {
        status = walk(&search, v) ? MTREE_OK : MTREE_ERR_UNREACHABLE;
    }
    if (status == MTREE_OK) {
        expand(&search);
        memcpy(edge_p, search.into, (size_t)num_vertices * sizeof(*edge_p));
    }
    mtree_arena_cleanup(&search.arena);
    return status;
}

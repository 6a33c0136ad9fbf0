/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/arborescence.h"

#include "base/arena.h"

#include <stdbool.h>
#include <string.h>

/* The search (Chu and Liu, Edmonds).  Nodes are the vertices and, behind them, the cycles
 * that were contracted, at most as many.  The edges into a node are a skew heap (Sleator
 * and Tarjan 1986): those of a cycle come together, and all cost less, in logarithmic
 * time. */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    int num_vertices, num_edges, num_nodes;
    const int *from, *to; /* [num_edges] */
    double *price; /* [num_edges] less by what the edges cost whose place it would take */
    double *less; /* [num_edges] by what the edges below it in the heap still cost less */
    int (*below)[2]; /* [num_edges] in the heap; -1: none */
    int *heap;       /* [num_nodes] the cheapest edge into a node; -1: none */
    int *around;     /* [num_nodes] the cycle that a node is in; -1: none */
    int *outer;      /* [num_nodes] a node around it; itself: it is outermost */
    int *into;       /* [num_nodes] the edge into a node; -1: none */
    int *seen;       /* [num_nodes] where the walk began that reached it; -1: none has */
} search_t;

/* Is edge @a a better than @a b: cheaper, or as cheap and the first? */
static bool is_better(const search_t *search, int a, int b)
{
    return search->price[a] != search->price[b] ? search->price[a] < search->price[b]
                                                : a < b;
}

/* Let the edges of the heap under @a edge cost so much less; -1: there are none. */
static void lower_prices(search_t *search, int edge, double less)
{
    if (edge >= 0) {
        search->price[edge] -= less;
        search->less[edge] += less;
    }
}

/* One heap of two, either of which may be empty, -1. */
static int merge(search_t *search, int a, int b)
{
    int heap = -1, *place = &heap;

    while (a >= 0 && b >= 0) {
        const int best = is_better(search, a, b) ? a : b;
        int *below = search->below[best];
        const int next = below[1];

        b = best == a ? b : a;
        lower_prices(search, below[0], search->less[best]);
        lower_prices(search, below[1], search->less[best]);
        search->less[best] = 0.0;
        below[1] = below[0];
        *place = best;
        place = &below[0];
        a = next;
    }
    *place = a >= 0 ? a : b;
    return heap;
}

static void search_init(search_t *search, int root, const double *price)
{
    const size_t vertices = (size_t)search->num_vertices, nodes = 2 * vertices;
    const size_t edges = (size_t)search->num_edges;

    MTREE_ARENA_ARRAY(&search->arena, search->price, edges);
    MTREE_ARENA_ARRAY(&search->arena, search->less, edges);
    MTREE_ARENA_ARRAY(&search->arena, search->below, edges);
    MTREE_ARENA_ARRAY(&search->arena, search->heap, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->around, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->outer, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->into, nodes);
    MTREE_ARENA_ARRAY(&search->arena, search->seen, nodes);
    memcpy(search->price, price, edges * sizeof(*price));
    for (int n = 0; n < (int)nodes; ++n) {
        search->heap[n] = search->around[n] = search->into[n] = search->seen[n] = -1;
        search->outer[n] = n;
    }
    for (int edge = 0; edge < search->num_edges; ++edge) {
        int *heap = &search->heap[search->to[edge]];

        search->below[edge][0] = search->below[edge][1] = -1;
        *heap = merge(search, *heap, edge);
    }
    search->seen[root] = root;
}

/* The outermost node that @a n is in. */
static int outermost(const search_t *search, int n)
{
    while (search->outer[n] != n) {
        n = search->outer[n] = search->outer[search->outer[n]];
    }
    return n;
}

/* Choose the best edge into outermost node @a n from another one; -1: there is none. */
static int choose_edge(search_t *search, int n)
{
    int edge = search->heap[n];

    while (edge >= 0 && outermost(search, search->from[edge]) == n) {
        for (int i = 0; i < 2; ++i) {
            lower_prices(search, search->below[edge][i], search->less[edge]);
        }
        edge = merge(search, search->below[edge][0], search->below[edge][1]);
    }
    search->heap[n] = search->into[n] = edge;
    return edge;
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
        search->around[n] = search->outer[n] = cycle;
        lower_prices(search, search->heap[n], search->price[search->into[n]]);
        search->heap[cycle] = merge(search, search->heap[cycle], search->heap[n]);
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
 * node at which it is entered.  The edge that enters a cycle enters those inside it that
 * have the same vertex, too, which are open then. */
static void expand(search_t *search)
{
    for (int cycle = search->num_nodes - 1; cycle >= search->num_vertices; --cycle) {
        const int edge = search->into[cycle];

        for (int n = search->to[edge]; search->seen[cycle] >= 0 && n != cycle;
             n = search->around[n]) {
            search->into[n] = edge;
            search->seen[n] = -1;
        }
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
    mtree_status_t status = MTREE_OK;

    search_init(&search, root, price);
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/graph/arborescence.h"

#include "base/arena.h"
#include "base/log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A node of a leftist heap: one edge.  Its key is relative to `owed` of the nodes above
 * it. */
typedef struct {
    double key;
    double owed; /* to be added to the keys of both children */
    int left, right, rank;
} node_t;

/* A cycle that was contracted: its edges, and where the union-find stood before. */
typedef struct {
    int super;      /* the host that stands for it */
    int num_unions; /* undo back to here */
    int first, end; /* its edges in `members` */
} cycle_t;

/* The work in progress.  A super-host is the boss of a set of hosts. */
typedef struct {
    mtree_arena_t arena; /* of the arrays */
    int num_hosts, num_edges;
    const int *from, *to; /* [num_edges] */
    node_t *nodes;        /* [num_edges] */
    int *heap; /* [num_hosts] top node of the heap of edges into a (super-)host; -1 */
    int *boss, *size; /* [num_hosts] union-find, without path compression so that it can
                         be undone */
    int *unions;      /* [num_hosts] bosses that were put below another, in order */
    int num_unions;
    int *seen;          /* [num_hosts] the start of the walk that reached it; -1: none */
    int *path, *chosen; /* [num_hosts + 1] hosts of the present walk, the edge chosen into
                           each */
    cycle_t *cycles;    /* [num_hosts] */
    int num_cycles;
    int *members; /* [2 num_hosts] edges of cycles */
    int num_members;
    int *into; /* [num_hosts] the edge that enters a (super-)host */
} search_t;

static void search_free(search_t *a)
{
    mtree_arena_cleanup(&a->arena);
}

static mtree_status_t search_init(search_t *a)
{
    size_t n = (size_t)a->num_hosts;

    MTREE_ARENA_ARRAY(&a->arena, a->nodes, (size_t)a->num_edges + 1);
    MTREE_ARENA_ARRAY(&a->arena, a->heap, n);
    MTREE_ARENA_ARRAY(&a->arena, a->boss, n);
    MTREE_ARENA_ARRAY(&a->arena, a->size, n);
    MTREE_ARENA_ARRAY(&a->arena, a->unions, n);
    MTREE_ARENA_ARRAY(&a->arena, a->seen, n);
    MTREE_ARENA_ARRAY(&a->arena, a->path, n + 1);
    MTREE_ARENA_ARRAY(&a->arena, a->chosen, n + 1);
    MTREE_ARENA_ARRAY(&a->arena, a->cycles, n);
    MTREE_ARENA_ARRAY(&a->arena, a->members, 2 * n);
    if (a->arena.status != MTREE_OK) {
        search_free(a);
        mtree_error(
            "arborescence: no memory for %d vertices and %d edges; use fewer hosts",
            a->num_hosts, a->num_edges);
        return MTREE_ERR_NO_MEMORY;
    }
    return MTREE_OK;
}

static int find(const search_t *a, int host)
{
    while (a->boss[host] >= 0) {
        host = a->boss[host];
    }
    return host;
}

/* Join two sets; false when they are one already. */
static bool join(search_t *a, int x, int y)
{
    x = find(a, x);
    y = find(a, y);
    if (x == y) {
        return false;
    }
    if (a->size[x] < a->size[y]) {
        return join(a, y, x);
    }
    a->boss[y] = x;
    a->size[x] += a->size[y];
    a->unions[a->num_unions++] = y;
    return true;
}

static void undo_unions(search_t *a, int num_unions)
{
    while (a->num_unions > num_unions) {
        int y = a->unions[--a->num_unions];

        a->size[a->boss[y]] -= a->size[y];
        a->boss[y] = -1;
    }
}

static void push_owed(node_t *nodes, int node)
{
    double owed = nodes[node].owed;

    if (nodes[node].left >= 0) {
        nodes[nodes[node].left].key += owed;
        nodes[nodes[node].left].owed += owed;
    }
    if (nodes[node].right >= 0) {
        nodes[nodes[node].right].key += owed;
        nodes[nodes[node].right].owed += owed;
    }
    nodes[node].owed = 0.0;
}

static int node_rank(const node_t *nodes, int node)
{
    return node < 0 ? 0 : nodes[node].rank;
}

/* Leftist heaps have right spines of logarithmic length, so the recursion is shallow. */
static int merge(node_t *nodes, int x, int y)
{
    if (x < 0 || y < 0) {
        return x < 0 ? y : x;
    }
    if (nodes[y].key < nodes[x].key || (nodes[y].key == nodes[x].key && y < x)) {
        return merge(nodes, y, x);
    }
    push_owed(nodes, x);
    nodes[x].right = merge(nodes, nodes[x].right, y);
    if (node_rank(nodes, nodes[x].left) < node_rank(nodes, nodes[x].right)) {
        int swap = nodes[x].left;

        nodes[x].left = nodes[x].right;
        nodes[x].right = swap;
    }
    nodes[x].rank = node_rank(nodes, nodes[x].right) + 1;
    return x;
}

static int pop(node_t *nodes, int node)
{
    push_owed(nodes, node);
    return merge(nodes, nodes[node].left, nodes[node].right);
}

static void start(search_t *a, const double *price, int root)
{
    for (int i = 0; i < a->num_hosts; ++i) {
        a->heap[i] = -1;
        a->boss[i] = -1;
        a->size[i] = 1;
        a->seen[i] = -1;
        a->into[i] = -1;
    }
    for (int edge = 0; edge < a->num_edges; ++edge) {
        int to = a->to[edge];

        a->nodes[edge] = (node_t){.key = price[edge], .left = -1, .right = -1, .rank = 1};
        if (to != root) {
            a->heap[to] = merge(a->nodes, a->heap[to], edge);
        }
    }
    a->seen[root] = root;
    a->num_unions = 0;
    a->num_cycles = 0;
    a->num_members = 0;
}

/* Contract the cycle that ends the walk at @a host; returns the new length of the walk.
 */
static int contract(search_t *a, int length, int host)
{
    cycle_t *cycle = &a->cycles[a->num_cycles++];
    int heap = -1;
    int at;

    cycle->num_unions = a->num_unions;
    cycle->first = a->num_members;
    do {
        at = a->path[--length];
        heap = merge(a->nodes, heap, a->heap[at]);
        a->members[a->num_members++] = a->chosen[length];
    } while (join(a, host, at));
    cycle->end = a->num_members;
    cycle->super = find(a, host);
    a->heap[cycle->super] = heap;
    a->seen[cycle->super] = -1;
    return length;
}

/*
 * Walk backwards over cheapest edges from @a from, until a host that an earlier walk has
 * seen.  False when no edge leads on.
 */
static bool walk(search_t *a, int from)
{
    int length = 0;
    int at = from;

    while (a->seen[at] < 0) {
        int node = a->heap[at];

        /* Edges inside a contracted cycle lead nowhere. */
        while (node >= 0 && find(a, a->from[node]) == at) {
            node = pop(a->nodes, node);
        }
        if (node < 0) {
            return false;
        }
        double cheapest = a->nodes[node].key;

        a->heap[at] = pop(a->nodes, node);
        if (a->heap[at] >= 0) {
            a->nodes[a->heap[at]].key -= cheapest;
            a->nodes[a->heap[at]].owed -= cheapest;
        }
        a->chosen[length] = node;
        a->path[length++] = at;
        a->seen[at] = from;
        at = find(a, a->from[node]);
        if (a->seen[at] == from) {
            length = contract(a, length, at);
            at = find(a, at);
        }
    }
    for (int i = 0; i < length; ++i) {
        a->into[find(a, a->to[a->chosen[i]])] = a->chosen[i];
    }
    return true;
}

/* Open the cycles again, the last first: each keeps all of its edges but the one at its
 * entry. */
static void expand(search_t *a)
{
    while (a->num_cycles > 0) {
        const cycle_t *cycle = &a->cycles[--a->num_cycles];
        int entry = a->into[cycle->super];

        undo_unions(a, cycle->num_unions);
        for (int m = cycle->first; m < cycle->end; ++m) {
            a->into[find(a, a->to[a->members[m]])] = a->members[m];
        }
        a->into[find(a, a->to[entry])] = entry;
    }
}

mtree_status_t mtree_arborescence_find(int num_vertices, int root, int num_edges,
                                       const int *from, const int *to,
                                       const double *price, int *edge_p)
{
    search_t search = {.num_hosts = num_vertices,
                       .num_edges = num_edges,
                       .from = from,
                       .to = to,
                       .into = edge_p};
    mtree_status_t status = search_init(&search);

    if (status != MTREE_OK) {
        return status;
    }
    start(&search, price, root);
    for (int i = 0; i < num_vertices && status == MTREE_OK; ++i) {
        status = walk(&search, find(&search, i)) ? MTREE_OK : MTREE_ERR_UNREACHABLE;
    }
    if (status == MTREE_OK) {
        expand(&search);
    }
    search_free(&search);
    return status;
}

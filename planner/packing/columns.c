/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A hop counts this much when latencies are compared, so that where they are equal the
 * lower tree wins. */
#define HOP_LATENCY 1e-9

/* One tree as a graph, rebuilt for each. */
typedef struct {
    int *first;      /* [num_hosts + 2] */
    int *ends;       /* [2 (num_hosts - 1)] edges by host */
    int *queue;      /* [num_hosts] */
    int *parent;     /* [num_hosts] */
    double *seconds; /* [3 num_hosts] distances from three hosts */
    int *hops;       /* [3 num_hosts] */
} scratch_t;

static void scratch_destroy(scratch_t *scratch)
{
    if (scratch == NULL) {
        return;
    }
    free(scratch->first);
    free(scratch->ends);
    free(scratch->queue);
    free(scratch->parent);
    free(scratch->seconds);
    free(scratch->hops);
    free(scratch);
}

static scratch_t *scratch_create(int num_hosts)
{
    size_t n = (size_t)num_hosts;
    scratch_t *scratch = calloc(1, sizeof(*scratch));

    if (scratch == NULL) {
        return NULL;
    }
    scratch->first = malloc((n + 2) * sizeof(*scratch->first));
    scratch->ends = malloc(2 * n * sizeof(*scratch->ends));
    scratch->queue = malloc(n * sizeof(*scratch->queue));
    scratch->parent = malloc(n * sizeof(*scratch->parent));
    scratch->seconds = malloc(3 * n * sizeof(*scratch->seconds));
    scratch->hops = malloc(3 * n * sizeof(*scratch->hops));
    if (scratch->first == NULL || scratch->ends == NULL || scratch->queue == NULL ||
        scratch->parent == NULL || scratch->seconds == NULL || scratch->hops == NULL) {
        scratch_destroy(scratch);
        return NULL;
    }
    return scratch;
}

void mtree_pool_destroy(mtree_pool_t *pool)
{
    if (pool == NULL) {
        return;
    }
    for (int c = 0; c < pool->num_columns; ++c) {
        free(pool->columns[c].edges);
    }
    scratch_destroy(pool->scratch);
    free(pool->columns);
    free(pool->slots);
    free(pool);
}

mtree_status_t mtree_pool_create(const mtree_candidates_t *candidates, int max_height,
                                 mtree_pool_t **pool_p)
{
    mtree_pool_t *pool = calloc(1, sizeof(*pool));

    if (pool == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    pool->candidates = candidates;
    pool->max_height = max_height;
    pool->scratch = scratch_create(candidates->num_hosts);
    if (pool->scratch == NULL) {
        mtree_pool_destroy(pool);
        return MTREE_ERR_NO_MEMORY;
    }
    *pool_p = pool;
    return MTREE_OK;
}

/* List the tree's edges at each of their hosts. */
static void build_graph(const mtree_pool_t *pool, const int *edges)
{
    const mtree_candidates_t *candidates = pool->candidates;
    scratch_t *scratch = pool->scratch;
    int num_edges = candidates->num_hosts - 1;
    int *place = scratch->first + 1;

    memset(scratch->first, 0,
           ((size_t)candidates->num_hosts + 2) * sizeof(*scratch->first));
    for (int e = 0; e < num_edges; ++e) {
        ++scratch->first[candidates->from[edges[e]] + 2];
        ++scratch->first[candidates->to[edges[e]] + 2];
    }
    for (int i = 0; i < candidates->num_hosts; ++i) {
        scratch->first[i + 2] += scratch->first[i + 1];
    }
    for (int e = 0; e < num_edges; ++e) {
        scratch->ends[place[candidates->from[edges[e]]]++] = edges[e];
        scratch->ends[place[candidates->to[edges[e]]]++] = edges[e];
    }
}

/* Walk the graph from @a root: parents and distances.  Returns the host farthest by
 * latency. */
static int walk(const mtree_pool_t *pool, int root, double *seconds, int *hops)
{
    const mtree_candidates_t *candidates = pool->candidates;
    scratch_t *scratch = pool->scratch;
    int farthest = root, reached = 0;

    scratch->parent[root] = -1;
    seconds[root] = 0.0;
    hops[root] = 0;
    scratch->queue[reached++] = root;
    for (int q = 0; q < reached; ++q) {
        int at = scratch->queue[q];

        farthest = seconds[at] > seconds[farthest] ? at : farthest;
        for (int e = scratch->first[at]; e < scratch->first[at + 1]; ++e) {
            int edge = scratch->ends[e];
            int next = mtree_candidates_other(candidates, edge, at);

            if (next != scratch->parent[at]) {
                scratch->parent[next] = at;
                seconds[next] = seconds[at] + candidates->latency[edge] + HOP_LATENCY;
                hops[next] = hops[at] + 1;
                scratch->queue[reached++] = next;
            }
        }
    }
    return farthest;
}

static int most_hops(const int *hops, int num_hosts)
{
    int farthest = 0;

    for (int i = 1; i < num_hosts; ++i) {
        farthest = hops[i] > hops[farthest] ? i : farthest;
    }
    return farthest;
}

/*
 * The host from which the farthest by latency is nearest, among those within the limit on
 * height if there are any.  In a tree the farthest host from anywhere is one of the two
 * ends of a longest path.
 */
static int find_center(const mtree_pool_t *pool)
{
    scratch_t *scratch = pool->scratch;
    int num_hosts = pool->candidates->num_hosts;
    double *to_a = scratch->seconds, *to_b = to_a + num_hosts, *other = to_b + num_hosts;
    int *hops_a = scratch->hops, *hops_b = hops_a + num_hosts, *hops = hops_b + num_hosts;
    double least = INFINITY;
    int center = -1;
    int a, b;

    (void)walk(pool, 0, other, hops);
    (void)walk(pool, most_hops(hops, num_hosts), other, hops_a);
    (void)walk(pool, most_hops(hops_a, num_hosts), other, hops_b);
    a = walk(pool, 0, other, hops);
    b = walk(pool, a, to_a, hops);
    (void)walk(pool, b, to_b, hops);
    for (int i = 0; i < num_hosts; ++i) {
        int height = hops_a[i] > hops_b[i] ? hops_a[i] : hops_b[i];
        double radius = fmax(to_a[i], to_b[i]);

        /* Hosts beyond the limit come after all others. */
        radius += pool->max_height > 0 && height > pool->max_height ? 1e9 * height : 0.0;
        if (radius < least) {
            least = radius;
            center = i;
        }
    }
    return center;
}

void mtree_pool_measure(const mtree_pool_t *pool, mtree_column_t *column)
{
    const mtree_candidates_t *candidates = pool->candidates;
    scratch_t *scratch = pool->scratch;

    build_graph(pool, column->edges);
    if (!candidates->directed) {
        column->root = find_center(pool);
    }
    int farthest = walk(pool, column->root, scratch->seconds, scratch->hops);

    column->height = scratch->hops[most_hops(scratch->hops, candidates->num_hosts)];
    column->delay = scratch->seconds[farthest] - HOP_LATENCY * scratch->hops[farthest];
    column->delay *= candidates->directed ? 1.0 : 2.0;
}

void mtree_pool_parents(const mtree_pool_t *pool, const mtree_column_t *column,
                        int *parent, int *order)
{
    size_t num_hosts = (size_t)pool->candidates->num_hosts;
    scratch_t *scratch = pool->scratch;

    build_graph(pool, column->edges);
    (void)walk(pool, column->root, scratch->seconds, scratch->hops);
    memcpy(parent, scratch->parent, num_hosts * sizeof(*parent));
    if (order != NULL) {
        memcpy(order, scratch->queue, num_hosts * sizeof(*order));
    }
}

void mtree_pool_count(const mtree_pool_t *pool, const int *edges, int *uses)
{
    const mtree_candidates_t *candidates = pool->candidates;

    for (int e = 0; e + 1 < candidates->num_hosts; ++e) {
        for (int use = candidates->first[edges[e]]; use < candidates->first[edges[e] + 1];
             ++use) {
            ++uses[candidates->rows[use]];
        }
    }
}

static int int_compare(const void *left, const void *right)
{
    const int *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static uint64_t hash_edges(int group, const int *edges, int count)
{
    uint64_t hash = 0xcbf29ce484222325u ^ (uint64_t)group;

    for (int e = 0; e < count; ++e) {
        hash = (hash ^ (uint64_t)edges[e]) * 0x100000001b3u;
        hash ^= hash >> 29;
    }
    return hash;
}

/* The slot of the column equal to @a wanted, or the free one where it belongs. */
static int find_slot(const mtree_pool_t *pool, const mtree_column_t *wanted)
{
    size_t length = ((size_t)pool->candidates->num_hosts - 1) * sizeof(*wanted->edges);
    int slot = (int)(wanted->hash & (uint64_t)(pool->num_slots - 1));

    while (pool->slots[slot] >= 0) {
        const mtree_column_t *column = &pool->columns[pool->slots[slot]];

        if (column->hash == wanted->hash && column->group == wanted->group &&
            memcmp(column->edges, wanted->edges, length) == 0) {
            return slot;
        }
        slot = (slot + 1) & (pool->num_slots - 1);
    }
    return slot;
}

/* Double the room for columns, and the hash table with it. */
static mtree_status_t make_room(mtree_pool_t *pool)
{
    int room = pool->room == 0 ? 64 : 2 * pool->room;
    mtree_column_t *columns = realloc(pool->columns, (size_t)room * sizeof(*columns));
    int *slots;

    if (columns == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    pool->columns = columns;
    slots = malloc(4 * (size_t)room * sizeof(*slots));
    if (slots == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    free(pool->slots);
    pool->slots = slots;
    pool->num_slots = 4 * room;
    pool->room = room;
    for (int s = 0; s < pool->num_slots; ++s) {
        slots[s] = -1;
    }
    for (int c = 0; c < pool->num_columns; ++c) {
        slots[find_slot(pool, &pool->columns[c])] = c;
    }
    return MTREE_OK;
}

mtree_status_t mtree_pool_add(mtree_pool_t *pool, int group, int root, const int *edges,
                              int *column_p)
{
    int num_edges = pool->candidates->num_hosts - 1;
    mtree_column_t column = {.group = group, .root = root};
    mtree_status_t status = pool->num_columns == pool->room ? make_room(pool) : MTREE_OK;
    int slot;

    if (status != MTREE_OK) {
        return status;
    }
    column.edges = malloc((size_t)num_edges * sizeof(*column.edges) + 1);
    if (column.edges == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    memcpy(column.edges, edges, (size_t)num_edges * sizeof(*edges));
    qsort(column.edges, (size_t)num_edges, sizeof(*column.edges), int_compare);
    column.hash = hash_edges(group, column.edges, num_edges);
    slot = find_slot(pool, &column);
    if (pool->slots[slot] >= 0) {
        free(column.edges);
    } else {
        mtree_pool_measure(pool, &column);
        pool->slots[slot] = pool->num_columns;
        pool->columns[pool->num_columns++] = column;
    }
    if (column_p != NULL) {
        *column_p = pool->slots[slot];
    }
    return MTREE_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/columns.h"

#include "base/array.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a hop counts besides its latency, seconds, where distances are compared: of equal
 * latencies the lower tree wins. */
#define HOP_LATENCY 1e-9

/* One tree as a graph, rebuilt for each. */
typedef struct mtree_columns_scratch {
    int *edges;      /* [num_hosts - 1] of a tree that is offered, ascending */
    uint64_t *marks; /* a bit for each candidate edge, all zero */
    int *first;      /* [num_hosts + 2] */
    int *ends;       /* [2 (num_hosts - 1)] edges by host */
    int *queue;      /* [num_hosts] */
    int deepest;     /* a host of most hops, after a walk */
    int *parent;     /* [num_hosts] */
    double *seconds; /* [3 num_hosts] distances from three hosts */
    int *hops;       /* [3 num_hosts] */
} scratch_t;

void mtree_columns_destroy(mtree_columns_t *columns)
{
    if (columns == NULL) {
        return;
    }
    mtree_arena_cleanup(&columns->arena);
    free(columns->column);
    free(columns->slots);
    free(columns);
}

mtree_status_t mtree_columns_create(const mtree_candidates_t *candidates, int max_height,
                                    mtree_columns_t **pool_p)
{
    mtree_columns_t *columns = calloc(1, sizeof(*columns));
    size_t n = (size_t)candidates->num_hosts;
    scratch_t *scratch;

    if (columns == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    columns->candidates = candidates;
    columns->max_height = max_height;
    scratch = MTREE_ARENA_ARRAY(&columns->arena, columns->scratch, 1);
    if (scratch != NULL) {
        MTREE_ARENA_ARRAY(&columns->arena, scratch->edges, n);
        MTREE_ARENA_ARRAY(&columns->arena, scratch->marks,
                          (size_t)candidates->num_edges / 64 + 1);
        MTREE_ARENA_ARRAY(&columns->arena, scratch->first, n + 2);
        MTREE_ARENA_ARRAY(&columns->arena, scratch->ends, 2 * n);
        MTREE_ARENA_ARRAY(&columns->arena, scratch->queue, n);
        MTREE_ARENA_ARRAY(&columns->arena, scratch->parent, n);
        MTREE_ARENA_ARRAY(&columns->arena, scratch->seconds, 3 * n);
        MTREE_ARENA_ARRAY(&columns->arena, scratch->hops, 3 * n);
    }
    if (columns->arena.status != MTREE_OK) {
        mtree_columns_destroy(columns);
        return MTREE_ERR_NO_MEMORY;
    }
    *pool_p = columns;
    return MTREE_OK;
}

/* List the tree's edges at each of their hosts. */
static void build_graph(const mtree_columns_t *columns, const int *edges)
{
    const mtree_candidates_t *candidates = columns->candidates;
    scratch_t *scratch = columns->scratch;
    int num_edges = 0;
    int *place = scratch->first + 1;

    memset(scratch->first, 0,
           ((size_t)candidates->num_hosts + 2) * sizeof(*scratch->first));
    while (num_edges + 1 < candidates->num_hosts && edges[num_edges] >= 0) {
        ++num_edges;
    }
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
static int walk(const mtree_columns_t *columns, int root, double *seconds, int *hops)
{
    const mtree_candidates_t *candidates = columns->candidates;
    scratch_t *scratch = columns->scratch;
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
    scratch->deepest = scratch->queue[reached - 1];
    return farthest;
}

/*
 * The host from which the farthest by latency is nearest, among those within the limit on
 * height if there are any.  In a tree the farthest host from anywhere is one of the two
 * ends of a longest path.
 */
static int find_center(const mtree_columns_t *columns)
{
    scratch_t *scratch = columns->scratch;
    int num_hosts = columns->candidates->num_hosts;
    double *to_a = scratch->seconds, *to_b = to_a + num_hosts, *other = to_b + num_hosts;
    int *hops_a = scratch->hops, *hops_b = hops_a + num_hosts, *hops = hops_b + num_hosts;
    double least = INFINITY;
    int center = -1;
    int a, b;

    a = walk(columns, 0, other, hops);
    if (columns->max_height > 0) {
        (void)walk(columns, scratch->deepest, other, hops_a);
        (void)walk(columns, scratch->deepest, other, hops_b);
    }
    b = walk(columns, a, to_a, hops);
    (void)walk(columns, b, to_b, hops);
    for (int i = 0; i < num_hosts; ++i) {
        int height = columns->max_height == 0 ? 0
                     : hops_a[i] > hops_b[i]  ? hops_a[i]
                                              : hops_b[i];
        double radius = fmax(to_a[i], to_b[i]);

        /* Hosts beyond the limit come after all others. */
        radius += height > columns->max_height ? 1e9 * height : 0.0;
        if (radius < least) {
            least = radius;
            center = i;
        }
    }
    return center;
}

void mtree_columns_measure(const mtree_columns_t *columns, mtree_column_t *column)
{
    const mtree_candidates_t *candidates = columns->candidates;
    scratch_t *scratch = columns->scratch;

    build_graph(columns, column->edges);
    if (!candidates->directed && candidates->num_active == candidates->num_hosts) {
        column->root = find_center(columns);
    }
    int farthest = walk(columns, column->root, scratch->seconds, scratch->hops);

    column->height = scratch->hops[scratch->deepest];
    column->delay = scratch->seconds[farthest] - HOP_LATENCY * scratch->hops[farthest];
    column->delay *= candidates->directed ? 1.0 : 2.0;
}

void mtree_columns_parents(const mtree_columns_t *columns, const mtree_column_t *column,
                           int *parent, int *order)
{
    size_t num_hosts = (size_t)columns->candidates->num_hosts;
    scratch_t *scratch = columns->scratch;

    build_graph(columns, column->edges);
    for (size_t i = 0; i < num_hosts; ++i) {
        scratch->parent[i] = MTREE_PLAN_OUTSIDE;
    }
    (void)walk(columns, column->root, scratch->seconds, scratch->hops);
    memcpy(parent, scratch->parent, num_hosts * sizeof(*parent));
    if (order != NULL) {
        memcpy(order, scratch->queue, num_hosts * sizeof(*order));
    }
}

/* Put the edges of a tree, which are different, into scratch->edges in ascending order,
 * with -1 behind them. */
static void sort_edges(const mtree_columns_t *columns, const int *edges)
{
    const mtree_candidates_t *candidates = columns->candidates;
    uint64_t *marks = columns->scratch->marks;
    int count = 0;

    for (int e = 0; e + 1 < candidates->num_hosts && edges[e] >= 0; ++e) {
        marks[edges[e] / 64] |= UINT64_C(1) << edges[e] % 64;
    }
    for (int word = 0; word <= candidates->num_edges / 64; ++word) {
        for (; marks[word] != 0; marks[word] &= marks[word] - 1) {
            columns->scratch->edges[count++] = 64 * word + __builtin_ctzll(marks[word]);
        }
    }
    while (count + 1 < candidates->num_hosts) {
        columns->scratch->edges[count++] = -1;
    }
}

/* The slot of the column equal to @a wanted, or the free one where it belongs. */
static int find_slot(const mtree_columns_t *columns, const mtree_column_t *wanted)
{
    size_t length = ((size_t)columns->candidates->num_hosts - 1) * sizeof(*wanted->edges);
    int slot = (int)(wanted->hash & (uint64_t)(columns->num_slots - 1));

    while (columns->slots[slot] >= 0) {
        const mtree_column_t *column = &columns->column[columns->slots[slot]];

        if (column->hash == wanted->hash && column->group == wanted->group &&
            memcmp(column->edges, wanted->edges, length) == 0) {
            return slot;
        }
        slot = (slot + 1) & (columns->num_slots - 1);
    }
    return slot;
}

/* Make the hash table anew, four times as large as the array of columns. */
static mtree_status_t resize_table(mtree_columns_t *columns)
{
    int num_slots = 4 * columns->capacity;
    int *slots = malloc((size_t)num_slots * sizeof(*slots));

    if (slots == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    free(columns->slots);
    columns->slots = slots;
    columns->num_slots = num_slots;
    for (int s = 0; s < num_slots; ++s) {
        slots[s] = -1;
    }
    for (int i = 0; i < columns->num_columns; ++i) {
        slots[find_slot(columns, &columns->column[i])] = i;
    }
    return MTREE_OK;
}

/* Memory for one more column, and a hash table that is at most a quarter full. */
static mtree_status_t reserve_column(mtree_columns_t *columns)
{
    mtree_status_t status =
        mtree_array_reserve(&columns->column, &columns->capacity,
                            columns->num_columns + 1, sizeof(*columns->column));

    return status == MTREE_OK && columns->num_slots < 4 * columns->capacity
               ? resize_table(columns)
               : status;
}

mtree_status_t mtree_columns_add(mtree_columns_t *columns, int group, int root,
                                 const int *edges, int *column_p)
{
    size_t num_edges = (size_t)columns->candidates->num_hosts - 1;
    size_t size = num_edges * sizeof(*edges);
    mtree_column_t column = {
        .group = group, .root = root, .edges = columns->scratch->edges};
    mtree_status_t status = reserve_column(columns);
    int slot;

    if (status != MTREE_OK) {
        return status;
    }
    sort_edges(columns, edges);
    column.hash = mtree_hash_bytes(
        mtree_hash_bytes(MTREE_HASH_INIT, &group, sizeof(group)), column.edges, size);
    slot = find_slot(columns, &column);
    if (columns->slots[slot] < 0) {
        mtree_columns_measure(columns, &column);
        MTREE_ARENA_ARRAY(&columns->arena, column.edges, num_edges);
        if (column.edges == NULL) {
            return MTREE_ERR_NO_MEMORY;
        }
        memcpy(column.edges, columns->scratch->edges, size);
        columns->slots[slot] = columns->num_columns;
        columns->column[columns->num_columns++] = column;
    }
    if (column_p != NULL) {
        *column_p = columns->slots[slot];
    }
    return MTREE_OK;
}

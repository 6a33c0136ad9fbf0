/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/packing/tree_set.h"

#include "base/array.h"
#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a hop counts besides its latency, seconds, where distances are compared: of equal
 * latencies the lower tree wins. */
#define HOP_LATENCY 1e-9

/* One tree as a graph, rebuilt for each. */
typedef struct mtree_tree_set_scratch {
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

void mtree_tree_set_destroy(mtree_tree_set_t *set)
{
    if (set == NULL) {
        return;
    }
    mtree_arena_cleanup(&set->arena);
    free(set->trees);
    free(set->slots);
    free(set);
}

mtree_tree_set_t *mtree_tree_set_create(const mtree_candidates_t *candidates,
                                        int max_height)
{
    mtree_tree_set_t *set = mtree_calloc(1, sizeof(*set));
    mtree_arena_t *arena = &set->arena;
    scratch_t *scratch = MTREE_ARENA_ARRAY(arena, set->scratch, 1);
    size_t n = (size_t)candidates->num_hosts;

    set->candidates = candidates;
    set->max_height = max_height;
    MTREE_ARENA_ARRAY(arena, scratch->edges, n);
    MTREE_ARENA_ARRAY(arena, scratch->marks, (size_t)candidates->num_edges / 64 + 1);
    MTREE_ARENA_ARRAY(arena, scratch->first, n + 2);
    MTREE_ARENA_ARRAY(arena, scratch->ends, 2 * n);
    MTREE_ARENA_ARRAY(arena, scratch->queue, n);
    MTREE_ARENA_ARRAY(arena, scratch->parent, n);
    MTREE_ARENA_ARRAY(arena, scratch->seconds, 3 * n);
    MTREE_ARENA_ARRAY(arena, scratch->hops, 3 * n);
    return set;
}

/* List the tree's edges at each of their hosts. */
static void build_graph(const mtree_tree_set_t *set, const int *edges)
{
    const mtree_candidates_t *candidates = set->candidates;
    scratch_t *scratch = set->scratch;
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
static int walk(const mtree_tree_set_t *set, int root, double *seconds, int *hops)
{
    const mtree_candidates_t *candidates = set->candidates;
    scratch_t *scratch = set->scratch;
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
static int find_center(const mtree_tree_set_t *set)
{
    scratch_t *scratch = set->scratch;
    int num_hosts = set->candidates->num_hosts;
    double *to_a = scratch->seconds, *to_b = to_a + num_hosts, *other = to_b + num_hosts;
    int *hops_a = scratch->hops, *hops_b = hops_a + num_hosts, *hops = hops_b + num_hosts;
    double least = INFINITY;
    int center = -1;
    int a, b;

    a = walk(set, 0, other, hops);
    if (set->max_height > 0) {
        (void)walk(set, scratch->deepest, other, hops_a);
        (void)walk(set, scratch->deepest, other, hops_b);
    }
    b = walk(set, a, to_a, hops);
    (void)walk(set, b, to_b, hops);
    for (int i = 0; i < num_hosts; ++i) {
        int height = set->max_height == 0    ? 0
                     : hops_a[i] > hops_b[i] ? hops_a[i]
                                             : hops_b[i];
        double radius = fmax(to_a[i], to_b[i]);

        /* Hosts beyond the limit come after all others. */
        radius += height > set->max_height ? 1e9 * height : 0.0;
        if (radius < least) {
            least = radius;
            center = i;
        }
    }
    return center;
}

/* The farthest host by latency that gets a block of @a root. */
static int farthest_block(const mtree_candidates_t *candidates, int root,
                          const double *seconds)
{
    const int *blocks = candidates->blocks + (size_t)root * (size_t)candidates->num_hosts;
    int farthest = root;

    for (int i = 0; i < candidates->num_hosts; ++i) {
        farthest = blocks[i] > 0 && seconds[i] > seconds[farthest] ? i : farthest;
    }
    return farthest;
}

void mtree_tree_set_measure(const mtree_tree_set_t *set, mtree_packed_t *tree)
{
    const mtree_candidates_t *candidates = set->candidates;
    scratch_t *scratch = set->scratch;

    build_graph(set, tree->edges);
    if (!candidates->directed && candidates->num_active == candidates->num_hosts) {
        tree->root = find_center(set);
    }
    int farthest = walk(set, tree->root, scratch->seconds, scratch->hops);

    if (candidates->blocks != NULL) {
        farthest = farthest_block(candidates, tree->root, scratch->seconds);
    }
    tree->height = scratch->hops[scratch->deepest];
    tree->delay = scratch->seconds[farthest] - HOP_LATENCY * scratch->hops[farthest];
    tree->delay *= candidates->directed ? 1.0 : 2.0;
}

void mtree_tree_set_parents(const mtree_tree_set_t *set, const mtree_packed_t *tree,
                            int *parent, int *order)
{
    size_t num_hosts = (size_t)set->candidates->num_hosts;
    scratch_t *scratch = set->scratch;

    build_graph(set, tree->edges);
    for (size_t i = 0; i < num_hosts; ++i) {
        scratch->parent[i] = MTREE_PLAN_OUTSIDE;
    }
    (void)walk(set, tree->root, scratch->seconds, scratch->hops);
    memcpy(parent, scratch->parent, num_hosts * sizeof(*parent));
    if (order != NULL) {
        memcpy(order, scratch->queue, num_hosts * sizeof(*order));
    }
}

/* Put the edges of a tree, which are different, into scratch->edges in ascending order,
 * with -1 behind them. */
static void sort_edges(const mtree_tree_set_t *set, const int *edges)
{
    const mtree_candidates_t *candidates = set->candidates;
    uint64_t *marks = set->scratch->marks;
    int count = 0;

    for (int e = 0; e + 1 < candidates->num_hosts && edges[e] >= 0; ++e) {
        marks[edges[e] / 64] |= UINT64_C(1) << edges[e] % 64;
    }
    for (int word = 0; word <= candidates->num_edges / 64; ++word) {
        for (; marks[word] != 0; marks[word] &= marks[word] - 1) {
            set->scratch->edges[count++] = 64 * word + __builtin_ctzll(marks[word]);
        }
    }
    while (count + 1 < candidates->num_hosts) {
        set->scratch->edges[count++] = -1;
    }
}

/* The slot of the tree equal to @a wanted, or the free one where it belongs. */
static int find_slot(const mtree_tree_set_t *set, const mtree_packed_t *wanted)
{
    size_t length = ((size_t)set->candidates->num_hosts - 1) * sizeof(*wanted->edges);
    int slot = (int)(wanted->hash & (uint64_t)(set->num_slots - 1));

    while (set->slots[slot] >= 0) {
        const mtree_packed_t *tree = &set->trees[set->slots[slot]];

        if (tree->hash == wanted->hash && tree->group == wanted->group &&
            memcmp(tree->edges, wanted->edges, length) == 0) {
            return slot;
        }
        slot = (slot + 1) & (set->num_slots - 1);
    }
    return slot;
}

/* Make the hash table anew, four times as large as the array of trees. */
static void resize_table(mtree_tree_set_t *set)
{
    free(set->slots);
    set->num_slots = 4 * set->capacity;
    set->slots = mtree_malloc((size_t)set->num_slots * sizeof(*set->slots));
    for (int s = 0; s < set->num_slots; ++s) {
        set->slots[s] = -1;
    }
    for (int t = 0; t < set->num_trees; ++t) {
        set->slots[find_slot(set, &set->trees[t])] = t;
    }
}

/* Memory for one more tree, and a hash table that is at most a quarter full. */
static void reserve_tree(mtree_tree_set_t *set)
{
    mtree_array_reserve(&set->trees, &set->capacity, set->num_trees + 1,
                        sizeof(*set->trees));
    if (set->num_slots < 4 * set->capacity) {
        resize_table(set);
    }
}

void mtree_tree_set_add(mtree_tree_set_t *set, int group, int root, const int *edges,
                        double rate)
{
    size_t num_edges = (size_t)set->candidates->num_hosts - 1;
    size_t size = num_edges * sizeof(*edges);
    mtree_packed_t tree = {.group = group, .root = root, .edges = set->scratch->edges};
    int slot;

    reserve_tree(set);
    sort_edges(set, edges);
    tree.hash = mtree_hash_bytes(mtree_hash_bytes(MTREE_HASH_INIT, &group, sizeof(group)),
                                 tree.edges, size);
    slot = find_slot(set, &tree);
    if (set->slots[slot] < 0) {
        mtree_tree_set_measure(set, &tree);
        MTREE_ARENA_ARRAY(&set->arena, tree.edges, num_edges);
        memcpy(tree.edges, set->scratch->edges, size);
        set->slots[slot] = set->num_trees;
        tree.number = set->num_trees;
        set->trees[set->num_trees++] = tree;
    }
    set->trees[set->slots[slot]].rate += rate;
}

/* Each group's trees together, the fastest first. */
static int tree_compare(const void *left, const void *right)
{
    const mtree_packed_t *a = left, *b = right;

    if (a->group != b->group) {
        return a->group - b->group;
    }
    if (a->rate != b->rate) {
        return a->rate > b->rate ? -1 : 1;
    }
    return a->number - b->number;
}

void mtree_tree_set_trim(mtree_tree_set_t *set, int max_trees, double min_rate)
{
    int rank = 0, kept = 0;

    qsort(set->trees, (size_t)set->num_trees, sizeof(*set->trees), tree_compare);
    for (int t = 0; t < set->num_trees; ++t) {
        rank = t > 0 && set->trees[t].group == set->trees[t - 1].group ? rank + 1 : 0;
        set->trees[t].is_left_out = rank > 0 && ((max_trees > 0 && rank >= max_trees) ||
                                                 set->trees[t].rate < min_rate);
    }
    for (int t = 0; t < set->num_trees; ++t) {
        if (!set->trees[t].is_left_out) {
            set->trees[kept++] = set->trees[t];
        }
    }
    set->num_trees = kept;
    /* The next tree that is added makes the table anew. */
    set->num_slots = 0;
}

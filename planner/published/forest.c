/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/published/forest.h"

#include "base/array.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

static mtree_status_t no_memory(void)
{
    mtree_error("no memory for spanning trees; plan for fewer hosts or trees");
    return MTREE_ERR_NO_MEMORY;
}

mtree_status_t mtree_forest_create(const mtree_candidates_t *candidates,
                                   mtree_forest_t **forest_p)
{
    mtree_forest_t *forest = calloc(1, sizeof(*forest));

    if (forest == NULL) {
        return no_memory();
    }
    forest->candidates = candidates;
    *forest_p = forest;
    return MTREE_OK;
}

void mtree_forest_destroy(mtree_forest_t *forest)
{
    if (forest == NULL) {
        return;
    }
    free(forest->edges);
    free(forest->root);
    free(forest->rate);
    free(forest);
}

/* Memory for one more tree in each array; all of them have one capacity. */
static mtree_status_t reserve_tree(mtree_forest_t *forest)
{
    size_t num_edges = (size_t)forest->candidates->num_hosts - 1;
    int edges = forest->capacity, roots = forest->capacity, rates = forest->capacity;
    int count = forest->num_trees + 1;

    if (mtree_array_reserve(&forest->edges, &edges, count,
                            num_edges * sizeof(*forest->edges)) != MTREE_OK ||
        mtree_array_reserve(&forest->root, &roots, count, sizeof(*forest->root)) !=
            MTREE_OK ||
        mtree_array_reserve(&forest->rate, &rates, count, sizeof(*forest->rate)) !=
            MTREE_OK) {
        return no_memory();
    }
    forest->capacity = rates;
    return MTREE_OK;
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

mtree_status_t mtree_forest_add(mtree_forest_t *forest, const int *edges, int root,
                                double rate)
{
    int num_edges = forest->candidates->num_hosts - 1;
    size_t length = (size_t)num_edges * sizeof(*edges);
    mtree_status_t status = reserve_tree(forest);
    int *added;

    if (status != MTREE_OK) {
        return status;
    }
    added = mtree_forest_edges(forest, forest->num_trees);
    memcpy(added, edges, length);
    qsort(added, (size_t)num_edges, sizeof(*added), compare_ints);
    for (int tree = 0; tree < forest->num_trees; tree++) {
        if (memcmp(mtree_forest_edges(forest, tree), added, length) == 0) {
            forest->rate[tree] += rate;
            return MTREE_OK;
        }
    }
    forest->root[forest->num_trees] = root;
    forest->rate[forest->num_trees] = rate;
    forest->num_trees++;
    return MTREE_OK;
}

static void swap_trees(mtree_forest_t *forest, int a, int b)
{
    int *edges_a = mtree_forest_edges(forest, a);
    int *edges_b = mtree_forest_edges(forest, b);
    int root = forest->root[a];
    double rate = forest->rate[a];

    for (int i = 0; i < forest->candidates->num_hosts - 1; i++) {
        int edge = edges_a[i];
        edges_a[i] = edges_b[i];
        edges_b[i] = edge;
    }
    forest->root[a] = forest->root[b];
    forest->rate[a] = forest->rate[b];
    forest->root[b] = root;
    forest->rate[b] = rate;
}

void mtree_forest_keep_widest(mtree_forest_t *forest, int max_trees)
{
    for (int at = 0; at < forest->num_trees && at < max_trees; at++) {
        int widest = at;

        for (int tree = at + 1; tree < forest->num_trees; tree++) {
            widest = forest->rate[tree] > forest->rate[widest] ? tree : widest;
        }
        swap_trees(forest, at, widest);
    }
    if (forest->num_trees > max_trees) {
        forest->num_trees = max_trees;
    }
}

void mtree_forest_drop_idle(mtree_forest_t *forest)
{
    int kept = 0;

    for (int tree = 0; tree < forest->num_trees; tree++) {
        if (forest->rate[tree] > 0) {
            swap_trees(forest, tree, kept++);
        }
    }
    forest->num_trees = kept;
}

double mtree_forest_rate(const mtree_forest_t *forest)
{
    double sum = 0;

    for (int tree = 0; tree < forest->num_trees; tree++) {
        sum += forest->rate[tree];
    }
    return sum;
}

double mtree_forest_fit(const mtree_candidates_t *candidates, const int *edges,
                        const double *left, int *uses)
{
    mtree_candidates_count(candidates, edges, uses);
    return mtree_candidates_room(candidates, uses, left);
}

/*
 * Hang the tree on `root`: parent[] of every host, -1 for the root, and depth[] in hops.
 * Edges are taken as they come to touch the part that hangs already, in as many passes as
 * the tree is high.
 */
static void hang(const mtree_candidates_t *candidates, const int *edges, int root,
                 int *parent, int *depth)
{
    int n = candidates->num_hosts, hanging = 1;

    for (int host = 0; host < n; host++) {
        parent[host] = -1;
        depth[host] = -1;
    }
    depth[root] = 0;
    while (hanging < n) {
        for (int i = 0; i < n - 1; i++) {
            int up = candidates->from[edges[i]], down = candidates->to[edges[i]];

            if (depth[down] >= 0 && depth[up] < 0) {
                up = candidates->to[edges[i]];
                down = candidates->from[edges[i]];
            }
            if (depth[up] >= 0 && depth[down] < 0) {
                parent[down] = up;
                depth[down] = depth[up] + 1;
                hanging++;
            }
        }
    }
}

static int farthest(const int *depth, int num_hosts)
{
    int far = 0;

    for (int host = 1; host < num_hosts; host++) {
        far = depth[host] > depth[far] ? host : far;
    }
    return far;
}

int mtree_forest_center(const mtree_candidates_t *candidates, const int *edges)
{
    int n = candidates->num_hosts, scratch[3 * n];
    int *parent = scratch, *there = scratch + n, *back = scratch + 2 * n, center = 0;
    int one_end, other_end, height = n;

    /* The height from a host is its distance to the farther end of a longest path. */
    hang(candidates, edges, 0, parent, there);
    one_end = farthest(there, n);
    hang(candidates, edges, one_end, parent, there);
    other_end = farthest(there, n);
    hang(candidates, edges, other_end, parent, back);
    for (int host = 0; host < n; host++) {
        int far = there[host] > back[host] ? there[host] : back[host];

        if (far < height) {
            height = far;
            center = host;
        }
    }
    return center;
}

mtree_status_t mtree_forest_plan(const mtree_forest_t *forest,
                                 const mtree_problem_t *problem, const char *algorithm,
                                 mtree_plan_t **plan_p)
{
    int *depth;
    mtree_status_t status =
        mtree_problem_plan(problem, algorithm, forest->num_trees, plan_p);

    MTREE_ARENA_ARRAY(problem->arena, depth, (size_t)problem->num_hosts);
    if (status != MTREE_OK || depth == NULL) {
        return no_memory();
    }
    for (int t = 0; t < forest->num_trees; t++) {
        mtree_tree_t *tree = &(*plan_p)->trees[t];

        tree->root = forest->root[t];
        tree->rate = forest->rate[t];
        hang(forest->candidates, mtree_forest_edges(forest, t), tree->root, tree->parent,
             depth);
    }
    return MTREE_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/forest.h"

#include "base/array.h"
#include "base/memory.h"
#include "planner/graph/candidate_trees.h"

#include <stdlib.h>
#include <string.h>

mtree_forest_t *mtree_forest_create(const mtree_candidates_t *candidates)
{
    mtree_forest_t *forest = mtree_calloc(1, sizeof(*forest));

    forest->candidates = candidates;
    MTREE_ARENA_ARRAY(&forest->arena, forest->offered, (size_t)candidates->num_hosts);
    return forest;
}

void mtree_forest_destroy(mtree_forest_t *forest)
{
    if (forest == NULL) {
        return;
    }
    mtree_arena_cleanup(&forest->arena);
    free(forest->trees);
    free(forest);
}

static int compare_ints(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;

    return (x > y) - (x < y);
}

void mtree_forest_add(mtree_forest_t *forest, const int *edges, int root, double rate)
{
    size_t num_edges = (size_t)forest->candidates->num_hosts - 1;
    size_t size = num_edges * sizeof(*edges);
    mtree_forest_tree_t added = {.root = root, .rate = rate};

    memcpy(forest->offered, edges, size);
    qsort(forest->offered, num_edges, sizeof(*edges), compare_ints);
    for (int t = 0; t < forest->num_trees; t++) {
        if (memcmp(forest->trees[t].edges, forest->offered, size) == 0) {
            forest->trees[t].rate += rate;
            return;
        }
    }
    MTREE_ARENA_ARRAY(&forest->arena, added.edges, num_edges);
    mtree_array_reserve(&forest->trees, &forest->capacity, forest->num_trees + 1,
                        sizeof(*forest->trees));
    memcpy(added.edges, forest->offered, size);
    forest->trees[forest->num_trees++] = added;
}

void mtree_forest_keep_widest(mtree_forest_t *forest, int max_trees)
{
    mtree_forest_tree_t *trees = forest->trees;

    for (int at = 0; at < forest->num_trees && at < max_trees; at++) {
        const mtree_forest_tree_t moved = trees[at];
        int widest = at;

        for (int t = at + 1; t < forest->num_trees; t++) {
            widest = trees[t].rate > trees[widest].rate ? t : widest;
        }
        trees[at] = trees[widest];
        trees[widest] = moved;
    }
    if (forest->num_trees > max_trees) {
        forest->num_trees = max_trees;
    }
}

void mtree_forest_drop_idle(mtree_forest_t *forest)
{
    int kept = 0;

    for (int t = 0; t < forest->num_trees; t++) {
        if (forest->trees[t].rate > 0) {
            forest->trees[kept++] = forest->trees[t];
        }
    }
    forest->num_trees = kept;
}

double mtree_forest_rate(const mtree_forest_t *forest)
{
    double sum = 0;

    for (int tree = 0; tree < forest->num_trees; tree++) {
        sum += forest->trees[tree].rate;
    }
    return sum;
}

double mtree_forest_fit(const mtree_candidates_t *candidates, const int *edges,
                        const double *left, int *uses)
{
    mtree_candidates_count(candidates, edges, uses);
    return mtree_candidates_max_rate(candidates, uses, left);
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

mtree_plan_t *mtree_forest_plan(const mtree_forest_t *forest,
                                const mtree_problem_t *problem, const char *algorithm)
{
    mtree_plan_t *plan = mtree_problem_plan(problem, algorithm, forest->num_trees);
    int *depth;

    MTREE_ARENA_ARRAY(problem->arena, depth, (size_t)problem->num_hosts);
    for (int t = 0; t < forest->num_trees; t++) {
        mtree_tree_t *tree = &plan->trees[t];

        tree->root = forest->trees[t].root;
        tree->rate = forest->trees[t].rate;
        hang(forest->candidates, forest->trees[t].edges, tree->root, tree->parent, depth);
    }
    return plan;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cheapest tree of a small network by trying all: a reference for searches.  Prices
 * are of the arcs, [from * n + to], infinite where there is none; the first @a num_active
 * vertices are in the tree, the others may be.
 */
#ifndef MTREE_TESTS_UNIT_PLANNER_ALL_TREES_H
#define MTREE_TESTS_UNIT_PLANNER_ALL_TREES_H

#include "planner/published/steiner_tree.h"

#include <math.h>

#define ALL_TREES_MOST 7 /* vertices */

/* Price of a tree given by parents, infinite when it is none; inward edges lead to the
 * parent. */
static inline double all_trees_price(const double *price, int n, int num_active, int root,
                                     const int *parent, bool inward)
{
    double sum = 0;

    for (int v = 0; v < n; v++) {
        int at = v;

        if (parent[v] == MTREE_STEINER_ABSENT) {
            if (v < num_active) {
                return INFINITY;
            }
            continue;
        }
        for (int hops = 0; hops < n && at >= 0 && at != root; hops++) {
            at = parent[at];
        }
        if (at != root) {
            return INFINITY;
        }
        if (v != root) {
            sum += inward ? price[v * n + parent[v]] : price[parent[v] * n + v];
        }
    }
    return sum;
}

/* The least price over all assignments of parents. */
static inline double all_trees_least(const double *price, int n, int num_active, int root,
                                     bool inward)
{
    double least = INFINITY;
    long all = 1;
    int parent[ALL_TREES_MOST];

    for (int v = 0; v < n; v++) {
        all *= n;
    }
    for (long code = 0; code < all; code++) {
        long rest = code;

        for (int v = 0; v < n; v++) {
            /* "Its own parent" stands for the root, and for a relay that is left out. */
            parent[v] = (int)(rest % n);
            parent[v] = parent[v] != v ? parent[v]
                        : v == root    ? -1
                                       : MTREE_STEINER_ABSENT;
            rest /= n;
        }
        if (parent[root] == -1) {
            least =
                fmin(least, all_trees_price(price, n, num_active, root, parent, inward));
        }
    }
    return least;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GOST: height-bounded spanning trees for allreduce, papers/mtree.txt section III-A,
 * Algorithms 1 to 3 as published.
 */
#ifndef MTREE_PAPERS_PUBLISHED_GOST_H
#define MTREE_PAPERS_PUBLISHED_GOST_H

#include "base/random.h"
#include "papers/published/forest.h"

/* rho of ITH as the planner uses it; the paper leaves it open. */
#define MTREE_GOST_RHO 0.9

/* GBST stops after this many trees: with capacities that have no common measure r*
 * shrinks without end. */
#define MTREE_GOST_MAX_TREES 1024

typedef struct {
    const mtree_candidates_t
        *candidates; /* G; an edge's capacity b_j is the least of its constraints */
    int max_height;  /* H > 0; a tree's diameter is at most 2 H */
    double min_rate; /* r-bar > 0, bits/s: edges with less left are not used */
} mtree_gost_t;

/*
 * Algorithm 2, GRTH.  @a height is D*, @a tree the adjacency matrix M of the tree so far,
 * @a in_tree its vertices V_s. Writes D_j for the edge u - v of length @a length, u in
 * the tree, v not, to @a joined; D_j[u] stays what it was, as published: u is then the
 * neighbour of its farthest vertex v or not changed by it, so neither the largest height
 * (v's) nor the least moves.  @a queue and @a distance are scratch; all arrays are
 * [num_hosts], the matrices squared; @a lengths holds L by pair of hosts.
 */
void mtree_gost_heights(int num_hosts, const bool *in_tree, const bool *tree,
                        const int *lengths, int u, int v, const int *height, int *joined,
                        int *queue, int *distance);

/*
 * Algorithm 1, GBST: trees from random start vertices, each of the widest edges that keep
 * its diameter within 2 H, of equally wide ones the one that adds least; each gets r*,
 * the globally smallest b_j > 0, taken from its edges. Where edges share capacities
 * (routes over a common arc) r* is no more than the tree's own edges hold together. Trees
 * are merged when they are equal.  An empty forest means that no tree exists under these
 * limits.
 */
mtree_forest_t *mtree_gost_gbst(const mtree_gost_t *gost, mtree_random_t *random);

/*
 * Algorithm 3, ITH: the lowest H at which binary search finds GBST to keep @a rho of the
 * rate that it has at gost->max_height.  *height_p (may be NULL) is that H.
 */
mtree_forest_t *mtree_gost_ith(const mtree_gost_t *gost, double rho,
                               mtree_random_t *random, int *height_p);

/*
 * The whole pipeline for allreduce: ITH under the request's height (0: no limit), then
 * MILP (1) with its number of trees and least rate, then the published chunk sizes when
 * the request has a size. MTREE_ERR_NOT_FOUND (logged) when no tree keeps to the limits.
 */
mtree_status_t mtree_gost_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BLINK's packing of spanning trees, a baseline of papers/mtree.txt: a fractional packing
 * by multiplicative weights, then an integer program that keeps few of its trees. Heights
 * are not limited.
 */
#ifndef MTREE_PAPERS_PUBLISHED_BLINK_H
#define MTREE_PAPERS_PUBLISHED_BLINK_H

#include "papers/published/forest.h"

/*
 * The packing: every tree is the cheapest under prices that grow with the use of each
 * capacity, until no more fits; rates are scaled to the capacities, at least (1 - 3
 * epsilon) of the optimum with epsilon = 0.1.  All trees have the root
 * @a root.
 */
mtree_forest_t *mtree_blink_pack(const mtree_candidates_t *candidates, int root);

/*
 * The integer program over the heaviest 128 trees of the packing: each is used at the
 * rate of the smallest capacity or not at all, as many of them as the capacities hold.
 * Trees not used stay in the forest, at rate 0.
 */
mtree_status_t mtree_blink_choose(mtree_forest_t *forest);

/*
 * The plan for allreduce, rooted at the host from which the farthest is nearest.  When
 * whole units reach less than 0.95 of the packing's rate, or the request limits trees or
 * rates, the weights are relaxed: any rates over the same trees.
 */
mtree_status_t mtree_blink_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p);

#endif

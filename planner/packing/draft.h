/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packing in the making, and what its stages ask of it.
 */
#ifndef MTREE_PLANNER_PACKING_DRAFT_H
#define MTREE_PLANNER_PACKING_DRAFT_H

#include "planner/packing/tree_set.h"

#include <stdbool.h>

/* Beyond this many constraints the simplex method takes too long, for throughput or for a
 * size.
 */
#define MTREE_DRAFT_LP_LINES    1200
#define MTREE_DRAFT_SHAPE_LINES 600

typedef struct {
    mtree_colgen_t *colgen;
    mtree_tree_set_t set;  /* what becomes the plan; empty: the master's solution */
    mtree_tree_set_t hint; /* the packing of most throughput, when it does not */
    double x;     /* bits/s that every group gets from the set, or would at no latency */
    double time;  /* seconds for the size; 0: throughput */
    bool is_hard; /* the linear program takes too much work, or is not solved */
} mtree_draft_t;

/* What a tree carries that has rate 1 in the linear program. */
double mtree_draft_blocks_per_tree(const mtree_colgen_t *colgen);

/* Bits of a block. */
double mtree_draft_group_bits(const mtree_colgen_t *colgen);

/* Is there a solver, and is the linear program of no more than @a most rows, and not
 * hard?  What it costs grows with their square. */
bool mtree_draft_suits_lp(const mtree_draft_t *draft, int most);

/* Rows of the linear program. */
int mtree_draft_num_lines(const mtree_draft_t *draft);

/* Is it all-to-all between too many hosts for a linear program, or a hard one? */
bool mtree_draft_is_large_alltoall(const mtree_draft_t *draft);

/* Will few trees be chosen, so that the packing of many only guides the search? */
bool mtree_draft_wants_few(const mtree_draft_t *draft);

/* Let the set of @a draft be the trees that keep the request's limits, how many and the
 * least rate of each, and of those for a size the fewest that take hardly longer.
 * MTREE_ERR_NO_MEMORY. */
mtree_status_t mtree_draft_limit(mtree_draft_t *draft);

#endif

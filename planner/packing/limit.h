/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A packing in the making, and the limits of a request on its trees.
 */
#ifndef MTREE_PLANNER_PACKING_LIMIT_H
#define MTREE_PLANNER_PACKING_LIMIT_H

#include "planner/packing/packer.h"

#include <stdbool.h>

typedef struct {
    mtree_packer_t *packer;
    mtree_tree_set_t *set;    /* what carries most, and at last what becomes the plan */
    mtree_tree_set_t *shaped; /* the fastest for the size; NULL: the same */
    double x;                 /* bits/s that every group gets from the set */
    double time;              /* seconds for the size; 0: throughput */
} mtree_draft_t;

/* Bits of a block. */
double mtree_draft_group_bits(const mtree_packer_t *packer);

/* Lines of the linear program of all trees: constraints and groups. */
int mtree_draft_num_lines(const mtree_draft_t *draft);

/* Is it all-to-all between so many hosts that few trees of each are kept? */
bool mtree_draft_is_large_alltoall(const mtree_draft_t *draft);

/* Will few trees be chosen, so that the packing of many only guides the search? */
bool mtree_draft_wants_few(const mtree_draft_t *draft);

/* Let the set of @a draft be the trees that keep the request's limits, how many and the
 * least rate of each, and of those for a size the fewest that take hardly longer. */
void mtree_draft_limit(mtree_draft_t *draft);

#endif

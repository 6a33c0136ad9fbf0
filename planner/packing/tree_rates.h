/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the rates of a set of trees give, and the best ones.
 */
#ifndef MTREE_PLANNER_PACKING_TREE_RATES_H
#define MTREE_PLANNER_PACKING_TREE_RATES_H

#include "planner/packing/packer.h"

/*
 * The time in which the trees of each group deliver @a bits at their rates, each
 * beginning after its delay: that of the slowest group, infinite when one has no rate.
 */
double mtree_tree_rates_time(const mtree_packer_t *packer, const mtree_tree_set_t *set,
                             double bits);

/* What the group that gets least gets by the packer's weights, bits/s. */
double mtree_tree_rates_least(const mtree_packer_t *packer, const mtree_tree_set_t *set);

/*
 * Give the trees the rates that make the slowest group fastest, by the packer's weights,
 * and leave the prices of that program in packer->constraint_price.  Sets of very many
 * trees keep their rates.
 */
void mtree_tree_rates_fit(mtree_packer_t *packer, mtree_tree_set_t *set);

/* The fastest @a count trees of each group of @a set, with the rates that suit these
 * best; the caller's. */
mtree_tree_set_t *mtree_tree_rates_fastest(mtree_packer_t *packer,
                                           const mtree_tree_set_t *set, int count);

#endif

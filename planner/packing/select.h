/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a packing of many trees to a choice of few.
 */
#ifndef MTREE_PLANNER_PACKING_SELECT_H
#define MTREE_PLANNER_PACKING_SELECT_H

#include "planner/packing/packer.h"

/*
 * At most @a max_trees trees of one group, none below @a min_rate where that can be had,
 * that carry as much by the packer's weights as can be found in @a work steps; @a most is
 * what no set can exceed: the largest trees of two @a sets, and greedy starts, then
 * exchange of single edges and of whole trees, each judged by the exact linear program
 * over the set.  The caller's.
 */
mtree_tree_set_t *mtree_select_trees(mtree_packer_t *packer,
                                     const mtree_tree_set_t *const sets[2], int max_trees,
                                     double min_rate, double most, double work);

#endif

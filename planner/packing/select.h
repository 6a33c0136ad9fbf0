/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a packing of many trees to a choice of few.
 */
#ifndef MTREE_PLANNER_PACKING_SELECT_H
#define MTREE_PLANNER_PACKING_SELECT_H

#include "planner/packing/tree_set.h"

/*
 * At most @a max_trees trees of one group, none below @a min_rate where that can be had,
 * that carry as much as can be found in @a work steps; @a most is what no set can exceed:
 * the largest trees of the master's solution and of @a hint, and greedy starts, then
 * exchange of single edges and of whole trees, each judged by the exact linear program
 * over the set.  The generator's master must have been solved; its weights (throughput or
 * time) are the ones that count.  @a set_p is filled in and emptied with
 * mtree_tree_set_clear.
 */
mtree_status_t mtree_select_trees(mtree_colgen_t *colgen, const mtree_tree_set_t *hint,
                                  int max_trees, double min_rate, double most,
                                  double work, mtree_tree_set_t *set_p);

#endif

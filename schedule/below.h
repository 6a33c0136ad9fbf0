/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ranks below a rank in a tree, in the order in which their blocks lie in a message
 * of a personalized collective.
 */
#ifndef MTREE_SCHEDULE_BELOW_H
#define MTREE_SCHEDULE_BELOW_H

#include "schedule/placement.h"
#include "schedule/plan_part.h"

/*
 * The ranks below @a rank in tree number @a number of @a part, the part of its host whose
 * leader in this tree is @a leader: @a rank first, parents before children, the subtrees
 * of children in the order of a layout.  How many; @a below has memory for twice the
 * ranks of the call.
 */
int mtree_below_list(const mtree_plan_part_t *part, const mtree_placement_t *placement,
                     int number, int rank, int leader, int *below);

/* Where the subtree of each of @a children begins in @a below. */
void mtree_below_find(const int *below, const int *children, int num_children,
                      int *first);

#endif

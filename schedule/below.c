/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/below.h"

int mtree_below_list(const mtree_plan_part_t *part, const mtree_placement_t *placement,
                     int number, int rank, int leader, int *below)
{
    const mtree_part_tree_t *tree = &part->trees[number];
    int count = mtree_placement_walk(placement, rank, leader, number, below);

    /* The ranks of a host come before those of the hosts below it. */
    for (int i = 1; i < tree->num_below && rank == leader; i++) {
        int other = mtree_placement_leader(placement, tree->below[i], number);

        count += mtree_placement_walk(placement, other, other, number, below + count);
    }
    return count;
}

void mtree_below_find(const int *below, const int *children, int num_children, int *first)
{
    int place = 0;

    for (int i = 0; i < num_children; i++) {
        while (below[place] != children[i]) {
            place++;
        }
        first[i] = place;
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Trees of candidates as columns of linear programs.
 */
#ifndef MTREE_PUBLISHED_LP_COLUMN_H
#define MTREE_PUBLISHED_LP_COLUMN_H

#include "planner/graph/candidate_trees.h"

/* The constraints that @a uses are of, and how often, as a column of a linear program
 * whose rows are the constraints; returns its length. */
static inline int mtree_candidates_column(const mtree_candidates_t *candidates,
                                          const int *uses, int *rows, double *values)
{
    int count = 0;

    for (int c = 0; c < candidates->num_constraints; ++c) {
        if (uses[c] > 0) {
            rows[count] = c;
            values[count++] = uses[c];
        }
    }
    return count;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Linear programs (planner/solver/lp.h) of which some columns are 0 or 1.
 */
#ifndef MTREE_PAPERS_PUBLISHED_INTEGER_H
#define MTREE_PAPERS_PUBLISHED_INTEGER_H

#include "planner/solver/lp.h"

/* Let every @a every-th of @a num_columns columns take the values 0 and 1 only, from
 * number @a first on.  A failure of GLPK is kept as by the calls of planner/solver/lp.h;
 * without GLPK nothing is done, and mtree_integer_solve() says so. */
void mtree_integer_make_binary(mtree_lp_t *lp, int num_columns, int first, int every);

/*
 * Maximise with the binary columns whole, over at most @a max_nodes nodes of the search
 * tree, a limit that does not depend on the machine's speed.  mtree_lp_solve() must have
 * succeeded before.  @a values, [num_columns], are what the columns get.
 * MTREE_ERR_NOT_FOUND when no whole solution came up; errors of mtree_lp_call().
 */
mtree_status_t mtree_integer_solve(mtree_lp_t *lp, int num_columns, int max_nodes,
                                   double *values);

#endif

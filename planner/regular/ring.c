/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/ring.h"

#include <string.h>

/* mtree_plan_finish() gives all trees the highest common rate. */
mtree_status_t mtree_ring_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    const bool lockstep = strcmp(problem->algorithm, "ring") == 0;
    const bool has_blocks = mtree_collective_has_blocks(problem->request->collective);
    const int n = problem->num_hosts;

    *plan_p = mtree_problem_plan(problem, problem->algorithm, n);
    for (int root = 0; root < n; root++) {
        mtree_tree_t *tree = &(*plan_p)->trees[root];

        tree->share = has_blocks ? 1.0 : 1.0 / n;
        tree->root = root;
        for (int step = 1; step < n; step++) {
            int host = (root + step) % n;

            tree->parent[host] = (root + step - 1) % n;
            tree->step[host] = lockstep ? step : 0;
        }
    }
    return MTREE_OK;
}

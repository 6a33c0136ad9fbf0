/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/ring.h"

/* A path around the hosts from each of them.  In a lockstep step @a s brings a block to
 * the host that is @a s away. */
static mtree_status_t make_ring(const mtree_problem_t *problem, const char *algorithm,
                                bool lockstep, mtree_plan_t **plan_p)
{
    const mtree_collective_t collective = problem->request->collective;
    int n = problem->num_hosts;
    mtree_plan_t *plan;
    mtree_status_t status = mtree_problem_plan(problem, algorithm, n, &plan);

    if (status != MTREE_OK) {
        return status;
    }
    for (int root = 0; root < n; root++) {
        plan->trees[root].share = mtree_collective_has_blocks(collective) ? 1.0 : 1.0 / n;
        plan->trees[root].root = root;
        for (int step = 1; step < n; step++) {
            int host = (root + step) % n;

            plan->trees[root].parent[host] = (root + step - 1) % n;
            plan->trees[root].step[host] = lockstep ? step : 0;
        }
    }
    *plan_p = plan;
    return MTREE_OK;
}

/* mtree_plan_finish() gives all trees the highest common rate. */
mtree_status_t mtree_ring_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    return make_ring(problem, "ring", true, plan_p);
}

mtree_status_t mtree_segmented_ring_plan(const mtree_problem_t *problem,
                                         mtree_plan_t **plan_p)
{
    return make_ring(problem, "segmented_ring", false, plan_p);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/published/multitree.h"

#include <string.h>

mtree_status_t mtree_multitree_schedule(const mtree_multitree_t *multitree,
                                        mtree_rounds_t **schedule_p)
{
    mtree_rounds_t *schedule;
    int n = multitree->num_hosts, last = multitree->num_steps;
    mtree_status_t status = mtree_rounds_create("multitree", n, n, &schedule);

    if (status != MTREE_OK) {
        return status;
    }
    for (int at = 0; at < n * n && status == MTREE_OK; at++) {
        int root = at / n, child = at % n, parent = multitree->parent[at];
        const int *path = multitree->arcs + multitree->first[at];
        int step = multitree->step[at], num_arcs = multitree->num[at];

        if (parent < 0) {
            continue;
        }
        status = mtree_rounds_add(schedule, last - step + 1, child, parent, root, true);
        if (status == MTREE_OK) {
            status = mtree_rounds_set_path(schedule, path, num_arcs, true);
        }
        if (status == MTREE_OK) {
            status = mtree_rounds_add(schedule, last + step, parent, child, root, false);
        }
        if (status == MTREE_OK) {
            status = mtree_rounds_set_path(schedule, path, num_arcs, false);
        }
    }
    if (status != MTREE_OK) {
        mtree_rounds_destroy(schedule);
        return status;
    }
    *schedule_p = schedule;
    return MTREE_OK;
}

mtree_status_t mtree_multitree_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    mtree_multitree_t *trees = NULL;
    mtree_plan_t *plan = NULL;
    int n = problem->num_hosts;
    size_t hosts = (size_t)n;
    mtree_status_t status =
        mtree_multitree_create(problem->topology, problem->hosts, n, &trees);

    if (status != MTREE_OK) {
        return status;
    }
    status = mtree_plan_create(problem->request->collective, "multitree", n,
                               problem->names, n, &plan);
    if (status != MTREE_OK) {
        goto destroy_trees;
    }
    /* Without rates, mtree_plan_finish() gives all trees the highest common one. */
    for (int root = 0; root < n; root++) {
        plan->trees[root].root = root;
        memcpy(plan->trees[root].parent, trees->parent + (size_t)root * hosts,
               hosts * sizeof(*trees->parent));
        memcpy(plan->trees[root].step, trees->step + (size_t)root * hosts,
               hosts * sizeof(*trees->step));
    }
    *plan_p = plan;
destroy_trees:
    mtree_multitree_destroy(trees);
    return status;
}

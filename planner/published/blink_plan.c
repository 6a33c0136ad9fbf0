/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/published/blink.h"

#include "planner/regular/shallow_tree.h"

/* Whole units are kept when they carry this part of the packing's rate. */
#define ENOUGH 0.95

mtree_status_t mtree_blink_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    const mtree_plan_request_t *request = problem->request;
    mtree_candidates_t *candidates;
    mtree_forest_t *forest;
    double packed;
    mtree_status_t status = mtree_candidates_create(problem, &candidates);

    if (status != MTREE_OK) {
        return status;
    }
    status = mtree_blink_pack(candidates, mtree_shallow_tree_center(problem), &forest);
    if (status != MTREE_OK) {
        goto destroy_candidates;
    }
    packed = mtree_forest_rate(forest);
    status = mtree_blink_choose(forest);
    if (status == MTREE_OK && (mtree_forest_rate(forest) < ENOUGH * packed ||
                               request->max_trees > 0 || request->min_rate > 0)) {
        status = mtree_forest_select(forest, request->max_trees, request->min_rate);
    }
    if (status == MTREE_OK) {
        mtree_forest_drop_idle(forest);
        status = mtree_forest_plan(forest, problem, "blink", plan_p);
    }
    mtree_forest_destroy(forest);
destroy_candidates:
    mtree_candidates_destroy(candidates);
    return status;
}

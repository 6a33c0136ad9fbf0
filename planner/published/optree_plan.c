/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/published/optree.h"

/* A link of an electrical network carries one block at a time, as a fibre of one
 * wavelength does. */
#define LINK_WAVELENGTHS 1

mtree_status_t mtree_optree_plan(const mtree_problem_t *problem, mtree_plan_t **plan_p)
{
    int num_hosts = problem->num_hosts;
    mtree_optree_schedule_t *schedule;
    mtree_plan_t *plan;
    mtree_status_t status = mtree_optree_schedule_create(
        num_hosts, mtree_optree_least_stages(num_hosts, LINK_WAVELENGTHS),
        LINK_WAVELENGTHS, &schedule);

    if (status != MTREE_OK) {
        return status;
    }
    status = mtree_plan_create(problem->request->collective, "optree", num_hosts,
                               problem->names, num_hosts, &plan);
    if (status != MTREE_OK) {
        goto destroy_schedule;
    }
    for (int root = 0; root < num_hosts; root++) {
        plan->trees[root].root = root;
    }
    for (int i = 0, stage = 0; i < schedule->stage_send[schedule->num_stages]; i++) {
        const mtree_optree_send_t *send = &schedule->sends[i];
        const int *blocks = mtree_optree_blocks(schedule, send->from);

        while (i >= schedule->stage_send[stage + 1]) {
            stage++;
        }
        for (int b = 0; b < send->num_blocks; b++) {
            plan->trees[blocks[b]].parent[send->to] = send->from;
            plan->trees[blocks[b]].step[send->to] = stage + 1;
        }
    }
    *plan_p = plan;

destroy_schedule:
    mtree_optree_schedule_destroy(schedule);
    return status;
}

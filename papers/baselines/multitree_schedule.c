/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/multitree_schedule.h"

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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/local_part.h"

#include "planner/regular/ring.h"

#include <stdlib.h>

mtree_status_t coll_mtree_ring_part_create(mtree_collective_t collective, int host,
                                           int num_hosts, mtree_plan_part_t **part_p)
{
    const char **names = malloc((size_t)num_hosts * sizeof(*names));
    mtree_status_t status = MTREE_ERR_NO_MEMORY;
    mtree_plan_t *plan;

    for (int h = 0; h < num_hosts && names != NULL; h++) {
        names[h] = "";
    }
    if (names != NULL) {
        status = mtree_ring_create(collective, num_hosts, names, &plan);
    }
    if (status == MTREE_OK) {
        status = mtree_plan_part_create(plan, host, part_p);
        mtree_plan_destroy(plan);
    }
    free(names);
    return status;
}

mtree_status_t coll_mtree_default_part_create(mtree_collective_t collective, int root,
                                              int rank, int num_ranks,
                                              mtree_plan_part_t **part_p)
{
    mtree_plan_t *plan;
    mtree_status_t status =
        coll_mtree_default_plan_create(collective, root, num_ranks, &plan);

    if (status == MTREE_OK) {
        status = mtree_plan_part_create(plan, rank, part_p);
        mtree_plan_destroy(plan);
    }
    return status;
}

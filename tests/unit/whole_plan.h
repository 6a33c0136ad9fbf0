/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts from whole plans, which most tests have. */
#ifndef TESTS_UNIT_WHOLE_PLAN_H
#define TESTS_UNIT_WHOLE_PLAN_H

#include "schedule/layout.h"

static inline mtree_status_t layout_from_plan(const mtree_plan_t *plan,
                                              const mtree_placement_t *placement,
                                              const mtree_call_t *call, int rank,
                                              mtree_layout_t **layout_p)
{
    mtree_plan_part_t *part = mtree_plan_part_create(plan, placement->host[rank]);
    mtree_status_t status = mtree_layout_create(part, placement, call, rank, layout_p);

    mtree_plan_part_destroy(part);
    return status;
}

#endif

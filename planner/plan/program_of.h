/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rank program that a plan names.
 */
#ifndef MTREE_PLANNER_PLAN_PROGRAM_OF_H
#define MTREE_PLANNER_PLAN_PROGRAM_OF_H

#include "planner/plan/plan.h"
#include "planner/program/hosts.h"

/* The program between the hosts of @a plan, which names one. */
static inline mtree_program_hosts_t mtree_plan_program(const mtree_plan_t *plan)
{
    return (mtree_program_hosts_t){.kind = mtree_program_find(plan->algorithm),
                                   .collective = plan->collective,
                                   .root = plan->root,
                                   .num_hosts = plan->num_hosts,
                                   .order = plan->order,
                                   .shape = plan->shape};
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variables of tests that are freed at the end of their block, NULL or not:
 *
 *     OWNED(plan) *plan = network_plan(topology, &request);
 */
#ifndef MTREE_TESTS_UNIT_OWNED_H
#define MTREE_TESTS_UNIT_OWNED_H

#include "planner/plan/plan.h"
#include "schedule/layout.h"
#include "topo/routes.h"

#define OWNED(type) __attribute__((cleanup(owned_##type))) mtree_##type##_t

#define OWNED_TYPE(type)                                                                 \
    static inline void owned_##type(mtree_##type##_t **owned_p)                          \
    {                                                                                    \
        mtree_##type##_destroy(*owned_p);                                                \
    }

OWNED_TYPE(layout)
OWNED_TYPE(placement)
OWNED_TYPE(plan)
OWNED_TYPE(plan_part)
OWNED_TYPE(routes)
OWNED_TYPE(topology)

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plans that a relay has of a job.  Of more than MTREE_RELAY_PLANS that which has not
 * been used for longest is forgotten, but none that a call uses.
 */
#ifndef MTREE_RELAY_PLANS_H
#define MTREE_RELAY_PLANS_H

#include "base/list.h"
#include "relay/plan.h"

#define MTREE_RELAY_PLANS 256

typedef struct {
    mtree_list_t list; /* in the order of their last use */
    int count;
} mtree_relay_plans_t;

void mtree_relay_plans_init(mtree_relay_plans_t *plans);

/* No call uses one any more. */
void mtree_relay_plans_cleanup(mtree_relay_plans_t *plans);

/* Take over @a plan.  MTREE_ERR_INVALID: there is one of its number; MTREE_ERR_NO_MEMORY;
 * then it is freed. */
mtree_status_t mtree_relay_plans_add(mtree_relay_plans_t *plans,
                                     mtree_relay_plan_t *plan);

/* Plan @a number for a call, until that leaves it; NULL: it is not known, or not any
 * more. */
const mtree_relay_plan_t *mtree_relay_plans_use(mtree_relay_plans_t *plans,
                                                uint32_t number);
void mtree_relay_plans_leave(mtree_relay_plans_t *plans, uint32_t number);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plans of a job at a relay.  Beyond MTREE_RELAY_PLANS of them the least recently
 * used one is freed, but none that a call uses.
 */
#ifndef MTREE_RELAY_PLANS_H
#define MTREE_RELAY_PLANS_H

#include "base/list.h"
#include "relay/plan.h"

#define MTREE_RELAY_PLANS 256

typedef struct {
    mtree_list_t list; /* in the order of their last use */
    int count;
    size_t bytes, most; /* of the messages that they came in */
} mtree_relay_plans_t;

/* Plans that came in @a most bytes at most. */
void mtree_relay_plans_init(mtree_relay_plans_t *plans, size_t most);

/* Free all plans; no call uses one any more. */
void mtree_relay_plans_cleanup(mtree_relay_plans_t *plans);

/* Take over @a plan, which came in so many @a bytes.  It is freed on errors:
 * MTREE_ERR_INVALID, there is one of its number; MTREE_ERR_LIMIT, it is longer than what
 * calls leave. */
mtree_status_t mtree_relay_plans_add(mtree_relay_plans_t *plans, mtree_relay_plan_t *plan,
                                     size_t bytes);

/* Plan @a number, for a call until mtree_relay_plans_leave(); NULL: there is none, or not
 * any more. */
const mtree_relay_plan_t *mtree_relay_plans_use(mtree_relay_plans_t *plans,
                                                uint32_t number);
void mtree_relay_plans_leave(mtree_relay_plans_t *plans, uint32_t number);

#endif

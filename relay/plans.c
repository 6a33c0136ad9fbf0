/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/plans.h"

void mtree_relay_plans_init(mtree_relay_plans_t *plans, size_t most)
{
    *plans = (mtree_relay_plans_t){.most = most};
    mtree_list_init(&plans->list);
}

static void forget(mtree_relay_plans_t *plans, mtree_relay_plan_t *plan)
{
    mtree_list_remove(&plan->link);
    plans->bytes -= plan->bytes;
    plans->count--;
    mtree_relay_plan_destroy(plan);
}

void mtree_relay_plans_cleanup(mtree_relay_plans_t *plans)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &plans->list)
    {
        forget(plans, MTREE_CONTAINER_OF(link, mtree_relay_plan_t, link));
    }
}

static mtree_relay_plan_t *find(const mtree_relay_plans_t *plans, uint32_t number)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &plans->list)
    {
        mtree_relay_plan_t *plan = MTREE_CONTAINER_OF(link, mtree_relay_plan_t, link);

        if (plan->number == number) {
            return plan;
        }
    }
    return NULL;
}

static bool has_room(const mtree_relay_plans_t *plans, size_t bytes)
{
    return plans->count < MTREE_RELAY_PLANS && bytes <= plans->most - plans->bytes;
}

/* Free the least recently used plans that no call uses until there is room for one of
 * @a bytes; false: there is none. */
static bool make_room(mtree_relay_plans_t *plans, size_t bytes)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &plans->list)
    {
        mtree_relay_plan_t *plan = MTREE_CONTAINER_OF(link, mtree_relay_plan_t, link);

        if (!has_room(plans, bytes) && plan->users == 0) {
            forget(plans, plan);
        }
    }
    return has_room(plans, bytes);
}

mtree_status_t mtree_relay_plans_add(mtree_relay_plans_t *plans, mtree_relay_plan_t *plan,
                                     size_t bytes)
{
    mtree_status_t status = find(plans, plan->number) != NULL ? MTREE_ERR_INVALID
                            : !make_room(plans, bytes)        ? MTREE_ERR_LIMIT
                                                              : MTREE_OK;

    if (status != MTREE_OK) {
        mtree_relay_plan_destroy(plan);
        return status;
    }
    plan->bytes = bytes;
    mtree_list_append(&plans->list, &plan->link);
    plans->bytes += bytes;
    plans->count++;
    return MTREE_OK;
}

const mtree_relay_plan_t *mtree_relay_plans_use(mtree_relay_plans_t *plans,
                                                uint32_t number)
{
    mtree_relay_plan_t *plan = find(plans, number);

    if (plan != NULL) {
        mtree_list_remove(&plan->link);
        mtree_list_append(&plans->list, &plan->link);
        plan->users++;
    }
    return plan;
}

void mtree_relay_plans_leave(mtree_relay_plans_t *plans, uint32_t number)
{
    mtree_relay_plan_t *plan = find(plans, number);

    if (plan != NULL && plan->users > 0) {
        plan->users--;
    }
}

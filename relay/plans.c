/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/plans.h"

#include <stdlib.h>

typedef struct {
    mtree_list_t link;
    mtree_relay_plan_t *plan;
    int users; /* calls */
} entry_t;

void mtree_relay_plans_init(mtree_relay_plans_t *plans)
{
    mtree_list_init(&plans->list);
    plans->count = 0;
}

static void forget(mtree_relay_plans_t *plans, entry_t *entry)
{
    mtree_list_remove(&entry->link);
    mtree_relay_plan_destroy(entry->plan);
    free(entry);
    plans->count--;
}

void mtree_relay_plans_cleanup(mtree_relay_plans_t *plans)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &plans->list)
    {
        forget(plans, MTREE_CONTAINER_OF(link, entry_t, link));
    }
}

static entry_t *find(const mtree_relay_plans_t *plans, uint32_t number)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &plans->list)
    {
        entry_t *entry = MTREE_CONTAINER_OF(link, entry_t, link);

        if (entry->plan->number == number) {
            return entry;
        }
    }
    return NULL;
}

/* Free the least recently used plan, if there are as many as there may be.  A job has
 * fewer calls than that, so there is a plan that no call uses. */
static void make_room(mtree_relay_plans_t *plans)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &plans->list)
    {
        entry_t *entry = MTREE_CONTAINER_OF(link, entry_t, link);

        if (plans->count >= MTREE_RELAY_PLANS && entry->users == 0) {
            forget(plans, entry);
        }
    }
}

mtree_status_t mtree_relay_plans_add(mtree_relay_plans_t *plans, mtree_relay_plan_t *plan)
{
    bool is_known = find(plans, plan->number) != NULL;
    entry_t *entry = is_known ? NULL : calloc(1, sizeof(*entry));

    if (entry == NULL) {
        mtree_relay_plan_destroy(plan);
        return is_known ? MTREE_ERR_INVALID : MTREE_ERR_NO_MEMORY;
    }
    make_room(plans);
    entry->plan = plan;
    mtree_list_append(&plans->list, &entry->link);
    plans->count++;
    return MTREE_OK;
}

const mtree_relay_plan_t *mtree_relay_plans_use(mtree_relay_plans_t *plans,
                                                uint32_t number)
{
    entry_t *entry = find(plans, number);

    if (entry == NULL) {
        return NULL;
    }
    mtree_list_remove(&entry->link);
    mtree_list_append(&plans->list, &entry->link);
    entry->users++;
    return entry->plan;
}

void mtree_relay_plans_leave(mtree_relay_plans_t *plans, uint32_t number)
{
    entry_t *entry = find(plans, number);

    if (entry != NULL && entry->users > 0) {
        entry->users--;
    }
}

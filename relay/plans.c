/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/plans.h"

#include <stdlib.h>

typedef struct {
    mtree_list_t link;
    mtree_relay_plan_t *plan;
    size_t bytes;
    int users; /* calls */
} entry_t;

void mtree_relay_plans_init(mtree_relay_plans_t *plans, size_t most)
{
    *plans = (mtree_relay_plans_t){.most = most};
    mtree_list_init(&plans->list);
}

static void forget(mtree_relay_plans_t *plans, entry_t *entry)
{
    mtree_list_remove(&entry->link);
    mtree_relay_plan_destroy(entry->plan);
    plans->bytes -= entry->bytes;
    plans->count--;
    free(entry);
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
        entry_t *entry = MTREE_CONTAINER_OF(link, entry_t, link);

        if (!has_room(plans, bytes) && entry->users == 0) {
            forget(plans, entry);
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
    entry_t *entry = status != MTREE_OK ? NULL : calloc(1, sizeof(*entry));

    if (entry == NULL) {
        mtree_relay_plan_destroy(plan);
        return status != MTREE_OK ? status : MTREE_ERR_NO_MEMORY;
    }
    entry->plan = plan;
    entry->bytes = bytes;
    mtree_list_append(&plans->list, &entry->link);
    plans->bytes += bytes;
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

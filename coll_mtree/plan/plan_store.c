/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/plan_store.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/params.h"

#include <limits.h>
#include <stdlib.h>

/* Stored plans of all stores that keep some, the least recently used first, and the bytes
 * of these plans. */
static mtree_list_t used = {&used, &used};
static size_t used_bytes;

/* Keep no plan in @a stored. */
static void stored_forget(coll_mtree_stored_plan_t *stored)
{
    mtree_plan_destroy(stored->plan);
    mtree_plan_destroy(stored->oldest);
    stored->plan = stored->oldest = NULL;
    stored->is_planned = false;
    if (stored->bytes > 0) {
        mtree_list_remove(&stored->used);
        used_bytes -= stored->bytes;
        stored->bytes = 0;
    }
}

static void stored_clear(void *element)
{
    stored_forget(element);
}

void coll_mtree_plan_store_use(coll_mtree_stored_plan_t *stored)
{
    if (stored->bytes > 0) {
        mtree_list_remove(&stored->used);
        used_bytes -= stored->bytes;
    }
    stored->bytes =
        coll_mtree_plan_choice_bytes(stored->plan) +
        (stored->oldest == stored->plan ? 0
                                        : coll_mtree_plan_choice_bytes(stored->oldest));
    if (stored->bytes == 0) {
        return;
    }
    mtree_list_append(&used, &stored->used);
    used_bytes += stored->bytes;
    while (used_bytes > coll_mtree_params.memory && used.next != &stored->used) {
        stored_forget(MTREE_CONTAINER_OF(used.next, coll_mtree_stored_plan_t, used));
    }
}

void coll_mtree_plan_store_init(coll_mtree_plan_store_t *store)
{
    coll_mtree_class_table_init(&store->classes);
}

void coll_mtree_plan_store_cleanup(coll_mtree_plan_store_t *store)
{
    coll_mtree_class_table_cleanup(&store->classes, stored_clear);
}

coll_mtree_stored_plan_t *
coll_mtree_plan_store_find(const coll_mtree_plan_store_t *store,
                           const coll_mtree_call_class_t *call_class)
{
    return coll_mtree_class_table_find(&store->classes, call_class);
}

coll_mtree_stored_plan_t *
coll_mtree_plan_store_get(coll_mtree_plan_store_t *store,
                          const coll_mtree_call_class_t *call_class)
{
    return coll_mtree_class_table_get(&store->classes, call_class,
                                      sizeof(coll_mtree_stored_plan_t));
}

bool coll_mtree_plan_store_is_current(const coll_mtree_stored_plan_t *stored,
                                      unsigned version)
{
    return stored->is_planned && stored->version == version;
}

void coll_mtree_plan_store_put(coll_mtree_stored_plan_t *stored, unsigned version,
                               mtree_plan_t *plan, mtree_forecast_t forecast,
                               bool trees_stay, bool is_other_roots)
{
    mtree_plan_destroy(stored->plan);
    stored->plan = plan;
    stored->forecast = forecast;
    stored->version = version;
    stored->is_planned = true;
    stored->is_other_roots = trees_stay ? stored->is_other_roots : is_other_roots;
    if (!trees_stay && plan != NULL) {
        mtree_plan_destroy(stored->oldest);
        stored->oldest = mtree_plan_retain(plan);
        stored->oldest_version = version;
    }
    coll_mtree_plan_store_use(stored);
}

/* How far the calls of @a other, which has a plan that others may take the trees of, are
 * from those of @a stored in size; INT_MAX: it has none. */
static int donor_distance(unsigned version, const coll_mtree_stored_plan_t *stored,
                          const coll_mtree_stored_plan_t *other)
{
    const coll_mtree_call_class_t *own = &stored->node.call_class;
    const coll_mtree_call_class_t *call_class = &other->node.call_class;

    if (!coll_mtree_plan_store_is_current(other, version) || other->plan == NULL ||
        other->is_other_roots || call_class->collective != own->collective ||
        call_class->relayed) {
        return INT_MAX;
    }
    return abs(call_class->size_class - own->size_class);
}

coll_mtree_donor_trees_t
coll_mtree_plan_store_donor(const coll_mtree_plan_store_t *store,
                            const coll_mtree_stored_plan_t *stored, unsigned version)
{
    coll_mtree_donor_trees_t donor = {.plan = NULL};
    const char *plan_file = coll_mtree_params.plan;
    int least = INT_MAX;
    const coll_mtree_stored_plan_t *other;
    mtree_list_t *link;

    if ((plan_file != NULL && plan_file[0] != '\0') ||
        coll_mtree_algorithm_of(stored->node.call_class.collective) != NULL) {
        return donor;
    }
    COLL_MTREE_CLASS_TABLE_FOR_EACH(other, link, &store->classes)
    {
        int distance = donor_distance(version, stored, other);

        if (distance < least) {
            least = distance;
            donor.plan = other->plan;
            donor.forecast = other->forecast;
            donor.holds = distance == 0;
        }
    }
    return donor;
}

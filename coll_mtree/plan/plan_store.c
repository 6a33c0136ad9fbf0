/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/plan_store.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/params.h"

#include <limits.h>
#include <stdlib.h>

/* Those of all contexts that keep plans. */
static struct {
    mtree_list_t list; /* the least recently used first */
    size_t bytes;      /* of these plans */
} all = {.list = {&all.list, &all.list}};

void coll_mtree_stored_plan_clear(void *element)
{
    coll_mtree_stored_plan_t *stored = element;

    mtree_plan_destroy(stored->plan);
    mtree_plan_destroy(stored->oldest);
    stored->plan = stored->oldest = NULL;
    stored->is_planned = false;
    if (stored->bytes > 0) {
        mtree_list_remove(&stored->used);
        all.bytes -= stored->bytes;
        stored->bytes = 0;
    }
}

void coll_mtree_stored_plan_use(coll_mtree_stored_plan_t *stored)
{
    if (stored->bytes > 0) {
        mtree_list_remove(&stored->used);
        all.bytes -= stored->bytes;
    }
    stored->bytes =
        coll_mtree_plan_choice_bytes(stored->plan) +
        (stored->oldest == stored->plan ? 0
                                        : coll_mtree_plan_choice_bytes(stored->oldest));
    if (stored->bytes == 0) {
        return;
    }
    mtree_list_append(&all.list, &stored->used);
    all.bytes += stored->bytes;
    while (all.bytes > coll_mtree_params.memory && all.list.next != &stored->used) {
        coll_mtree_stored_plan_clear(
            MTREE_CONTAINER_OF(all.list.next, coll_mtree_stored_plan_t, used));
    }
}

void coll_mtree_stored_plan_put(coll_mtree_stored_plan_t *stored, unsigned version,
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
    coll_mtree_stored_plan_use(stored);
}

/* How far the calls of @a other, which has a plan that others may take the trees of, are
 * from those of @a stored in size; INT_MAX: it has none. */
static int donor_distance(unsigned version, const coll_mtree_stored_plan_t *stored,
                          const coll_mtree_stored_plan_t *other)
{
    const coll_mtree_call_class_t *own = &stored->node.call_class;
    const coll_mtree_call_class_t *call_class = &other->node.call_class;

    if (!coll_mtree_stored_plan_is_current(other, version) || other->plan == NULL ||
        other->is_other_roots || call_class->collective != own->collective ||
        call_class->relayed) {
        return INT_MAX;
    }
    return abs(call_class->size_class - own->size_class);
}

coll_mtree_donor_trees_t
coll_mtree_stored_plan_donor(const coll_mtree_class_table_t *plans,
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
    COLL_MTREE_CLASS_TABLE_FOR_EACH(other, link, plans)
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

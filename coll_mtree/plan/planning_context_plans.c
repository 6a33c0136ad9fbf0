/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The plans of planning contexts (coll_mtree/plan/planning_context.h), in a table of call
 * classes.  The lock is for the list of all contexts' plans: contexts that nobody plans
 * for any more are destroyed by the program's threads.
 */
#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/plan/planning.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/relay/relays.h"

#include <limits.h>
#include <stdlib.h>

/* The plans for one call class, whose root is a host. */
typedef struct {
    coll_mtree_class_node_t node;
    mtree_list_t used;         /* in the list of those that keep plans */
    size_t bytes;              /* of the plans that it keeps */
    bool is_planned;           /* for `version` */
    unsigned version;          /* of the network */
    mtree_plan_t *plan;        /* NULL: none could be made */
    bool is_other_roots;       /* it was made from the plan for another root */
    mtree_forecast_t forecast; /* of it */
    unsigned oldest_version;
    mtree_plan_t *oldest; /* the first with its trees, which later plans rebalance: they
                             may have lost trees that are of use again; NULL: none */
} stored_plan_t;

/* Has @a stored been planned for the network as it is? */
static bool is_current(const coll_mtree_planning_context_t *context,
                       const stored_plan_t *stored)
{
    return stored->is_planned && stored->version == context->version;
}

/* Those of all contexts that keep plans. */
static struct {
    mtree_list_t list; /* the least recently used first */
    size_t bytes;      /* of these plans */
} all = {.list = {&all.list, &all.list}};

/* Free what @a element has. */
static void stored_plan_clear(void *element)
{
    stored_plan_t *stored = element;

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

/* It is used; if it has other plans than before, others are forgotten where all together
 * take more than coll_mtree_memory. */
static void stored_plan_use(stored_plan_t *stored)
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
        stored_plan_clear(MTREE_CONTAINER_OF(all.list.next, stored_plan_t, used));
    }
}

/* Put @a plan (NULL: none could be made), whose reference becomes its own, with its @a
 * forecast for the network as it is into @a stored, and use that.  With @a trees_stay it
 * has the trees of the oldest one, else @a is_other_roots says whether it was made from
 * the plan for another root. */
static void stored_plan_put(const coll_mtree_planning_context_t *context,
                            stored_plan_t *stored, mtree_plan_t *plan,
                            mtree_forecast_t forecast, bool trees_stay,
                            bool is_other_roots)
{
    coll_mtree_planning_context_lock();
    mtree_plan_destroy(stored->plan);
    stored->plan = plan;
    stored->forecast = forecast;
    stored->version = context->version;
    stored->is_planned = true;
    stored->is_other_roots = trees_stay ? stored->is_other_roots : is_other_roots;
    if (!trees_stay && plan != NULL) {
        mtree_plan_destroy(stored->oldest);
        stored->oldest = mtree_plan_retain(plan);
        stored->oldest_version = context->version;
    }
    stored_plan_use(stored);
    coll_mtree_planning_context_unlock();
}

/* How far the calls of @a other, which has a plan that others may take the trees of, are
 * from those of @a stored in size; INT_MAX: it has none. */
static int donor_distance(const coll_mtree_planning_context_t *context,
                          const stored_plan_t *stored, const stored_plan_t *other)
{
    const coll_mtree_call_class_t *own = &stored->node.call_class;
    const coll_mtree_call_class_t *call_class = &other->node.call_class;

    if (!is_current(context, other) || other->plan == NULL || other->is_other_roots ||
        call_class->collective != own->collective || call_class->path != own->path) {
        return INT_MAX;
    }
    return abs(call_class->size_class - own->size_class);
}

/* The trees that @a stored may take from the plan for calls of another root or size.  The
 * donor is the nearest plan that is current and was not itself made from another root's,
 * so that no plan is far from one that was sought.  None: there is no such plan, or the
 * user chose an algorithm or a plan. */
static coll_mtree_donor_trees_t
stored_plan_donor(const coll_mtree_planning_context_t *context,
                  const stored_plan_t *stored)
{
    coll_mtree_donor_trees_t donor = {.plan = NULL};
    const char *plan_file = coll_mtree_params.plan;
    int least = INT_MAX;
    const stored_plan_t *other;
    mtree_list_t *link;

    if ((plan_file != NULL && plan_file[0] != '\0') ||
        coll_mtree_algorithm_of(stored->node.call_class.collective) != NULL) {
        return donor;
    }
    COLL_MTREE_CLASS_TABLE_FOR_EACH(other, link, &context->plans)
    {
        int distance = donor_distance(context, stored, other);

        if (distance < least) {
            least = distance;
            donor.plan = other->plan;
            donor.forecast = other->forecast;
            donor.holds = distance == 0;
        }
    }
    return donor;
}

/*
 * Is a plan for @a collective made for the order of the ranks?  A scan is planned from
 * host to host, each of which it visits once; with ranks that come back to an earlier
 * host it is right, but slower than predicted.
 */
static bool fits_ranks(const coll_mtree_planning_context_t *context,
                       mtree_collective_t collective)
{
    const int *host = context->numbers.host;

    for (int rank = 1;
         rank < context->num_procs && mtree_collective_is_prefix(collective); rank++) {
        if (host[rank] < host[rank - 1]) {
            return false;
        }
    }
    return true;
}

/* Plan for the network as it is. */
static void context_run(coll_mtree_planning_context_t *context, ompi_communicator_t *comm,
                        stored_plan_t *stored)
{
    const coll_mtree_planning_t what = {comm, &context->hosts, &stored->node.call_class};
    bool trees_stay =
        stored->oldest != NULL && stored->oldest_version >= context->tree_version;
    coll_mtree_donor_trees_t donor = {.plan = stored->oldest, .stay = true};
    mtree_forecast_t forecast;
    mtree_plan_t *plan;

    if (!trees_stay) {
        donor = stored_plan_donor(context, stored);
    }
    plan = coll_mtree_planning_run(&what, &donor, &forecast);
    /* Where the user has chosen nothing is compared. */
    if (forecast.seconds > 0 && !fits_ranks(context, what.call_class->collective)) {
        forecast = mtree_forecast_of(false);
    }
    stored_plan_put(context, stored, plan, forecast, trees_stay, donor.holds);
}

void coll_mtree_planning_context_free_plans(coll_mtree_planning_context_t *context)
{
    coll_mtree_planning_context_lock();
    coll_mtree_class_table_cleanup(&context->plans, stored_plan_clear);
    coll_mtree_planning_context_unlock();
}

/* Add what passes through relays to @a planned, for @a call_class, whose root is a host.
 */
static void context_run_relays(ompi_communicator_t *comm,
                               const coll_mtree_call_class_t *call_class,
                               coll_mtree_planned_t *planned)
{
    coll_mtree_planning_context_t *context = planned->context;
    stored_plan_t *stored =
        coll_mtree_class_table_get(&context->plans, call_class, sizeof(*stored));

    if (!is_current(context, stored) ||
        (stored->plan != NULL &&
         !mtree_relay_roster_is_up(&coll_mtree_relays, stored->plan))) {
        mtree_forecast_t forecast = mtree_forecast_of(false);
        mtree_plan_t *plan = coll_mtree_planning_by_relays(
            &(coll_mtree_planning_t){comm, &context->hosts, call_class}, planned->plan,
            context->numbers.host[0], &forecast);

        stored_plan_put(context, stored, plan, forecast, true, false);
    }
    planned->relay_forecast = stored->forecast;
    planned->relay_plan = mtree_plan_retain(stored->plan);
}

coll_mtree_planned_t
coll_mtree_planning_context_plan(coll_mtree_planning_context_t *context,
                                 ompi_communicator_t *comm,
                                 const coll_mtree_call_class_t *call_class)
{
    coll_mtree_call_class_t by_host =
        coll_mtree_planning_context_by_host(context, call_class);
    coll_mtree_planned_t planned = {.context = context, .version = context->version};
    stored_plan_t *stored;

    by_host.path = COLL_MTREE_BY_RANKS;
    stored = coll_mtree_class_table_get(&context->plans, &by_host, sizeof(*stored));
    if (!is_current(context, stored)) {
        context_run(context, comm, stored);
    } else {
        coll_mtree_planning_context_lock();
        stored_plan_use(stored);
        coll_mtree_planning_context_unlock();
    }
    planned.plan = mtree_plan_retain(stored->plan);
    planned.forecast = stored->forecast;
    by_host.path = call_class->path;
    if (by_host.path == COLL_MTREE_BY_RELAYS && planned.plan != NULL &&
        !mtree_plan_is_by_arrival(planned.plan)) {
        context_run_relays(comm, &by_host, &planned);
    }
    return planned;
}

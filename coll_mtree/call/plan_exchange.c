/* SPDX-License-Identifier: BSD-3-Clause */
/* How a plan entry gets its plan from rank 0 (coll_mtree/call/plan_entry.h). */
#include "coll_mtree/call/plan_entry_private.h"

#include "coll_mtree/base/hints.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/locality.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/report/statistics.h"

#include "planner/plan/json.h"

#include <stdlib.h>
#include <string.h>

/* The log line of the communicator describes the plan of the first call of so many bytes:
 * a shorter call before it is often a program's greeting. */
#define LOGGED_BYTES 65536

/* What rank 0 decides. */
typedef enum {
    DECISION_NO_PLAN,
    DECISION_PLAN /* the payload is a plan_reply_t */
} decision_t;

typedef struct {
    int forecast; /* of the plan, encoded */
    char json[];  /* the plan */
} plan_reply_t;

/* Reply with @a plan (NULL: there is none) and its @a forecast. */
static void exchange_reply(coll_mtree_exchange_t *exchange, const mtree_plan_t *plan,
                           mtree_forecast_t forecast)
{
    plan_reply_t *plan_reply = NULL;
    char *json = NULL;
    size_t length = 0;

    if (plan != NULL && mtree_plan_to_json(plan, &json) == MTREE_OK) {
        length = strlen(json);
        plan_reply = malloc(sizeof(*plan_reply) + length);
    }
    /* Without memory there is no plan, on any rank. */
    if (plan_reply == NULL) {
        coll_mtree_exchange_reply(exchange, DECISION_NO_PLAN, NULL, 0);
    } else {
        plan_reply->forecast = mtree_forecast_encode(forecast);
        memcpy(plan_reply->json, json, length);
        coll_mtree_exchange_reply(exchange, DECISION_PLAN, plan_reply,
                                  sizeof(*plan_reply) + length);
    }
    free(plan_reply);
    free(json);
}

/* Which rank's keys differ from those of this rank, 0?  One line names the first; what
 * this rank asks for holds on all. */
static void log_hints(ompi_communicator_t *comm, const coll_mtree_host_t *contributions)
{
    char text[COLL_MTREE_HINT_TEXT];
    int rank = 1;

    while (rank < ompi_comm_size(comm) &&
           !coll_mtree_hint_find_difference(&contributions[0].hints,
                                            &contributions[rank].hints, rank, text)) {
        rank++;
    }
    if (rank < ompi_comm_size(comm)) {
        coll_mtree_verbose(comm, 0, "info key %s; that of rank 0 holds on all", text);
    }
}

/* On rank 0: plan.  Exchanges of a communicator end in the order of their entries, so the
 * first one, which brings the hosts of all ranks in @a contribution, has made the
 * planning context for the others. */
static void exchange_decide(coll_mtree_exchange_t *exchange, const void *contribution,
                            void *arg)
{
    coll_mtree_plan_entry_t *entry = arg;
    mca_coll_mtree_module_t *module = entry->module;
    mtree_forecast_t forecast = mtree_forecast_of(MTREE_FORECAST_SLOWER);

    if (contribution != NULL) {
        log_hints(entry->comm, contribution);
        module->context = coll_mtree_planning_context_get(entry->comm, contribution);
        if (module->context != NULL) {
            coll_mtree_exchange_reply_hosts(
                exchange, coll_mtree_planning_context_hosts(module->context)->num_hosts,
                coll_mtree_planning_context_host_of(module->context));
        }
    }
    if (module->context != NULL) {
        entry->version = coll_mtree_planning_context_version(module->context);
        entry->plan = coll_mtree_planning_context_plan(
            module->context, entry->comm, &entry->call_class,
            coll_mtree_hints_max_trees(module, entry->comm), &forecast);
    }
    exchange_reply(exchange, entry->plan, forecast);
}

/* Take over the reply of rank 0.  Open MPI's code. */
static int exchange_read(coll_mtree_plan_entry_t *entry, const coll_mtree_reply_t *reply)
{
    mca_coll_mtree_module_t *module = entry->module;
    const plan_reply_t *plan_reply = reply->payload;

    if (reply->hosts != NULL && reply->num_hosts > 0) {
        if (mtree_placement_create(ompi_comm_size(entry->comm), reply->num_hosts,
                                   reply->hosts, reply->localities,
                                   &module->placement) != MTREE_OK) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        coll_mtree_locality_log(entry->comm, module->placement);
        module->hints.chunk_bytes = reply->chunk_bytes;
    }
    entry->forecast = mtree_forecast_of(MTREE_FORECAST_SLOWER);
    if (reply->kind != DECISION_PLAN) {
        mtree_plan_destroy(entry->plan);
        entry->plan = NULL;
    } else {
        entry->forecast = mtree_forecast_decode(plan_reply->forecast);
        /* Rank 0 has the plan itself. */
        if (entry->plan == NULL &&
            mtree_plan_from_json(plan_reply->json, reply->length - sizeof(*plan_reply),
                                 "plan of rank 0", &entry->plan) != MTREE_OK) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        coll_mtree_statistics_planned(module, entry->comm, &entry->call_class,
                                      entry->plan);
    }
    if (entry->call_class.bytes >= LOGGED_BYTES) {
        coll_mtree_plan_entry_log(entry);
    }
    return OMPI_SUCCESS;
}

static void exchange_ended(coll_mtree_exchange_t *exchange,
                           const coll_mtree_reply_t *reply, void *arg)
{
    coll_mtree_plan_entry_t *entry = arg;

    (void)exchange;
    entry->status =
        reply->code == OMPI_SUCCESS ? exchange_read(entry, reply) : reply->code;
    coll_mtree_plan_entry_settled(entry);
}

coll_mtree_exchange_t *coll_mtree_plan_exchange_start(coll_mtree_plan_entry_t *entry)
{
    mca_coll_mtree_module_t *module = entry->module;
    int first_tag = coll_mtree_tags_reserve(module, COLL_MTREE_EXCHANGE_TAGS, false);
    coll_mtree_exchange_t *exchange =
        coll_mtree_exchange_start(module, entry->comm, first_tag, !module->hosts_asked,
                                  exchange_decide, exchange_ended, entry);

    module->hosts_asked = module->hosts_asked || exchange != NULL;
    return exchange;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/plan_entry.h"

#include "coll_mtree/adapt/arrival_skew.h"
#include "coll_mtree/adapt/follow.h"
#include "coll_mtree/base/hints.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/call/default_plan.h"
#include "coll_mtree/call/dispatch.h"
#include "coll_mtree/control/exchange.h"
#include "coll_mtree/control/locality.h"
#include "coll_mtree/plan/planning_context.h"

#include "planner/plan/json.h"
#include "planner/regular/ring.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

/* The plan of the first call of so many bytes is the one that people are told of: what
 * comes before it is often a program's greeting. */
#define TELLING_BYTES 65536

/* Calls up to so many classes longer are not tried with what was clearly slower: a few,
 * but many where trees were the fastest, since nothing can be much faster with longer
 * messages than trees that are near the network's limit. */
#define LEARN_CLASSES       2
#define LEARN_CLASSES_TREES 6

struct coll_mtree_plan_entry {
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm; /* retained until the talk has ended */
    coll_mtree_deferred_release_t deferred;
    coll_mtree_call_class_t call_class;
    coll_mtree_exchange_t *exchange;
    atomic_bool settled; /* what follows does not change any more */
    bool stale;          /* the network has changed since: not for new calls */
    bool outdated;       /* its trees are not those of later plans */
    bool warm;           /* a blocking call has gone over its trees */
    bool known;          /* a blocking call waited for it: all ranks know of its end */
    int status;          /* Open MPI's code */
    mtree_plan_t *plan;  /* the first; NULL: none could be made */
    unsigned version;    /* on rank 0: of the network that it was made for */
    mtree_plan_t *ring;  /* for its guard to try; NULL: not wanted */
    mtree_forecast_t forecast;        /* of the plan */
    coll_mtree_autotuner_t autotuner; /* of blocking calls, when the plan is known */
    coll_mtree_pursuit_t pursuit;     /* of nonblocking calls */
    coll_mtree_pursuit_t *waiting;    /* those of persistent requests */
    coll_mtree_plan_entry_t *next;
};

/* What rank 0 decides. */
typedef enum {
    DECISION_NO_PLAN,
    DECISION_PLAN /* the payload is a plan_reply_t */
} decision_t;

typedef struct {
    int forecast; /* of the plan, encoded */
    char json[];  /* the plan */
} plan_reply_t;

coll_mtree_call_class_t coll_mtree_class_of_call(const mca_coll_mtree_module_t *module,
                                                 const mtree_call_t *call)
{
    coll_mtree_call_class_t call_class = coll_mtree_call_class_of(
        call->collective, call->root, call->units * call->unit_bytes,
        module->hints.algorithm[call->collective], module->hints.trees);

    call_class.by_arrival = coll_mtree_arrival_skew_is_by_arrival(module, &call_class);
    return call_class;
}

static coll_mtree_plan_entry_t *plan_entry_find(const mca_coll_mtree_module_t *module,
                                                const coll_mtree_call_class_t *call_class)
{
    coll_mtree_plan_entry_t *entry = module->plan_entries;

    while (entry != NULL && (entry->stale || !coll_mtree_call_class_equals(
                                                 &entry->call_class, call_class))) {
        entry = entry->next;
    }
    return entry;
}

coll_mtree_backend_t
coll_mtree_plan_entry_backend(const mca_coll_mtree_module_t *module,
                              const coll_mtree_call_class_t *call_class,
                              coll_mtree_trial_t *trial)
{
    coll_mtree_plan_entry_t *entry = plan_entry_find(module, call_class);

    if (entry == NULL || !entry->known) {
        return COLL_MTREE_TREES;
    }
    if (trial == NULL) {
        return entry->plan == NULL ||
                       entry->forecast.confidence >= MTREE_FORECAST_MAYBE_SLOWER
                   ? COLL_MTREE_FALLBACK
                   : COLL_MTREE_TREES;
    }
    return coll_mtree_autotune_begin(&entry->autotuner, trial);
}

coll_mtree_fallback_reason_t
coll_mtree_plan_entry_reason(const mca_coll_mtree_module_t *module,
                             const coll_mtree_call_class_t *call_class,
                             const coll_mtree_trial_t *trial)
{
    const coll_mtree_plan_entry_t *entry = plan_entry_find(module, call_class);

    if (module->unserved || entry == NULL) {
        return COLL_MTREE_REASON_GROUP;
    }
    if (entry->plan == NULL) {
        return COLL_MTREE_REASON_PLAN;
    }
    if (trial != NULL && trial->autotuner != NULL) {
        return COLL_MTREE_REASON_TRIAL;
    }
    return trial != NULL && entry->autotuner.trials > 0 ? COLL_MTREE_REASON_MEASURED
                                                        : COLL_MTREE_REASON_FORECAST;
}

/* The last agreement on the same calls whose trees the plan of @a entry has, too,
 * with a guard like its own; NULL: there is none. */
static const coll_mtree_plan_entry_t *
plan_entry_before(const coll_mtree_plan_entry_t *entry)
{
    const coll_mtree_plan_entry_t *found = NULL;

    for (const coll_mtree_plan_entry_t *other = entry->module->plan_entries;
         other != entry; other = other->next) {
        if (other->known && !other->outdated &&
            other->autotuner.open == entry->autotuner.open &&
            (other->ring == NULL) == (entry->ring == NULL) &&
            coll_mtree_call_class_equals(&other->call_class, &entry->call_class)) {
            found = other;
        }
    }
    return found;
}

/* What was measured of calls that are but shorter than those of @a entry tells who
 * need not be tried. */
static void plan_entry_learn(coll_mtree_plan_entry_t *entry)
{
    for (int classes = 1; classes <= LEARN_CLASSES_TREES; classes++) {
        coll_mtree_call_class_t call_class = entry->call_class;
        const coll_mtree_plan_entry_t *shorter;

        call_class.size_class -= classes;
        shorter = plan_entry_find(entry->module, &call_class);
        if (shorter != NULL && shorter->known && !shorter->outdated &&
            (classes <= LEARN_CLASSES ||
             coll_mtree_autotuner_backend(&shorter->autotuner) == COLL_MTREE_TREES) &&
            coll_mtree_autotune_learn(&entry->autotuner, &shorter->autotuner,
                                      entry->comm)) {
            return;
        }
    }
}

/* A blocking call has waited for the end of the agreement: all ranks know of it. */
static int plan_entry_know(coll_mtree_plan_entry_t *entry)
{
    mca_coll_mtree_module_t *module = entry->module;
    const mtree_plan_t *plan = entry->plan;
    const coll_mtree_plan_entry_t *before;
    mtree_forecast_t forecast = entry->forecast;

    if (plan == NULL) {
        forecast = mtree_forecast_of(MTREE_FORECAST_SLOWER);
    }
    entry->known = true;
    module->unserved = module->placement == NULL;
    if (coll_mtree_autotune_init(&entry->autotuner, &entry->call_class, forecast) &&
        plan != NULL &&
        mtree_ring_create(plan->collective, plan->num_hosts,
                          (const char *const *)plan->hosts, &entry->ring) != MTREE_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    before = plan == NULL ? NULL : plan_entry_before(entry);
    if (before != NULL) {
        entry->autotuner = before->autotuner;
    } else {
        plan_entry_learn(entry);
    }
    return coll_mtree_autotuner_backend(&entry->autotuner) == COLL_MTREE_TREES
               ? OMPI_SUCCESS
               : MTREE_DECLINED;
}

/* Reply with the plan @a json (NULL: there is none) and its @a forecast. */
static void plan_entry_reply(coll_mtree_exchange_t *exchange, const char *json,
                             mtree_forecast_t forecast)
{
    size_t length = json == NULL ? 0 : strlen(json);
    plan_reply_t *plan_reply = json == NULL ? NULL : malloc(sizeof(*plan_reply) + length);

    /* Without memory there is no plan, on any rank. */
    if (plan_reply == NULL) {
        coll_mtree_exchange_reply(exchange, DECISION_NO_PLAN, NULL, 0);
        return;
    }
    plan_reply->forecast = mtree_forecast_encode(forecast);
    memcpy(plan_reply->json, json, length);
    coll_mtree_exchange_reply(exchange, DECISION_PLAN, plan_reply,
                              sizeof(*plan_reply) + length);
    free(plan_reply);
}

/*
 * Rank 0 knows all hosts (NULL: it did before): learn the network and plan.  It comes
 * here in the order of the agreements, so the first one has brought the network.
 */
static void plan_entry_decide(coll_mtree_exchange_t *exchange, const void *contribution,
                              void *arg)
{
    coll_mtree_plan_entry_t *entry = arg;
    mca_coll_mtree_module_t *module = entry->module;
    const char *json = NULL;
    mtree_forecast_t forecast = mtree_forecast_of(MTREE_FORECAST_SLOWER);

    if (contribution != NULL) {
        module->context = coll_mtree_planning_context_learn(entry->comm, contribution);
        if (module->context != NULL) {
            coll_mtree_exchange_reply_hosts(
                exchange, coll_mtree_planning_context_num_hosts(module->context),
                coll_mtree_planning_context_hosts(module->context));
        }
    }
    if (module->context != NULL) {
        entry->version = coll_mtree_planning_context_version(module->context);
        json = coll_mtree_planning_context_plan(
            module->context, entry->comm, &entry->call_class,
            coll_mtree_hints_max_trees(module, entry->comm), &forecast);
    }
    plan_entry_reply(exchange, json, forecast);
}

/* Rank 0's line of the communicator, once. */
static void plan_entry_say(const coll_mtree_plan_entry_t *entry)
{
    mca_coll_mtree_module_t *module = entry->module;

    if (module->context != NULL && !module->introduced) {
        module->introduced = true;
        coll_mtree_planning_context_log(module->context, entry->comm, entry->plan,
                                        entry->forecast);
    }
}

/* What came from rank 0, as this rank's own. */
static int plan_entry_read(coll_mtree_plan_entry_t *entry,
                           const coll_mtree_reply_t *reply)
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
    }
    entry->forecast = mtree_forecast_of(MTREE_FORECAST_SLOWER);
    if (reply->kind == DECISION_PLAN) {
        entry->forecast = mtree_forecast_decode(plan_reply->forecast);
        if (mtree_plan_from_json(plan_reply->json, reply->length - sizeof(*plan_reply),
                                 "plan of rank 0", &entry->plan) != MTREE_OK) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        coll_mtree_statistics_planned(module, entry->comm, &entry->call_class,
                                      entry->plan);
    }
    if (entry->call_class.bytes >= TELLING_BYTES) {
        plan_entry_say(entry);
    }
    return OMPI_SUCCESS;
}

static void plan_entry_release_comm(coll_mtree_deferred_release_t *deferred)
{
    coll_mtree_plan_entry_t *entry =
        (coll_mtree_plan_entry_t *)((char *)deferred -
                                    offsetof(coll_mtree_plan_entry_t, deferred));
    ompi_communicator_t *comm = entry->comm;

    /* With the last one go the module and this agreement, and the macro writes to what it
     * is given. */
    OBJ_RELEASE(comm);
}

/*
 * The talk has ended: let calls begin, and let the next agreement go on.  One that waits
 * holds the communicator, so the next one stays when this one is left alone.
 */
static void plan_entry_ended(coll_mtree_exchange_t *exchange,
                             const coll_mtree_reply_t *reply, void *arg)
{
    coll_mtree_plan_entry_t *entry = arg;
    mca_coll_mtree_module_t *module = entry->module;
    coll_mtree_plan_entry_t *next;
    coll_mtree_pursuit_t *waiting;

    (void)exchange;
    entry->status =
        reply->code == OMPI_SUCCESS ? plan_entry_read(entry, reply) : reply->code;
    opal_mutex_lock(&module->lock);
    waiting = entry->waiting;
    next = entry->next;
    atomic_store(&entry->settled, true);
    opal_mutex_unlock(&module->lock);
    if (next != NULL) {
        coll_mtree_exchange_open(next->exchange);
    }
    coll_mtree_pursuit_settle(&entry->pursuit, entry->plan, entry->version);
    while (waiting != NULL) {
        coll_mtree_pursuit_t *following = waiting->next;

        coll_mtree_pursuit_settle(waiting, entry->plan, entry->version);
        waiting = following;
    }
    /* From here on another thread may take the module away. */
    coll_mtree_deferred_release_add(&entry->deferred);
}

/* Talks of the pursuit hold the communicator, and with it the agreement. */
static void pursuit_retain(coll_mtree_pursuit_t *pursuit)
{
    OBJ_RETAIN(pursuit->comm);
}

static void pursuit_release(coll_mtree_pursuit_t *pursuit)
{
    ompi_communicator_t *comm = pursuit->comm;

    OBJ_RELEASE(comm);
}

static coll_mtree_plan_entry_t *
plan_entry_create(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                  const coll_mtree_call_class_t *call_class)
{
    coll_mtree_plan_entry_t *entry = calloc(1, sizeof(*entry));

    if (entry == NULL) {
        return NULL;
    }
    entry->module = module;
    entry->comm = comm;
    entry->deferred.release = plan_entry_release_comm;
    entry->call_class = *call_class;
    atomic_init(&entry->settled, false);
    coll_mtree_pursuit_init(&entry->pursuit, module, comm, call_class, false);
    entry->pursuit.retain = pursuit_retain;
    entry->pursuit.release = pursuit_release;
    OBJ_RETAIN(comm);
    entry->exchange = coll_mtree_exchange_start(
        module, comm, coll_mtree_tags_reserve(module, COLL_MTREE_EXCHANGE_TAGS, false),
        module->plan_entries == NULL, plan_entry_decide, plan_entry_ended, entry);
    if (entry->exchange == NULL) {
        OBJ_RELEASE(comm);
        coll_mtree_pursuit_cleanup(&entry->pursuit);
        free(entry);
        return NULL;
    }
    return entry;
}

coll_mtree_plan_entry_t *
coll_mtree_plan_entry_get(mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                          const coll_mtree_call_class_t *call_class)
{
    coll_mtree_plan_entry_t *entry = plan_entry_find(module, call_class);
    coll_mtree_plan_entry_t *previous;
    bool open;

    if (entry != NULL) {
        return entry;
    }
    entry = plan_entry_create(module, comm, call_class);
    if (entry == NULL) {
        return NULL;
    }
    opal_mutex_lock(&module->lock);
    previous = module->last_plan_entry;
    open = previous == NULL || atomic_load(&previous->settled);
    if (previous == NULL) {
        module->plan_entries = entry;
    } else {
        previous->next = entry;
    }
    module->last_plan_entry = entry;
    opal_mutex_unlock(&module->lock);
    if (open) {
        coll_mtree_exchange_open(entry->exchange);
    }
    return entry;
}

coll_mtree_pursuit_t *coll_mtree_plan_entry_pursuit(coll_mtree_plan_entry_t *entry)
{
    return &entry->pursuit;
}

void coll_mtree_plan_entry_settle(coll_mtree_plan_entry_t *entry,
                                  coll_mtree_pursuit_t *pursuit)
{
    bool settled;

    opal_mutex_lock(&entry->module->lock);
    settled = atomic_load(&entry->settled);
    if (!settled) {
        pursuit->next = entry->waiting;
        entry->waiting = pursuit;
    }
    opal_mutex_unlock(&entry->module->lock);
    if (settled) {
        coll_mtree_pursuit_settle(pursuit, entry->plan, entry->version);
    }
}

int coll_mtree_plan_entry_wait(coll_mtree_plan_entry_t *entry)
{
    while (!atomic_load(&entry->settled)) {
        opal_progress();
    }
    if (entry->status != OMPI_SUCCESS) {
        return entry->status;
    }
    /* Otherwise coll_mtree_plan_entry_backend() has decided. */
    return entry->known ? OMPI_SUCCESS : plan_entry_know(entry);
}

bool coll_mtree_plan_entry_is_by_arrival(const coll_mtree_plan_entry_t *entry)
{
    return entry->call_class.by_arrival;
}

int coll_mtree_plan_entry_plan(coll_mtree_plan_entry_t *entry,
                               const coll_mtree_pursuit_t *pursuit, bool ring,
                               const mtree_plan_t **plan_p,
                               const mtree_placement_t **placement_p)
{
    mca_coll_mtree_module_t *module = entry->module;
    mtree_status_t status = MTREE_OK;

    if (entry->status != OMPI_SUCCESS || pursuit->status != OMPI_SUCCESS) {
        return entry->status != OMPI_SUCCESS ? entry->status : pursuit->status;
    }
    if (entry->plan != NULL) {
        *plan_p = ring ? entry->ring : pursuit->plan;
        *placement_p = module->placement;
        return OMPI_SUCCESS;
    }
    opal_mutex_lock(&module->lock);
    if (module->plain_plan == NULL) {
        status = coll_mtree_default_plan_create(
            ompi_comm_size(entry->comm), &module->plain_plan, &module->plain_placement);
    }
    opal_mutex_unlock(&module->lock);
    *plan_p = module->plain_plan;
    *placement_p = module->plain_placement;
    return status == MTREE_OK ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

void coll_mtree_plan_entry_note(coll_mtree_plan_entry_t *entry,
                                const coll_mtree_request_t *req)
{
    if (entry->plan == NULL || req->ring) {
        return;
    }
    /* The first call opens connections and finds their windows small. */
    coll_mtree_follow_note(entry->module, req, &entry->call_class, entry->pursuit.plan,
                           entry->warm);
    entry->warm = true;
}

void coll_mtree_plan_entries_renew(mca_coll_mtree_module_t *module, bool same_trees)
{
    coll_mtree_plan_entry_t *entry = module->plan_entries;

    for (; entry != NULL; entry = entry->next) {
        entry->stale = true;
        entry->outdated = entry->outdated || !same_trees;
    }
}

void coll_mtree_plan_entries_destroy(mca_coll_mtree_module_t *module)
{
    if (module->last_plan_entry != NULL) {
        plan_entry_say(module->last_plan_entry);
    }
    while (module->plan_entries != NULL) {
        coll_mtree_plan_entry_t *entry = module->plan_entries;

        module->plan_entries = entry->next;
        coll_mtree_pursuit_cleanup(&entry->pursuit);
        mtree_plan_destroy(entry->plan);
        mtree_plan_destroy(entry->ring);
        free(entry);
    }
    mtree_placement_destroy(module->placement);
    mtree_plan_destroy(module->plain_plan);
    mtree_placement_destroy(module->plain_placement);
}

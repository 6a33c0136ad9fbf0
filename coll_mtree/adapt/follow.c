/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/follow.h"

#include "coll_mtree/adapt/arrival_skew.h"
#include "coll_mtree/adapt/path_samples.h"
#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/base/finalize_hooks.h"
#include "coll_mtree/base/hints.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/control/exchange.h"

#include "opal/runtime/opal_progress.h"

#include <stdatomic.h>
#include <stdlib.h>

/* What rank 0 decides on the plans of all calls, or on calls of the class that it was
 * asked about. */
typedef enum {
    DECISION_STAY,
    DECISION_REBALANCE, /* the same trees with other shares */
    DECISION_REPLAN,
    DECISION_BY_ARRIVAL,
    DECISION_TREES /* no longer by arrival */
} decision_t;

/* A talk begins after a call and is waited for before the second one from there. */
#define EXCHANGES 2

typedef struct coll_mtree_follow follow_t;

/* What a rank tells of the calls since the last talk, and of the last of them. */
typedef struct {
    mtree_path_sample_t
        samples[COLL_MTREE_MOST_PATHS]; /* those that are not used have no rate */
    mtree_arrival_time_t entry;
} rank_sample_t;

typedef struct {
    follow_t *follow;
    bool begun;
    long call; /* after which it began */
    coll_mtree_call_class_t call_class;
    mtree_plan_t *plan;   /* a reference */
    atomic_bool ended;    /* its answer is there */
    atomic_bool released; /* and nobody looks at it any more: it may be used again */
    coll_mtree_change_t change;
    bool trial; /* such calls are to turn to `by_arrival` */
    bool by_arrival;
    coll_mtree_arrival_skew_t *skew; /* of such calls; NULL: no memory */
    coll_mtree_deferred_release_t deferred;
} inquiry_t;

struct coll_mtree_follow {
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm;
    const mtree_plan_t *plan; /* of the last call */
    long calls;               /* that were noted: the same on all ranks */
    double expected, moved;   /* seconds and bytes since the last talk began; the same */
    double seconds;           /* that they took */
    mtree_bandwidth_monitor_path_t *passed; /* [hosts] in that time */
    mtree_arrival_time_t entry;             /* of the last call */
    inquiry_t inquiries[EXCHANGES];
    unsigned version; /* on rank 0: of the network that the plans were made for */
    follow_t *next;
};

/* All that may have a talk under way. */
static follow_t *follows;
static opal_mutex_t follows_lock = OPAL_MUTEX_STATIC_INIT;

static void inquiry_wait(inquiry_t *inquiry)
{
    while (!atomic_load(&inquiry->ended)) {
        opal_progress();
    }
}

/* Nobody may leave MPI while others wait for what he is to pass on. */
static void finish_exchanges(void)
{
    for (follow_t *follow = follows; follow != NULL; follow = follow->next) {
        for (int i = 0; i < EXCHANGES; i++) {
            inquiry_wait(&follow->inquiries[i]);
        }
    }
    coll_mtree_deferred_release_run();
}

static void follow_register(follow_t *follow)
{
    static bool added;

    opal_mutex_lock(&follows_lock);
    if (!added) {
        added = coll_mtree_finalize_hook_add(finish_exchanges);
    }
    follow->next = follows;
    follows = follow;
    opal_mutex_unlock(&follows_lock);
}

void coll_mtree_follow_destroy(mca_coll_mtree_module_t *module)
{
    follow_t *follow = module->follow, **at = &follows;

    if (follow == NULL) {
        return;
    }
    opal_mutex_lock(&follows_lock);
    while (*at != follow) {
        at = &(*at)->next;
    }
    *at = follow->next;
    opal_mutex_unlock(&follows_lock);
    for (int i = 0; i < EXCHANGES; i++) {
        mtree_plan_destroy(follow->inquiries[i].plan);
    }
    free(follow->passed);
    free(follow);
    module->follow = NULL;
}

static void release_comm(coll_mtree_deferred_release_t *deferred)
{
    inquiry_t *inquiry = (inquiry_t *)((char *)deferred - offsetof(inquiry_t, deferred));

    /* With the last one goes the follow itself. */
    ompi_communicator_t *comm = inquiry->follow->comm;

    atomic_store(&inquiry->released, true);
    OBJ_RELEASE(comm);
}

static follow_t *follow_of(mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    follow_t *follow = module->follow;

    if (follow != NULL) {
        return follow;
    }
    follow = calloc(1, sizeof(*follow));
    if (follow == NULL) {
        return NULL;
    }
    follow->passed =
        calloc((size_t)module->placement->num_hosts, sizeof(*follow->passed));
    if (follow->passed == NULL) {
        free(follow);
        return NULL;
    }
    follow->module = module;
    follow->comm = comm;
    for (int i = 0; i < EXCHANGES; i++) {
        follow->inquiries[i].follow = follow;
        follow->inquiries[i].deferred.release = release_comm;
        atomic_init(&follow->inquiries[i].ended, true);
        atomic_init(&follow->inquiries[i].released, true);
    }
    if (module->context != NULL) {
        follow->version = coll_mtree_planning_context_version(module->context);
    }
    follow_register(follow);
    module->follow = follow;
    return follow;
}

/* On rank 0: what is to become of the plans, after what the ranks say of their ways. */
static coll_mtree_change_t inquiry_change(inquiry_t *inquiry,
                                          const mtree_path_sample_t *samples)
{
    follow_t *follow = inquiry->follow;
    coll_mtree_planning_context_t *context = follow->module->context;
    coll_mtree_change_t change;
    unsigned version;

    /* Calls by arrival tell nothing of links, and other plans would sum in another order.
     */
    if (inquiry->call_class.by_arrival || coll_mtree_params.deterministic) {
        return COLL_MTREE_STAY;
    }
    version = coll_mtree_planning_context_update(
        context, follow->comm, &inquiry->call_class,
        coll_mtree_hints_max_trees(follow->module, follow->comm), inquiry->plan, samples,
        COLL_MTREE_MOST_PATHS * ompi_comm_size(follow->comm));
    change = coll_mtree_planning_context_change(context, follow->version);
    follow->version = version;
    return change;
}

/* On rank 0: what follows from what the ranks measured. */
static decision_t inquiry_judge(inquiry_t *inquiry, const mtree_path_sample_t *samples,
                                const mtree_arrival_time_t *entries)
{
    follow_t *follow = inquiry->follow;
    coll_mtree_change_t change = inquiry_change(inquiry, samples);
    bool by_arrival;

    if (change != COLL_MTREE_STAY) {
        return change == COLL_MTREE_REBALANCE ? DECISION_REBALANCE : DECISION_REPLAN;
    }
    if (inquiry->skew == NULL) {
        return DECISION_STAY;
    }
    by_arrival = coll_mtree_arrival_skew_update(inquiry->skew, follow->module,
                                                follow->comm, inquiry->plan, entries);
    if (by_arrival == inquiry->call_class.by_arrival) {
        return DECISION_STAY;
    }
    return by_arrival ? DECISION_BY_ARRIVAL : DECISION_TREES;
}

static void inquiry_decide(coll_mtree_exchange_t *exchange, const void *contribution,
                           void *arg)
{
    inquiry_t *inquiry = arg;
    size_t ranks = (size_t)ompi_comm_size(inquiry->follow->comm);
    mtree_path_sample_t *samples =
        malloc(ranks * COLL_MTREE_MOST_PATHS * sizeof(*samples));
    mtree_arrival_time_t *entries = malloc(ranks * sizeof(*entries));
    const rank_sample_t *rank_sample = contribution;
    decision_t decision = DECISION_STAY;

    if (samples != NULL && entries != NULL) {
        for (size_t rank = 0; rank < ranks; rank++) {
            memcpy(samples + rank * COLL_MTREE_MOST_PATHS, rank_sample[rank].samples,
                   sizeof(rank_sample->samples));
            entries[rank] = rank_sample[rank].entry;
        }
        decision = inquiry_judge(inquiry, samples, entries);
    }
    free(entries);
    free(samples);
    coll_mtree_exchange_reply(exchange, decision, NULL, 0);
}

static void inquiry_ended(coll_mtree_exchange_t *exchange,
                          const coll_mtree_reply_t *reply, void *arg)
{
    inquiry_t *inquiry = arg;
    decision_t decision =
        reply->code == OMPI_SUCCESS ? (decision_t)reply->kind : DECISION_STAY;

    (void)exchange;
    if (decision == DECISION_REPLAN) {
        inquiry->change = COLL_MTREE_REPLAN;
    } else if (decision == DECISION_REBALANCE) {
        inquiry->change = COLL_MTREE_REBALANCE;
    }
    inquiry->by_arrival = decision == DECISION_BY_ARRIVAL;
    inquiry->trial = inquiry->by_arrival || decision == DECISION_TREES;
    atomic_store(&inquiry->ended, true);
    /* From here on another thread may end the inquiry, with its communicator. */
    coll_mtree_deferred_release_add(&inquiry->deferred);
}

/* Begin a talk, after the call of @a call_class that was noted last. */
static void follow_inquire(follow_t *follow, const coll_mtree_call_class_t *call_class)
{
    inquiry_t *inquiry = &follow->inquiries[0];
    int first_tag =
        coll_mtree_tags_reserve(follow->module, COLL_MTREE_EXCHANGE_TAGS, false);
    rank_sample_t rank_sample;
    coll_mtree_exchange_t *exchange;

    /* Of two calls in turn, at most one talk is under way. */
    if (inquiry->begun) {
        inquiry++;
    }
    coll_mtree_path_samples_pack(follow->module->placement, ompi_comm_rank(follow->comm),
                                 follow->passed, follow->seconds, rank_sample.samples);
    rank_sample.entry = follow->entry;
    inquiry->begun = true;
    inquiry->call = follow->calls;
    inquiry->call_class = *call_class;
    mtree_plan_destroy(inquiry->plan);
    inquiry->plan = mtree_plan_retain(follow->plan);
    inquiry->change = COLL_MTREE_STAY;
    inquiry->trial = false;
    inquiry->skew = coll_mtree_arrival_skew_get(follow->module, call_class);
    atomic_store(&inquiry->ended, false);
    atomic_store(&inquiry->released, false);
    OBJ_RETAIN(follow->comm);
    exchange = coll_mtree_exchange_start_with(follow->module, follow->comm, first_tag,
                                              &rank_sample, sizeof(rank_sample),
                                              inquiry_decide, inquiry_ended, inquiry);
    if (exchange == NULL) {
        OBJ_RELEASE(follow->comm);
        atomic_store(&inquiry->ended, true);
        atomic_store(&inquiry->released, true);
        return;
    }
    coll_mtree_exchange_open(exchange);
}

/* Add what a call over trees sent to other hosts. */
static void follow_add(follow_t *follow, const coll_mtree_request_t *req)
{
    const mtree_goodput_t *goodput = req->goodput;
    double scale = (double)req->args.call.unit_bytes / (double)req->data.super.extent;
    const int *host = follow->module->placement->host;

    if (goodput == NULL) {
        return;
    }
    follow->seconds += mtree_goodput_seconds(goodput);
    for (int i = 0; i < goodput->num_links; i++) {
        const mtree_goodput_link_t *link = &goodput->links[i];
        mtree_bandwidth_monitor_path_t *passed = &follow->passed[host[link->rank]];

        if (host[link->rank] != host[ompi_comm_rank(follow->comm)]) {
            passed->bytes += scale * link->bytes;
            passed->backlogged_bytes += scale * link->backlogged_bytes;
            passed->backlogged_seconds += link->backlogged_seconds;
        }
    }
}

/* Is a call of @a call_class over @a plan one that tells anything?  The same on all
 * ranks. */
static bool is_followed(const coll_mtree_call_class_t *call_class,
                        const mtree_plan_t *plan)
{
    return coll_mtree_params.replan && call_class->bytes >= COLL_MTREE_MEASURABLE_BYTES &&
           mtree_plan_num_steps(plan) == 0 &&
           !(coll_mtree_params.deterministic &&
             mtree_collective_reduces(call_class->collective));
}

void coll_mtree_follow_note(mca_coll_mtree_module_t *module,
                            const coll_mtree_request_t *req,
                            const coll_mtree_call_class_t *call_class,
                            const mtree_plan_t *plan, bool warm)
{
    follow_t *follow;

    /* Where the user wants it by arrival, nothing is to be found out. */
    if (!is_followed(call_class, plan) || req->by_arrival != call_class->by_arrival) {
        return;
    }
    follow = follow_of(module, req->comm);
    if (follow == NULL) {
        return;
    }
    follow->plan = plan;
    follow->calls++;
    if (warm) {
        coll_mtree_arrival_skew_record(req, &follow->entry);
        follow_add(follow, req);
        follow->expected += mtree_forecast_promised_seconds(plan, call_class->bytes);
        follow->moved += call_class->bytes;
    }
    if (follow->expected >= COLL_MTREE_MEASURABLE_SECONDS &&
        follow->moved >= (double)COLL_MTREE_BYTES_PER_RANK * ompi_comm_size(req->comm)) {
        follow_inquire(follow, call_class);
        follow->expected = follow->moved = follow->seconds = 0;
        memset(follow->passed, 0,
               (size_t)module->placement->num_hosts * sizeof(*follow->passed));
    }
}

coll_mtree_change_t coll_mtree_follow_catch_up(mca_coll_mtree_module_t *module)
{
    follow_t *follow = module->follow;
    coll_mtree_change_t change = COLL_MTREE_STAY;

    for (int i = 0; follow != NULL && i < EXCHANGES; i++) {
        inquiry_t *inquiry = &follow->inquiries[i];

        if (inquiry->begun && follow->calls > inquiry->call) {
            inquiry_wait(inquiry);
            inquiry->begun = false;
            change = inquiry->change > change ? inquiry->change : change;
            if (inquiry->trial && inquiry->skew != NULL) {
                coll_mtree_arrival_skew_switch(inquiry->skew, inquiry->by_arrival);
                coll_mtree_counters_add_replan();
            }
            while (!atomic_load(&inquiry->released)) {
                coll_mtree_deferred_release_run();
            }
        }
    }
    return change;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/pursuit.h"

#include "coll_mtree/adapt/bandwidth_monitor.h"
#include "coll_mtree/adapt/path_samples.h"
#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/base/finalize_hooks.h"
#include "coll_mtree/base/hints.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/control/exchange.h"

#include "planner/plan/json.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

/* Calls from the one at which a talk begins to the first that waits for its answer. */
#define PATIENCE 2

/* Talks of a persistent request that may be under way at once: the start at which an
 * answer is due does not end before it is there. */
#define MOST_EXCHANGES (PATIENCE + 2)

/* Where a rank looked after its calls for less than this part of the time, what the
 * others were held up by may be it, and no link. */
#define MOST_UNATTENDED 0.1

/* What rank 0 decides. */
typedef enum {
    DECISION_STAY,
    DECISION_PLAN, /* the payload is a plan as JSON */
    DECISION_MORE  /* too little was measured to judge by */
} decision_t;

/* What a rank tells of the time since it was last heard. */
typedef struct {
    mtree_path_sample_t samples[COLL_MTREE_MOST_PATHS];
    float seconds, unattended;
} rank_sample_t;

struct coll_mtree_inquiry {
    coll_mtree_waiter_t due; /* in the queue, of the answer */
    coll_mtree_pursuit_t *pursuit;
    coll_mtree_exchange_t *exchange;
    long call;                 /* at which it began */
    bool waits;                /* for its place in the queue */
    atomic_bool passed;        /* it has had it */
    atomic_bool ended;         /* the answer is there */
    atomic_bool released;      /* and nobody looks at it any more */
    coll_mtree_taken_t *taken; /* what was told, or NULL */
    mtree_plan_t *plan;        /* the answer, which stays; NULL: none */
    int status;
    coll_mtree_deferred_release_t deferred;
    coll_mtree_inquiry_t *following; /* which is to be opened when this one has ended */
    coll_mtree_inquiry_t *next;
};

/* Talks of this process. */
static atomic_int underway;

/* Nobody may leave MPI while others wait for what he is to pass on. */
static void finish_exchanges(void)
{
    while (atomic_load(&underway) > 0) {
        opal_progress();
    }
    coll_mtree_deferred_release_run();
}

static bool plan_gate_is_ready(coll_mtree_waiter_t *plan_gate)
{
    coll_mtree_pursuit_t *pursuit =
        (coll_mtree_pursuit_t *)((char *)plan_gate -
                                 offsetof(coll_mtree_pursuit_t, plan_gate));

    return atomic_load(&pursuit->settled);
}

static void plan_gate_pass(coll_mtree_waiter_t *plan_gate)
{
    (void)plan_gate;
}

void coll_mtree_pursuit_init(coll_mtree_pursuit_t *pursuit,
                             mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                             const coll_mtree_call_class_t *call_class, bool persistent)
{
    memset(pursuit, 0, sizeof(*pursuit));
    pursuit->module = module;
    pursuit->comm = comm;
    pursuit->call_class = *call_class;
    /* Other plans would sum in another order. */
    pursuit->is_followed = coll_mtree_params.replan &&
                           call_class->bytes >= COLL_MTREE_MEASURABLE_BYTES &&
                           !call_class->by_arrival &&
                           !(coll_mtree_params.deterministic &&
                             mtree_collective_reduces(call_class->collective));
    if (persistent && pursuit->is_followed) {
        pursuit->first_tag = coll_mtree_tags_reserve(
            module, MOST_EXCHANGES * COLL_MTREE_EXCHANGE_TAGS, true);
    }
    atomic_init(&pursuit->settled, false);
    coll_mtree_ordered_gate_init(&pursuit->gate);
    pursuit->plan_gate.is_ready = plan_gate_is_ready;
    pursuit->plan_gate.pass = plan_gate_pass;
    coll_mtree_ordered_gate_join(&pursuit->gate, &pursuit->plan_gate);
}

void coll_mtree_pursuit_cleanup(coll_mtree_pursuit_t *pursuit)
{
    while (pursuit->inquiries != NULL) {
        coll_mtree_inquiry_t *inquiry = pursuit->inquiries;

        pursuit->inquiries = inquiry->next;
        mtree_plan_destroy(inquiry->plan);
        free(inquiry->taken);
        free(inquiry);
    }
    coll_mtree_ordered_gate_cleanup(&pursuit->gate);
}

void coll_mtree_pursuit_settle(coll_mtree_pursuit_t *pursuit, const mtree_plan_t *plan,
                               unsigned version)
{
    coll_mtree_inquiry_t *first;

    pursuit->plan = pursuit->newest = plan;
    pursuit->version = version;
    opal_mutex_lock(&pursuit->module->lock);
    atomic_store(&pursuit->settled, true);
    first = pursuit->first;
    opal_mutex_unlock(&pursuit->module->lock);
    if (first != NULL) {
        coll_mtree_exchange_open(first->exchange);
    }
    coll_mtree_ordered_gate_advance(&pursuit->gate);
}

/* On rank 0: did all ranks look after their calls? */
static bool all_attended(const rank_sample_t *rank_sample, int ranks)
{
    int rank = 0;

    while (rank < ranks &&
           rank_sample[rank].unattended <= MOST_UNATTENDED * rank_sample[rank].seconds) {
        rank++;
    }
    return rank == ranks;
}

/* On rank 0: the version of the network after what all ranks @a rank_sample. */
static unsigned pursuit_hear(const coll_mtree_pursuit_t *pursuit,
                             const rank_sample_t *rank_sample)
{
    coll_mtree_planning_context_t *context = pursuit->module->context;
    int ranks = ompi_comm_size(pursuit->comm);
    mtree_path_sample_t *samples = malloc((size_t)ranks * sizeof(rank_sample->samples));
    unsigned version = coll_mtree_planning_context_version(context);

    if (samples != NULL && all_attended(rank_sample, ranks)) {
        for (int rank = 0; rank < ranks; rank++) {
            memcpy(samples + (size_t)rank * COLL_MTREE_MOST_PATHS,
                   rank_sample[rank].samples, sizeof(rank_sample->samples));
        }
        version = coll_mtree_planning_context_update(
            context, pursuit->comm, &pursuit->call_class,
            coll_mtree_hints_max_trees(pursuit->module, pursuit->comm), pursuit->newest,
            samples, COLL_MTREE_MOST_PATHS * ranks);
    }
    free(samples);
    return version;
}

/* On rank 0: what follows from what the ranks measured, @a rank_sample.  *plan_p is a new
 * plan as JSON, the context's, for DECISION_PLAN. */
static decision_t pursuit_judge(coll_mtree_pursuit_t *pursuit,
                                const rank_sample_t *rank_sample, const char **plan_p)
{
    coll_mtree_planning_context_t *context = pursuit->module->context;
    unsigned before = pursuit->version;
    mtree_forecast_t forecast;

    if (context == NULL || pursuit->newest == NULL ||
        mtree_plan_num_steps(pursuit->newest) > 0) {
        return DECISION_STAY;
    }
    if (rank_sample[0].seconds < COLL_MTREE_MEASURABLE_SECONDS) {
        return DECISION_MORE;
    }
    pursuit->version = pursuit_hear(pursuit, rank_sample);
    if (coll_mtree_planning_context_change(context, before) == COLL_MTREE_STAY) {
        return DECISION_STAY;
    }
    *plan_p = coll_mtree_planning_context_plan(
        context, pursuit->comm, &pursuit->call_class,
        coll_mtree_hints_max_trees(pursuit->module, pursuit->comm), &forecast);
    return *plan_p == NULL ? DECISION_STAY : DECISION_PLAN;
}

static void inquiry_decide(coll_mtree_exchange_t *exchange, const void *contribution,
                           void *arg)
{
    coll_mtree_inquiry_t *inquiry = arg;
    const char *plan = NULL;
    decision_t decision = pursuit_judge(inquiry->pursuit, contribution, &plan);

    coll_mtree_exchange_reply(exchange, decision, plan, plan == NULL ? 0 : strlen(plan));
}

/* Take over what rank 0 decided. */
static int inquiry_read(coll_mtree_inquiry_t *inquiry, const coll_mtree_reply_t *reply)
{
    if (reply->code != OMPI_SUCCESS || reply->kind == DECISION_STAY) {
        return reply->code;
    }
    if (reply->kind == DECISION_MORE) {
        if (inquiry->taken != NULL) {
            coll_mtree_bandwidth_monitor_put_back(inquiry->pursuit->module,
                                                  inquiry->taken);
        }
        return OMPI_SUCCESS;
    }
    return mtree_plan_from_json(reply->payload, reply->length, "plan of rank 0",
                                &inquiry->plan) == MTREE_OK
               ? OMPI_SUCCESS
               : OMPI_ERR_OUT_OF_RESOURCE;
}

static void inquiry_ended(coll_mtree_exchange_t *exchange,
                          const coll_mtree_reply_t *reply, void *arg)
{
    coll_mtree_inquiry_t *inquiry = arg;
    coll_mtree_pursuit_t *pursuit = inquiry->pursuit;
    coll_mtree_inquiry_t *following;

    (void)exchange;
    inquiry->status = inquiry_read(inquiry, reply);
    if (inquiry->plan != NULL) {
        pursuit->newest = inquiry->plan;
    }
    opal_mutex_lock(&pursuit->module->lock);
    atomic_store(&inquiry->ended, true);
    following = inquiry->following;
    opal_mutex_unlock(&pursuit->module->lock);
    if (following != NULL) {
        coll_mtree_exchange_open(following->exchange);
    }
    coll_mtree_ordered_gate_advance(&pursuit->gate);
    atomic_fetch_sub(&underway, 1);
    /* From here on another thread may take the pursuit away. */
    coll_mtree_deferred_release_add(&inquiry->deferred);
}

static void inquiry_release(coll_mtree_deferred_release_t *deferred)
{
    coll_mtree_inquiry_t *inquiry =
        (coll_mtree_inquiry_t *)((char *)deferred -
                                 offsetof(coll_mtree_inquiry_t, deferred));
    coll_mtree_pursuit_t *pursuit = inquiry->pursuit;

    atomic_store(&inquiry->released, true);
    /* With the owner goes the inquiry. */
    pursuit->release(pursuit);
}

static bool due_is_ready(coll_mtree_waiter_t *due)
{
    return atomic_load(&((coll_mtree_inquiry_t *)due)->ended);
}

/* From the call behind it on the answer counts. */
static void due_pass(coll_mtree_waiter_t *due)
{
    coll_mtree_inquiry_t *inquiry = (coll_mtree_inquiry_t *)due;
    coll_mtree_pursuit_t *pursuit = inquiry->pursuit;

    if (inquiry->status != OMPI_SUCCESS) {
        pursuit->status = inquiry->status;
    } else if (inquiry->plan != NULL) {
        pursuit->plan = inquiry->plan;
        pursuit->warm = false;
        coll_mtree_counters_add_replan();
        coll_mtree_statistics_planned(pursuit->module, pursuit->comm,
                                      &pursuit->call_class, pursuit->plan);
    }
    atomic_store(&inquiry->passed, true);
}

/* An inquiry for another talk; NULL: no memory. */
static coll_mtree_inquiry_t *inquiry_get(coll_mtree_pursuit_t *pursuit)
{
    coll_mtree_inquiry_t *inquiry = pursuit->inquiries;

    while (inquiry != NULL &&
           (inquiry->plan != NULL || !atomic_load(&inquiry->passed) ||
            !atomic_load(&inquiry->released) || inquiry == pursuit->latest)) {
        inquiry = inquiry->next;
    }
    if (inquiry != NULL) {
        return inquiry;
    }
    inquiry = calloc(1, sizeof(*inquiry));
    if (inquiry != NULL) {
        inquiry->due.is_ready = due_is_ready;
        inquiry->due.pass = due_pass;
        inquiry->pursuit = pursuit;
        inquiry->deferred.release = inquiry_release;
        atomic_init(&inquiry->passed, true);
        atomic_init(&inquiry->released, true);
        atomic_init(&inquiry->ended, true);
        inquiry->next = pursuit->inquiries;
        pursuit->inquiries = inquiry;
    }
    return inquiry;
}

/* What this rank says; @a inquiry keeps what it comes from. */
static void inquiry_tell(coll_mtree_inquiry_t *inquiry, rank_sample_t *rank_sample_p)
{
    mca_coll_mtree_module_t *module = inquiry->pursuit->module;

    memset(rank_sample_p, 0, sizeof(*rank_sample_p));
    free(inquiry->taken);
    inquiry->taken = coll_mtree_bandwidth_monitor_take(module);
    if (inquiry->taken != NULL) {
        rank_sample_p->seconds = (float)inquiry->taken->sum.seconds;
        rank_sample_p->unattended = (float)inquiry->taken->sum.unattended;
        coll_mtree_path_samples_pack(
            module->placement, ompi_comm_rank(inquiry->pursuit->comm),
            inquiry->taken->paths, inquiry->taken->sum.seconds, rank_sample_p->samples);
    }
}

/* @a inquiry, whose talk has begun, is the latest.  Talks end in their order: false, it
 * waits for the one before, or for the gate. */
static bool inquiry_may_open(coll_mtree_inquiry_t *inquiry)
{
    coll_mtree_pursuit_t *pursuit = inquiry->pursuit;
    coll_mtree_inquiry_t *latest = pursuit->latest;
    bool may_open = false;

    opal_mutex_lock(&pursuit->module->lock);
    if (latest != NULL && !atomic_load(&latest->ended)) {
        latest->following = inquiry;
    } else if (!atomic_load(&pursuit->settled)) {
        pursuit->first = inquiry;
    } else {
        may_open = true;
    }
    pursuit->latest = inquiry;
    opal_mutex_unlock(&pursuit->module->lock);
    return may_open;
}

/* Begin a talk at the call that was counted last. */
static int pursuit_inquire(coll_mtree_pursuit_t *pursuit)
{
    coll_mtree_inquiry_t *inquiry = inquiry_get(pursuit);
    int tag = pursuit->first_tag;
    rank_sample_t rank_sample;

    if (inquiry == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (tag == 0) {
        tag = coll_mtree_tags_reserve(pursuit->module, COLL_MTREE_EXCHANGE_TAGS, false);
    } else {
        tag -= (int)(pursuit->exchanges % MOST_EXCHANGES) * COLL_MTREE_EXCHANGE_TAGS;
    }
    if (pursuit->exchanges++ == 0) {
        static atomic_bool added;

        if (!atomic_exchange(&added, true) &&
            !coll_mtree_finalize_hook_add(finish_exchanges)) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    inquiry_tell(inquiry, &rank_sample);
    inquiry->status = OMPI_SUCCESS;
    inquiry->following = NULL;
    atomic_store(&inquiry->ended, false);
    inquiry->exchange = coll_mtree_exchange_start_with(
        pursuit->module, pursuit->comm, tag, &rank_sample, sizeof(rank_sample),
        inquiry_decide, inquiry_ended, inquiry);
    if (inquiry->exchange == NULL) {
        atomic_store(&inquiry->ended, true);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    inquiry->call = pursuit->calls;
    inquiry->waits = true;
    atomic_store(&inquiry->passed, false);
    atomic_store(&inquiry->released, false);
    pursuit->retain(pursuit);
    atomic_fetch_add(&underway, 1);
    if (inquiry_may_open(inquiry)) {
        coll_mtree_exchange_open(inquiry->exchange);
    }
    return OMPI_SUCCESS;
}

int coll_mtree_pursuit_count(coll_mtree_pursuit_t *pursuit, double bytes)
{
    int rc = OMPI_SUCCESS;

    if (!pursuit->is_followed) {
        return OMPI_SUCCESS;
    }
    pursuit->calls++;
    for (coll_mtree_inquiry_t *inquiry = pursuit->inquiries; inquiry != NULL;
         inquiry = inquiry->next) {
        if (inquiry->waits && pursuit->calls >= inquiry->call + PATIENCE) {
            inquiry->waits = false;
            coll_mtree_ordered_gate_join(&pursuit->gate, &inquiry->due);
        }
    }
    if (pursuit->moved >=
        (double)COLL_MTREE_BYTES_PER_RANK * ompi_comm_size(pursuit->comm)) {
        pursuit->moved = 0;
        rc = pursuit_inquire(pursuit);
    }
    pursuit->moved += bytes;
    return rc;
}

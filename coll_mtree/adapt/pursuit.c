#include "coll_mtree/adapt/pursuit.h"

#include "coll_mtree/call/plan_entry.h"
#include "coll_mtree/base/finalize_hooks.h"
#include "coll_mtree/adapt/bandwidth_monitor.h"
#include "coll_mtree/base/deferred_release.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/exchange.h"
#include "coll_mtree/adapt/path_samples.h"

#include "planner/plan/json.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

/* Calls from the one at which a talk begins to the first that waits for its answer. */
#define PATIENCE 2

/* Talks of a persistent request that may be under way at once: the start at which an
 * answer is due does not end before it is there. */
#define MOST_TALKS (PATIENCE + 2)

/* Where a rank looked after its calls for less than this part of the time, what the
 * others were held up by may be it, and no link. */
#define MOST_UNATTENDED 0.1

/* What rank 0 answers besides a plan or nothing: it was too little to judge by. */
#define SAYS_MORE "more"

/* What a rank tells of the time since it was last heard. */
typedef struct {
    mtree_path_sample_t paces[COLL_MTREE_MOST_PATHS];
    float seconds, unattended;
} told_t;

struct coll_mtree_inquiry {
    coll_mtree_waiter_t due; /* in the queue, of the answer */
    coll_mtree_pursuit_t *pursuit;
    coll_mtree_exchange_t *talk;
    long call;                 /* at which it began */
    bool waits;                /* for its place in the queue */
    atomic_bool passed;        /* it has had it */
    atomic_bool ended;         /* the answer is there */
    atomic_bool released;      /* and nobody looks at it any more */
    coll_mtree_taken_t *taken; /* what was told, or NULL */
    mtree_plan_t *plan;        /* the answer, which stays; NULL: none */
    int status;
    coll_mtree_deferred_release_t retired;
    coll_mtree_inquiry_t *following; /* which is to be opened when this one has ended */
    coll_mtree_inquiry_t *next;
};

/* Talks of this process. */
static atomic_int underway;

/* Nobody may leave MPI while others wait for what he is to pass on. */
static void finish_talks(void)
{
    while (atomic_load(&underway) > 0) {
        opal_progress();
    }
    coll_mtree_deferred_release_run();
}

static bool gate_is_ready(coll_mtree_waiter_t *gate)
{
    coll_mtree_pursuit_t *pursuit =
        (coll_mtree_pursuit_t *)((char *)gate - offsetof(coll_mtree_pursuit_t, gate));

    return atomic_load(&pursuit->settled);
}

static void gate_pass(coll_mtree_waiter_t *gate)
{
    (void)gate;
}

void coll_mtree_pursuit_init(coll_mtree_pursuit_t *pursuit,
                             mca_coll_mtree_module_t *module, ompi_communicator_t *comm,
                             const coll_mtree_call_class_t *kind, bool persistent)
{
    memset(pursuit, 0, sizeof(*pursuit));
    pursuit->module = module;
    pursuit->comm = comm;
    pursuit->kind = *kind;
    /* Other plans would sum in another order. */
    pursuit->is_followed = mca_coll_mtree_component.follow &&
                           kind->bytes >= COLL_MTREE_MEASURABLE_BYTES &&
                           !kind->by_arrival &&
                           !(mca_coll_mtree_component.deterministic &&
                             mtree_collective_uses_up(kind->collective));
    if (persistent && pursuit->is_followed) {
        pursuit->first_tag =
            coll_mtree_tags_reserve(module, MOST_TALKS * COLL_MTREE_EXCHANGE_TAGS, true);
    }
    atomic_init(&pursuit->settled, false);
    coll_mtree_ordered_gate_init(&pursuit->queue);
    pursuit->gate.is_ready = gate_is_ready;
    pursuit->gate.pass = gate_pass;
    coll_mtree_ordered_gate_join(&pursuit->queue, &pursuit->gate);
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
    coll_mtree_ordered_gate_cleanup(&pursuit->queue);
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
        coll_mtree_exchange_open(first->talk);
    }
    coll_mtree_ordered_gate_advance(&pursuit->queue);
}

/* On rank 0: did all ranks look after their calls? */
static bool all_attended(const told_t *told, int ranks)
{
    int rank = 0;

    while (rank < ranks &&
           told[rank].unattended <= MOST_UNATTENDED * told[rank].seconds) {
        rank++;
    }
    return rank == ranks;
}

/* On rank 0: the version of the network after what all ranks @a told. */
static unsigned pursuit_hear(const coll_mtree_pursuit_t *pursuit, const told_t *told)
{
    coll_mtree_planning_context_t *network = pursuit->module->network;
    int ranks = ompi_comm_size(pursuit->comm);
    mtree_path_sample_t *paces = malloc((size_t)ranks * sizeof(told->paces));
    unsigned version = coll_mtree_planning_context_version(network);

    if (paces != NULL && all_attended(told, ranks)) {
        for (int rank = 0; rank < ranks; rank++) {
            memcpy(paces + (size_t)rank * COLL_MTREE_MOST_PATHS, told[rank].paces,
                   sizeof(told->paces));
        }
        version = coll_mtree_planning_context_update(
            network, pursuit->comm, &pursuit->kind,
            coll_mtree_hints_max_trees(pursuit->module, pursuit->comm), pursuit->newest,
            paces, COLL_MTREE_MOST_PATHS * ranks);
    }
    free(paces);
    return version;
}

/* On rank 0: the answer to what the ranks @a told; NULL: nothing. */
static const char *pursuit_judge(coll_mtree_pursuit_t *pursuit, const told_t *told,
                                 mtree_forecast_t *forecast_p)
{
    coll_mtree_planning_context_t *network = pursuit->module->network;
    unsigned before = pursuit->version;

    if (network == NULL || pursuit->newest == NULL ||
        mtree_plan_num_steps(pursuit->newest) > 0) {
        return NULL;
    }
    if (told[0].seconds < COLL_MTREE_MEASURABLE_SECONDS) {
        return SAYS_MORE;
    }
    pursuit->version = pursuit_hear(pursuit, told);
    return coll_mtree_planning_context_change(network, before) == COLL_MTREE_STAY
               ? NULL
               : coll_mtree_planning_context_plan(
                     network, pursuit->comm, &pursuit->kind,
                     coll_mtree_hints_max_trees(pursuit->module, pursuit->comm),
                     forecast_p);
}

static void inquiry_decide(coll_mtree_exchange_t *talk, const void *said, void *arg)
{
    coll_mtree_inquiry_t *inquiry = arg;
    mtree_forecast_t forecast = mtree_forecast_of(MTREE_FORECAST_FASTER);
    const char *answer = pursuit_judge(inquiry->pursuit, said, &forecast);

    coll_mtree_exchange_answer(talk, 0, NULL, answer, forecast);
}

/* The answer, as this rank's own. */
static int inquiry_read(coll_mtree_inquiry_t *inquiry, const coll_mtree_answer_t *answer)
{
    if (answer->code != OMPI_SUCCESS || answer->text == NULL) {
        return answer->code;
    }
    if (answer->length == strlen(SAYS_MORE) &&
        memcmp(answer->text, SAYS_MORE, answer->length) == 0) {
        if (inquiry->taken != NULL) {
            coll_mtree_bandwidth_monitor_put_back(inquiry->pursuit->module,
                                                  inquiry->taken);
        }
        return OMPI_SUCCESS;
    }
    return mtree_plan_from_json(answer->text, answer->length, "plan of rank 0",
                                &inquiry->plan) == MTREE_OK
               ? OMPI_SUCCESS
               : OMPI_ERR_OUT_OF_RESOURCE;
}

static void inquiry_ended(coll_mtree_exchange_t *talk, const coll_mtree_answer_t *answer,
                          void *arg)
{
    coll_mtree_inquiry_t *inquiry = arg;
    coll_mtree_pursuit_t *pursuit = inquiry->pursuit;
    coll_mtree_inquiry_t *following;

    (void)talk;
    inquiry->status = inquiry_read(inquiry, answer);
    if (inquiry->plan != NULL) {
        pursuit->newest = inquiry->plan;
    }
    opal_mutex_lock(&pursuit->module->lock);
    atomic_store(&inquiry->ended, true);
    following = inquiry->following;
    opal_mutex_unlock(&pursuit->module->lock);
    if (following != NULL) {
        coll_mtree_exchange_open(following->talk);
    }
    coll_mtree_ordered_gate_advance(&pursuit->queue);
    atomic_fetch_sub(&underway, 1);
    /* From here on another thread may take the pursuit away. */
    coll_mtree_deferred_release_add(&inquiry->retired);
}

static void inquiry_release(coll_mtree_deferred_release_t *retired)
{
    coll_mtree_inquiry_t *inquiry =
        (coll_mtree_inquiry_t *)((char *)retired -
                                 offsetof(coll_mtree_inquiry_t, retired));
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
        coll_mtree_statistics_add_replan();
        coll_mtree_statistics_planned(pursuit->module, pursuit->comm, &pursuit->kind,
                                      pursuit->plan);
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
        inquiry->retired.release = inquiry_release;
        atomic_init(&inquiry->passed, true);
        atomic_init(&inquiry->released, true);
        atomic_init(&inquiry->ended, true);
        inquiry->next = pursuit->inquiries;
        pursuit->inquiries = inquiry;
    }
    return inquiry;
}

/* What this rank says; @a inquiry keeps what it comes from. */
static void inquiry_tell(coll_mtree_inquiry_t *inquiry, told_t *told_p)
{
    mca_coll_mtree_module_t *module = inquiry->pursuit->module;

    memset(told_p, 0, sizeof(*told_p));
    free(inquiry->taken);
    inquiry->taken = coll_mtree_bandwidth_monitor_take(module);
    if (inquiry->taken != NULL) {
        told_p->seconds = (float)inquiry->taken->sum.seconds;
        told_p->unattended = (float)inquiry->taken->sum.unattended;
        coll_mtree_path_samples_pack(
            module->placement, ompi_comm_rank(inquiry->pursuit->comm),
            inquiry->taken->ways, inquiry->taken->sum.seconds, told_p->paces);
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
    told_t told;

    if (inquiry == NULL) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (tag == 0) {
        tag = coll_mtree_tags_reserve(pursuit->module, COLL_MTREE_EXCHANGE_TAGS, false);
    } else {
        tag -= (int)(pursuit->talks % MOST_TALKS) * COLL_MTREE_EXCHANGE_TAGS;
    }
    if (pursuit->talks++ == 0) {
        static atomic_bool added;

        if (!atomic_exchange(&added, true) &&
            !coll_mtree_finalize_hook_add(finish_talks)) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    inquiry_tell(inquiry, &told);
    inquiry->status = OMPI_SUCCESS;
    inquiry->following = NULL;
    atomic_store(&inquiry->ended, false);
    inquiry->talk = coll_mtree_exchange_start_with(pursuit->module, pursuit->comm, tag,
                                                   &told, sizeof(told), inquiry_decide,
                                                   inquiry_ended, inquiry);
    if (inquiry->talk == NULL) {
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
        coll_mtree_exchange_open(inquiry->talk);
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
            coll_mtree_ordered_gate_join(&pursuit->queue, &inquiry->due);
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

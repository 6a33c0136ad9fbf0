#include "coll_mtree/call/plan_entry.h"

#include "coll_mtree/adapt/follow.h"
#include "coll_mtree/base/hints.h"
#include "coll_mtree/control/locality.h"
#include "coll_mtree/plan/planning_context.h"
#include "coll_mtree/call/default_plan.h"
#include "coll_mtree/call/dispatch.h"
#include "coll_mtree/adapt/arrival_skew.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/exchange.h"

#include "planner/plan/json.h"
#include "planner/regular/ring.h"

#include "opal/runtime/opal_progress.h"

#include <stdlib.h>

/* Below this size all calls are alike. */
#define SHORT_BYTES 1024

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
    coll_mtree_deferred_release_t retired;
    coll_mtree_call_class_t kind;
    coll_mtree_exchange_t *talk;
    atomic_bool settled; /* what follows does not change any more */
    bool stale;          /* the network has changed since: not for new calls */
    bool outdated;       /* its trees are not those of later plans */
    bool warm;           /* a blocking call has gone over its trees */
    bool known;          /* a blocking call waited for it: all ranks know of its end */
    int status;          /* Open MPI's code */
    mtree_plan_t *plan;  /* the first; NULL: none could be made */
    unsigned version;    /* on rank 0: of the network that it was made for */
    mtree_plan_t *ring;  /* for its guard to try; NULL: not wanted */
    mtree_forecast_t forecast;     /* of the plan */
    coll_mtree_autotuner_t guard;  /* of blocking calls, when the plan is known */
    coll_mtree_pursuit_t pursuit;  /* of nonblocking calls */
    coll_mtree_pursuit_t *waiting; /* those of persistent requests */
    coll_mtree_plan_entry_t *next;
};

int coll_mtree_hints_max_trees(mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    int asked = coll_mtree_hints_get(module, comm)->trees;
    int trees = asked < 0 ? mca_coll_mtree_component.trees : asked;

    if (trees <= 0) {
        trees = COLL_MTREE_MOST_TREES;
    }
    /* Some algorithms have a tree for each host, whatever limit is given. */
    return trees > ompi_comm_size(comm) ? trees : ompi_comm_size(comm);
}

coll_mtree_call_class_t coll_mtree_call_class_of(const mca_coll_mtree_module_t *module,
                                                 const mtree_call_t *call)
{
    size_t bytes = call->units * call->unit_bytes;
    coll_mtree_call_class_t kind = {
        .collective = call->collective,
        .root = mtree_collective_has_root(call->collective) ? call->root : -1,
        .algorithm = module->hints.algorithm[call->collective],
        .trees = module->hints.trees};

    bytes = bytes < SHORT_BYTES ? SHORT_BYTES : bytes;
    kind.bytes = (double)bytes;
    for (; bytes > 1; bytes >>= 1) {
        kind.size_class++;
    }
    kind.by_arrival = coll_mtree_arrival_skew_is_by_arrival(module, &kind);
    return kind;
}

static coll_mtree_plan_entry_t *agreement_find(const mca_coll_mtree_module_t *module,
                                               const coll_mtree_call_class_t *kind)
{
    coll_mtree_plan_entry_t *agreement = module->agreements;

    while (agreement != NULL &&
           (agreement->stale || !coll_mtree_call_class_equals(&agreement->kind, kind))) {
        agreement = agreement->next;
    }
    return agreement;
}

coll_mtree_backend_t coll_mtree_plan_entry_backend(const mca_coll_mtree_module_t *module,
                                                   const coll_mtree_call_class_t *kind,
                                                   coll_mtree_trial_t *turn)
{
    coll_mtree_plan_entry_t *agreement = agreement_find(module, kind);

    if (agreement == NULL || !agreement->known) {
        return COLL_MTREE_TREES;
    }
    if (turn == NULL) {
        return agreement->plan == NULL ||
                       agreement->forecast.odds >= MTREE_FORECAST_MAYBE_SLOWER
                   ? COLL_MTREE_FALLBACK
                   : COLL_MTREE_TREES;
    }
    return coll_mtree_autotune_begin(&agreement->guard, turn);
}

coll_mtree_fallback_reason_t
coll_mtree_plan_entry_reason(const mca_coll_mtree_module_t *module,
                             const coll_mtree_call_class_t *kind,
                             const coll_mtree_trial_t *turn)
{
    const coll_mtree_plan_entry_t *agreement = agreement_find(module, kind);

    if (module->unserved || agreement == NULL) {
        return COLL_MTREE_REASON_GROUP;
    }
    if (agreement->plan == NULL) {
        return COLL_MTREE_REASON_PLAN;
    }
    if (turn != NULL && turn->guard != NULL) {
        return COLL_MTREE_REASON_TRIAL;
    }
    return turn != NULL && agreement->guard.trials > 0 ? COLL_MTREE_REASON_MEASURED
                                                       : COLL_MTREE_REASON_FORECAST;
}

/* The last agreement on the same calls whose trees the plan of @a agreement has, too,
 * with a guard like its own; NULL: there is none. */
static const coll_mtree_plan_entry_t *
agreement_before(const coll_mtree_plan_entry_t *agreement)
{
    const coll_mtree_plan_entry_t *found = NULL;

    for (const coll_mtree_plan_entry_t *other = agreement->module->agreements;
         other != agreement; other = other->next) {
        if (other->known && !other->outdated &&
            other->guard.open == agreement->guard.open &&
            (other->ring == NULL) == (agreement->ring == NULL) &&
            coll_mtree_call_class_equals(&other->kind, &agreement->kind)) {
            found = other;
        }
    }
    return found;
}

/* What was measured of calls that are but shorter than those of @a agreement tells who
 * need not be tried. */
static void agreement_learn(coll_mtree_plan_entry_t *agreement)
{
    for (int classes = 1; classes <= LEARN_CLASSES_TREES; classes++) {
        coll_mtree_call_class_t kind = agreement->kind;
        const coll_mtree_plan_entry_t *shorter;

        kind.size_class -= classes;
        shorter = agreement_find(agreement->module, &kind);
        if (shorter != NULL && shorter->known && !shorter->outdated &&
            (classes <= LEARN_CLASSES ||
             coll_mtree_autotune_backend(&shorter->guard) == COLL_MTREE_TREES) &&
            coll_mtree_autotune_learn(&agreement->guard, &shorter->guard,
                                      agreement->comm)) {
            return;
        }
    }
}

/* A blocking call has waited for the end of the agreement: all ranks know of it. */
static int agreement_know(coll_mtree_plan_entry_t *agreement)
{
    mca_coll_mtree_module_t *module = agreement->module;
    const mtree_plan_t *plan = agreement->plan;
    const coll_mtree_plan_entry_t *before;
    mtree_forecast_t forecast = agreement->forecast;

    if (plan == NULL) {
        forecast = mtree_forecast_of(MTREE_FORECAST_SLOWER);
    }
    agreement->known = true;
    module->unserved = module->placement == NULL;
    if (coll_mtree_autotune_init(&agreement->guard, &agreement->kind, forecast) &&
        plan != NULL &&
        mtree_ring_create(plan->collective, plan->num_hosts,
                          (const char *const *)plan->hosts,
                          &agreement->ring) != MTREE_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    before = plan == NULL ? NULL : agreement_before(agreement);
    if (before != NULL) {
        agreement->guard = before->guard;
    } else {
        agreement_learn(agreement);
    }
    return coll_mtree_autotune_backend(&agreement->guard) == COLL_MTREE_TREES
               ? OMPI_SUCCESS
               : MTREE_DECLINED;
}

/*
 * Rank 0 knows all hosts (NULL: it did before): learn the network and plan.  It comes
 * here in the order of the agreements, so the first one has brought the network.
 */
static void agreement_decide(coll_mtree_exchange_t *talk, const void *said, void *arg)
{
    coll_mtree_plan_entry_t *agreement = arg;
    mca_coll_mtree_module_t *module = agreement->module;
    const char *text = NULL;
    mtree_forecast_t forecast = mtree_forecast_of(MTREE_FORECAST_SLOWER);

    if (said != NULL) {
        module->network = coll_mtree_planning_context_learn(agreement->comm, said);
    }
    if (module->network != NULL) {
        agreement->version = coll_mtree_planning_context_version(module->network);
        text = coll_mtree_planning_context_plan(
            module->network, agreement->comm, &agreement->kind,
            coll_mtree_hints_max_trees(module, agreement->comm), &forecast);
    }
    coll_mtree_exchange_answer(
        talk,
        module->network == NULL ? 0
                                : coll_mtree_planning_context_num_hosts(module->network),
        module->network == NULL ? NULL
                                : coll_mtree_planning_context_hosts(module->network),
        text, forecast);
}

/* Rank 0's line of the communicator, once. */
static void agreement_say(const coll_mtree_plan_entry_t *agreement)
{
    mca_coll_mtree_module_t *module = agreement->module;

    if (module->network != NULL && !module->introduced) {
        module->introduced = true;
        coll_mtree_planning_context_log(module->network, agreement->comm, agreement->plan,
                                        agreement->forecast);
    }
}

/* What came from rank 0, as this rank's own. */
static int agreement_read(coll_mtree_plan_entry_t *agreement,
                          const coll_mtree_answer_t *answer)
{
    mca_coll_mtree_module_t *module = agreement->module;

    if (answer->hosts != NULL && answer->num_hosts > 0) {
        if (mtree_placement_create(ompi_comm_size(agreement->comm), answer->num_hosts,
                                   answer->hosts, answer->localities,
                                   &module->placement) != MTREE_OK) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
        coll_mtree_locality_log(agreement->comm, module->placement);
    }
    agreement->forecast = answer->forecast;
    if (answer->text != NULL &&
        mtree_plan_from_json(answer->text, answer->length, "plan of rank 0",
                             &agreement->plan) != MTREE_OK) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (agreement->plan != NULL) {
        coll_mtree_statistics_planned(module, agreement->comm, &agreement->kind,
                                      agreement->plan);
    }
    if (agreement->kind.bytes >= TELLING_BYTES) {
        agreement_say(agreement);
    }
    return OMPI_SUCCESS;
}

static void agreement_release_comm(coll_mtree_deferred_release_t *retired)
{
    coll_mtree_plan_entry_t *agreement =
        (coll_mtree_plan_entry_t *)((char *)retired -
                                    offsetof(coll_mtree_plan_entry_t, retired));
    ompi_communicator_t *comm = agreement->comm;

    /* With the last one go the module and this agreement, and the macro writes to what it
     * is given. */
    OBJ_RELEASE(comm);
}

/*
 * The talk has ended: let calls begin, and let the next agreement go on.  One that waits
 * holds the communicator, so the next one stays when this one is left alone.
 */
static void agreement_ended(coll_mtree_exchange_t *talk,
                            const coll_mtree_answer_t *answer, void *arg)
{
    coll_mtree_plan_entry_t *agreement = arg;
    mca_coll_mtree_module_t *module = agreement->module;
    coll_mtree_plan_entry_t *next;
    coll_mtree_pursuit_t *waiting;

    (void)talk;
    agreement->status =
        answer->code == OMPI_SUCCESS ? agreement_read(agreement, answer) : answer->code;
    opal_mutex_lock(&module->lock);
    waiting = agreement->waiting;
    next = agreement->next;
    atomic_store(&agreement->settled, true);
    opal_mutex_unlock(&module->lock);
    if (next != NULL) {
        coll_mtree_exchange_open(next->talk);
    }
    coll_mtree_pursuit_settle(&agreement->pursuit, agreement->plan, agreement->version);
    while (waiting != NULL) {
        coll_mtree_pursuit_t *following = waiting->next;

        coll_mtree_pursuit_settle(waiting, agreement->plan, agreement->version);
        waiting = following;
    }
    /* From here on another thread may take the module away. */
    coll_mtree_deferred_release_add(&agreement->retired);
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

static coll_mtree_plan_entry_t *agreement_create(mca_coll_mtree_module_t *module,
                                                 ompi_communicator_t *comm,
                                                 const coll_mtree_call_class_t *kind)
{
    coll_mtree_plan_entry_t *agreement = calloc(1, sizeof(*agreement));

    if (agreement == NULL) {
        return NULL;
    }
    agreement->module = module;
    agreement->comm = comm;
    agreement->retired.release = agreement_release_comm;
    agreement->kind = *kind;
    atomic_init(&agreement->settled, false);
    coll_mtree_pursuit_init(&agreement->pursuit, module, comm, kind, false);
    agreement->pursuit.retain = pursuit_retain;
    agreement->pursuit.release = pursuit_release;
    OBJ_RETAIN(comm);
    agreement->talk = coll_mtree_exchange_start(
        module, comm, coll_mtree_tags_reserve(module, COLL_MTREE_EXCHANGE_TAGS, false),
        module->agreements == NULL, agreement_decide, agreement_ended, agreement);
    if (agreement->talk == NULL) {
        OBJ_RELEASE(comm);
        coll_mtree_pursuit_cleanup(&agreement->pursuit);
        free(agreement);
        return NULL;
    }
    return agreement;
}

coll_mtree_plan_entry_t *coll_mtree_plan_entry_get(mca_coll_mtree_module_t *module,
                                                   ompi_communicator_t *comm,
                                                   const coll_mtree_call_class_t *kind)
{
    coll_mtree_plan_entry_t *agreement = agreement_find(module, kind);
    coll_mtree_plan_entry_t *previous;
    bool open;

    if (agreement != NULL) {
        return agreement;
    }
    agreement = agreement_create(module, comm, kind);
    if (agreement == NULL) {
        return NULL;
    }
    opal_mutex_lock(&module->lock);
    previous = module->last_agreement;
    open = previous == NULL || atomic_load(&previous->settled);
    if (previous == NULL) {
        module->agreements = agreement;
    } else {
        previous->next = agreement;
    }
    module->last_agreement = agreement;
    opal_mutex_unlock(&module->lock);
    if (open) {
        coll_mtree_exchange_open(agreement->talk);
    }
    return agreement;
}

coll_mtree_pursuit_t *coll_mtree_plan_entry_pursuit(coll_mtree_plan_entry_t *agreement)
{
    return &agreement->pursuit;
}

void coll_mtree_plan_entry_settle(coll_mtree_plan_entry_t *agreement,
                                  coll_mtree_pursuit_t *pursuit)
{
    bool settled;

    opal_mutex_lock(&agreement->module->lock);
    settled = atomic_load(&agreement->settled);
    if (!settled) {
        pursuit->next = agreement->waiting;
        agreement->waiting = pursuit;
    }
    opal_mutex_unlock(&agreement->module->lock);
    if (settled) {
        coll_mtree_pursuit_settle(pursuit, agreement->plan, agreement->version);
    }
}

int coll_mtree_plan_entry_wait(coll_mtree_plan_entry_t *agreement)
{
    while (!atomic_load(&agreement->settled)) {
        opal_progress();
    }
    if (agreement->status != OMPI_SUCCESS) {
        return agreement->status;
    }
    /* Otherwise coll_mtree_plan_entry_backend() has decided. */
    return agreement->known ? OMPI_SUCCESS : agreement_know(agreement);
}

bool coll_mtree_plan_entry_is_by_arrival(const coll_mtree_plan_entry_t *agreement)
{
    return agreement->kind.by_arrival;
}

int coll_mtree_plan_entry_plan(coll_mtree_plan_entry_t *agreement,
                               const coll_mtree_pursuit_t *pursuit, bool ring,
                               const mtree_plan_t **plan_p,
                               const mtree_placement_t **placement_p)
{
    mca_coll_mtree_module_t *module = agreement->module;
    mtree_status_t status = MTREE_OK;

    if (agreement->status != OMPI_SUCCESS || pursuit->status != OMPI_SUCCESS) {
        return agreement->status != OMPI_SUCCESS ? agreement->status : pursuit->status;
    }
    if (agreement->plan != NULL) {
        *plan_p = ring ? agreement->ring : pursuit->plan;
        *placement_p = module->placement;
        return OMPI_SUCCESS;
    }
    opal_mutex_lock(&module->lock);
    if (module->plain_plan == NULL) {
        status =
            coll_mtree_default_plan_create(ompi_comm_size(agreement->comm),
                                           &module->plain_plan, &module->plain_placement);
    }
    opal_mutex_unlock(&module->lock);
    *plan_p = module->plain_plan;
    *placement_p = module->plain_placement;
    return status == MTREE_OK ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

void coll_mtree_plan_entry_note(coll_mtree_plan_entry_t *agreement,
                                const coll_mtree_request_t *run)
{
    if (agreement->plan == NULL || run->ring) {
        return;
    }
    /* The first call opens connections and finds their windows small. */
    coll_mtree_follow_note(agreement->module, run, &agreement->kind,
                           agreement->pursuit.plan, agreement->warm);
    agreement->warm = true;
}

void coll_mtree_plan_entries_renew(mca_coll_mtree_module_t *module, bool same_trees)
{
    coll_mtree_plan_entry_t *agreement = module->agreements;

    for (; agreement != NULL; agreement = agreement->next) {
        agreement->stale = true;
        agreement->outdated = agreement->outdated || !same_trees;
    }
}

void coll_mtree_plan_entries_destroy(mca_coll_mtree_module_t *module)
{
    if (module->last_agreement != NULL) {
        agreement_say(module->last_agreement);
    }
    while (module->agreements != NULL) {
        coll_mtree_plan_entry_t *agreement = module->agreements;

        module->agreements = agreement->next;
        coll_mtree_pursuit_cleanup(&agreement->pursuit);
        mtree_plan_destroy(agreement->plan);
        mtree_plan_destroy(agreement->ring);
        free(agreement);
    }
    mtree_placement_destroy(module->placement);
    mtree_plan_destroy(module->plain_plan);
    mtree_placement_destroy(module->plain_placement);
}

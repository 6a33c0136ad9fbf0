/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/arrival_skew.h"

#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/hints.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/call/plan_entry.h"

#include "base/clock.h"
#include "base/units.h"
#include "planner/plan/json.h"
#include "schedule/arrival/arrival.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Ranks that come closer together than this part of what the trees take come together. */
#define LEAST_SPREAD 0.1

/* The simulator takes some ten milliseconds a call up to so many hosts, in so many
 * chunks. */
#define MOST_HOSTS  64
#define MOST_CHUNKS 128
#define LEAST_CHUNK 16384

/* What was simulated is taken for so many calls whose ranks come about as far apart. */
#define MOST_REUSED 8
#define ABOUT       1.5

/* Rank 0 simulates in the midst of a call, which waits for it: it takes at most this part
 * of the time.  Meanwhile what cannot be told from the last time is left open. */
#define SIMULATING 0.02

/* When it may again, by mtree_clock_seconds(), for whatever communicator and kind. */
static _Atomic double simulate_from;

/* Calls of one kind. */
struct coll_mtree_arrival_skew {
    coll_mtree_call_class_t call_class; /* not by arrival */
    bool by_arrival;                    /* as agreed by all ranks */
    /* On rank 0. */
    mtree_arrival_choice_t choice;
    double spread; /* seconds, of the call that was simulated last; 0: none was */
    int reused;
    mtree_outcome_t trees, arrival; /* what it gave */
};

/* A call that is to be judged. */
typedef struct {
    const mtree_topology_t *topology;
    const int *vertices;
    int num_hosts;
    const coll_mtree_call_class_t *call_class;
    int root; /* host; -1: none */
    const mtree_plan_t *trees, *arrival;
    const double *arrivals; /* [num_hosts] seconds */
} call_t;

coll_mtree_arrival_skew_t *
coll_mtree_arrival_skew_get(mca_coll_mtree_module_t *module,
                            const coll_mtree_call_class_t *call_class)
{
    coll_mtree_call_class_t over_trees = *call_class;
    coll_mtree_comm_class_t *comm_class;

    over_trees.by_arrival = false;
    comm_class = coll_mtree_comm_class_get(module, &over_trees);
    if (comm_class == NULL || comm_class->skew != NULL) {
        return comm_class == NULL ? NULL : comm_class->skew;
    }
    comm_class->skew = calloc(1, sizeof(*comm_class->skew));
    if (comm_class->skew != NULL) {
        comm_class->skew->call_class = over_trees;
        mtree_arrival_choice_init(&comm_class->skew->choice);
    }
    return comm_class->skew;
}

void coll_mtree_arrival_skew_destroy(coll_mtree_arrival_skew_t *skew)
{
    free(skew);
}

bool coll_mtree_arrival_skew_is_by_arrival(const coll_mtree_arrival_skew_t *skew)
{
    return skew != NULL && skew->by_arrival;
}

void coll_mtree_arrival_skew_switch(coll_mtree_arrival_skew_t *skew, bool by_arrival)
{
    skew->by_arrival = by_arrival;
}

/* By arrival each is one edge away from the coordinator, who may have left with a copy
 * for those that had not come: at the earliest they come now. */
static void tell_by_arrival(const coll_mtree_request_t *req, mtree_arrival_time_t *entry)
{
    int self = ompi_comm_rank(req->comm), ranks = ompi_comm_size(req->comm);
    double now = mtree_clock_seconds() - req->began;
    int coordinator = 0;

    while (coordinator < ranks - 1 &&
           (req->came[coordinator] < 0 || req->came[coordinator] > 0)) {
        coordinator++;
    }
    mtree_arrival_time_init(entry, self, req->came[self] < 0 ? coordinator : self, 0);
    for (int rank = 0; rank < ranks; rank++) {
        if (rank != self && req->came[self] >= 0) {
            mtree_arrival_time_add(entry, rank,
                                   req->came[rank] < 0 ? now : req->came[rank]);
        }
    }
}

void coll_mtree_arrival_skew_record(const coll_mtree_request_t *req,
                                    mtree_arrival_time_t *entry_p)
{
    int self = ompi_comm_rank(req->comm);
    const mtree_stream_t *stream;
    double met;

    mtree_arrival_time_init(entry_p, self, -1, 0);
    if (req->came != NULL) {
        tell_by_arrival(req, entry_p);
        return;
    }
    if (req->goodput == NULL || req->layout->num_streams == 0) {
        return;
    }
    stream = &req->layout->streams[0];
    met = mtree_goodput_had_contact(req->goodput, stream->parent);
    if (stream->parent < 0) {
        mtree_arrival_time_init(entry_p, self, self, 0);
    } else if (met >= 0) {
        mtree_arrival_time_init(entry_p, self, stream->parent, met);
    }
    for (int i = 0; i < stream->num_children; i++) {
        met = mtree_goodput_had_contact(req->goodput, stream->children[i]);
        if (met >= 0) {
            mtree_arrival_time_add(entry_p, stream->children[i], met);
        }
    }
}

/* May the user's choices be overruled for @a call_class at all? */
static bool may_change(const coll_mtree_call_class_t *call_class)
{
    const coll_mtree_params_t *c = &coll_mtree_params;

    return mtree_arrival_serves(call_class->collective) &&
           (call_class->collective == MTREE_BCAST || !c->deterministic) &&
           call_class->algorithm == NULL &&
           coll_mtree_algorithm_of(call_class->collective) == NULL &&
           (c->plan == NULL || c->plan[0] == '\0');
}

/* Seconds that a chunk takes from each rank's neighbour, see mtree_arrival_times_solve().
 */
static void fill_latencies(const mtree_plan_t *plan, const int *host, int ranks,
                           const mtree_arrival_time_t *entries, double *latency)
{
    double sign = mtree_collective_reduces(plan->collective) ? -1 : 1;

    for (int rank = 0; rank < ranks; rank++) {
        int toward = entries[rank].toward;

        latency[rank] = toward < 0 || toward >= ranks || host[toward] == host[rank] ||
                                mtree_plan_is_by_arrival(plan)
                            ? 0
                            : sign * plan->trees[0].latency[host[rank]];
    }
}

/* When each host's last rank came; false: that cannot be told. */
static bool find_arrivals(const mtree_plan_t *plan, const int *host, int ranks,
                          const mtree_arrival_time_t *entries, double *arrivals_p)
{
    double *seconds = calloc(2 * (size_t)ranks, sizeof(*seconds));
    double *latency = seconds + ranks;
    bool rank_sample = false;

    if (seconds == NULL) {
        return false;
    }
    fill_latencies(plan, host, ranks, entries, latency);
    rank_sample = mtree_arrival_times_solve(entries, ranks, latency, seconds);
    for (int rank = 0; rank < ranks && rank_sample; rank++) {
        arrivals_p[host[rank]] = fmax(arrivals_p[host[rank]], seconds[rank]);
    }
    free(seconds);
    return rank_sample;
}

/* How far apart they come; those before the root of a broadcast come with it. */
static double find_spread(const call_t *call)
{
    double first = INFINITY, last = 0;

    for (int h = 0; h < call->num_hosts; h++) {
        double came = call->arrivals[h];

        if (call->call_class->collective == MTREE_BCAST) {
            came = fmax(came, call->arrivals[call->root]);
        }
        first = fmin(first, came);
        last = fmax(last, came);
    }
    return last - first;
}

/* @a plan as it is with the hosts coming as in @a arrivals (NULL: together). */
static bool simulate(const call_t *call, const mtree_plan_t *plan, const double *arrivals,
                     mtree_outcome_t *outcome_p)
{
    mtree_simulate_options_t options;
    mtree_simulate_result_t result;

    mtree_simulate_default_options(&options);
    options.bytes = (size_t)call->call_class->bytes;
    options.root = call->root < 0 ? 0 : call->root;
    options.chunk_bytes = options.bytes / MOST_CHUNKS;
    options.chunk_bytes =
        options.chunk_bytes < LEAST_CHUNK ? LEAST_CHUNK : options.chunk_bytes;
    options.arrivals = arrivals;
    if (mtree_simulate_plan(call->topology, call->vertices, call->num_hosts, plan,
                            call->call_class->collective, &options,
                            &result) != MTREE_OK) {
        return false;
    }
    *outcome_p = (mtree_outcome_t){0, result.seconds};
    for (int h = 0; h < call->num_hosts; h++) {
        outcome_p->stay +=
            (result.left[h] - (arrivals == NULL ? 0 : arrivals[h])) / call->num_hosts;
    }
    mtree_simulate_result_clear(&result);
    return true;
}

/*
 * What the ranks would see over @a plan, which takes @a seconds where they come together:
 * the planner, whose word that is, knows nothing of arrivals, so the simulator tells what
 * they add.
 */
static bool foresee(const call_t *call, const mtree_plan_t *plan, double seconds,
                    mtree_outcome_t *outcome_p)
{
    mtree_outcome_t together, apart;

    if (!simulate(call, plan, NULL, &together) ||
        !simulate(call, plan, call->arrivals, &apart)) {
        return false;
    }
    outcome_p->stay = fmax(seconds + apart.stay - together.stay, 0.01 * seconds);
    outcome_p->end = seconds + apart.end - together.end;
    return true;
}

/* One line for what was heard at level 20, for what follows at level 2. */
static void say_heard(ompi_communicator_t *comm, const coll_mtree_arrival_skew_t *skew,
                      double spread, bool trials)
{
    char size[32], apart[32], trees[32], arrival[32];

    mtree_units_format_size(skew->call_class.bytes, size, sizeof(size));
    mtree_units_format_time(spread, apart, sizeof(apart));
    mtree_units_format_time(skew->trees.stay, trees, sizeof(trees));
    mtree_units_format_time(skew->arrival.stay, arrival, sizeof(arrival));
    coll_mtree_verbose(
        comm, trials ? 2 : 20,
        "%s of about %s: ranks come %s apart, each would take %s over trees "
        "and %s by arrival%s%s",
        mtree_collective_name(skew->call_class.collective), size, apart, trees, arrival,
        trials ? "; from here on " : "",
        !trials                   ? ""
        : skew->choice.by_arrival ? "by arrival"
                                  : "over trees");
}

/* Does what was simulated last not tell of calls whose ranks come @a spread apart? */
static bool is_new(coll_mtree_arrival_skew_t *skew, double spread)
{
    return skew->spread <= 0 || ++skew->reused >= MOST_REUSED ||
           spread > ABOUT * skew->spread || spread * ABOUT < skew->spread;
}

/* Find the outcomes of @a call; false: they cannot be told, or not now. */
static bool skew_simulate(coll_mtree_arrival_skew_t *skew, const call_t *call,
                          double spread, double seconds)
{
    double begun = mtree_clock_seconds(), ended;
    double chain = fmax(
        mtree_forecast_promised_seconds(call->arrival, call->call_class->bytes), seconds);
    bool rank_sample;

    if (begun < atomic_load(&simulate_from)) {
        return false;
    }
    rank_sample = foresee(call, call->trees, seconds, &skew->trees) &&
                  foresee(call, call->arrival, chain, &skew->arrival);
    ended = mtree_clock_seconds();
    atomic_store(&simulate_from, ended + (ended - begun) / SIMULATING);
    skew->spread = rank_sample ? spread : 0;
    skew->reused = 0;
    return rank_sample;
}

/* The entries of @a call speak for one or the other, or, where it cannot be simulated,
 * for nothing. */
static void skew_judge(coll_mtree_arrival_skew_t *skew, ompi_communicator_t *comm,
                       const call_t *call)
{
    double spread = find_spread(call);
    double seconds =
        mtree_forecast_promised_seconds(call->trees, call->call_class->bytes);
    bool before = skew->choice.by_arrival;

    if (spread < LEAST_SPREAD * seconds) {
        skew->trees = skew->arrival = (mtree_outcome_t){seconds, seconds};
        skew->spread = 0;
    } else if (is_new(skew, spread) && !skew_simulate(skew, call, spread, seconds)) {
        return;
    }
    say_heard(comm, skew, spread,
              mtree_arrival_choice_update(&skew->choice, &skew->trees, &skew->arrival) !=
                  before);
}

/* The plan by arrival for @a call; NULL: there is none. */
static mtree_plan_t *plan_by_arrival(const call_t *call)
{
    mtree_plan_request_t request = {.collective = call->call_class->collective,
                                    .algorithm = MTREE_PLAN_ARRIVAL,
                                    .root = call->root < 0 ? 0 : call->root,
                                    .max_trees = 1,
                                    .bytes = call->call_class->bytes};
    mtree_plan_t *plan;

    return mtree_planner_run(call->topology, call->vertices, call->num_hosts, &request,
                             &plan) == MTREE_OK
               ? plan
               : NULL;
}

/* The plan over trees for calls of @a call_class, which was made before; NULL: there is
 * none.
 */
static mtree_plan_t *plan_trees(mca_coll_mtree_module_t *module,
                                ompi_communicator_t *comm,
                                const coll_mtree_call_class_t *call_class)
{
    mtree_forecast_t forecast;
    const char *text = coll_mtree_planning_context_plan(
        module->context, comm, call_class, coll_mtree_hints_max_trees(module, comm),
        &forecast);
    mtree_plan_t *plan;

    return text != NULL && mtree_plan_from_json(text, strlen(text), "plan of rank 0",
                                                &plan) == MTREE_OK
               ? plan
               : NULL;
}

bool coll_mtree_arrival_skew_update(coll_mtree_arrival_skew_t *skew,
                                    mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm, const mtree_plan_t *plan,
                                    const mtree_arrival_time_t *entries)
{
    const coll_mtree_planning_context_t *context = module->context;
    const coll_mtree_call_class_t *call_class = &skew->call_class;
    const int *host = coll_mtree_planning_context_hosts(context);
    call_t call = {.call_class = call_class,
                   .num_hosts = coll_mtree_planning_context_num_hosts(context)};
    double *arrivals = calloc((size_t)call.num_hosts, sizeof(*arrivals));
    bool by_arrival = mtree_plan_is_by_arrival(plan);
    mtree_plan_t *other = NULL;
    const char *origin;

    call.topology =
        coll_mtree_planning_context_topology(context, &call.vertices, &origin);
    call.root = call_class->root < 0 ? -1 : host[call_class->root];
    call.arrivals = arrivals;
    if (arrivals != NULL && call.num_hosts <= MOST_HOSTS && may_change(call_class) &&
        find_arrivals(plan, host, ompi_comm_size(comm), entries, arrivals)) {
        other =
            by_arrival ? plan_trees(module, comm, call_class) : plan_by_arrival(&call);
    }
    if (other != NULL) {
        call.trees = by_arrival ? other : plan;
        call.arrival = by_arrival ? plan : other;
        skew_judge(skew, comm, &call);
    }
    mtree_plan_destroy(other);
    free(arrivals);
    return skew->choice.by_arrival;
}

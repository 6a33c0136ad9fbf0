/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/arrival_skew.h"

#include "coll_mtree/adapt/arrival_judge.h"
#include "coll_mtree/adapt/arrival_sample.h"
#include "coll_mtree/base/algorithm_param.h"
#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"

#include "base/clock.h"
#include "base/units.h"
#include "schedule/arrival/arrival.h"

#include <stdatomic.h>
#include <stdlib.h>

/* A call waits while rank 0 simulates: that is at most this part of the time. */
#define SIMULATING 0.02

/* Clock from which rank 0 may simulate again, for whatever communicator and class. */
static _Atomic double simulate_from;

struct coll_mtree_arrival_skew {
    coll_mtree_call_class_t call_class; /* over trees */
    bool by_arrival;                    /* the same on all ranks */
    coll_mtree_arrival_judge_t judge;   /* on rank 0 */
};

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
        coll_mtree_arrival_judge_init(&comm_class->skew->judge);
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

/* Does the user leave the order of such calls to mtree? */
static bool may_change(const coll_mtree_call_class_t *call_class)
{
    const coll_mtree_params_t *params = &coll_mtree_params;

    return mtree_arrival_serves(call_class->collective) && !coll_mtree_params_encrypt() &&
           (call_class->collective == MTREE_BCAST || !params->deterministic) &&
           call_class->algorithm == NULL &&
           coll_mtree_algorithm_of(call_class->collective) == NULL &&
           (params->plan == NULL || params->plan[0] == '\0');
}

/* A line per judged call at level 20, per change at level 2. */
static void log_judgement(ompi_communicator_t *comm,
                          const coll_mtree_arrival_skew_t *skew, double spread,
                          bool changes)
{
    const coll_mtree_arrival_judge_t *judge = &skew->judge;
    const coll_mtree_call_class_t *call_class = &skew->call_class;
    char size[32], apart[32], trees[32], arrival[32];

    mtree_units_format_size(call_class->bytes, size, sizeof(size));
    mtree_units_format_time(spread, apart, sizeof(apart));
    mtree_units_format_time(judge->trees.stay, trees, sizeof(trees));
    mtree_units_format_time(judge->arrival.stay, arrival, sizeof(arrival));
    coll_mtree_verbose(
        comm, changes ? 2 : 20,
        "%s of about %s: ranks come %s apart, each would take %s over trees "
        "and %s by arrival%s%s",
        mtree_collective_name(call_class->collective), size, apart, trees, arrival,
        changes ? "; from here on " : "",
        !changes                   ? ""
        : judge->choice.by_arrival ? "by arrival"
                                   : "over trees");
}

/* Simulate, unless the last simulation was just now.  False: the call is not judged. */
static bool skew_simulate(coll_mtree_arrival_judge_t *judge,
                          const coll_mtree_arrival_call_t *call, double spread)
{
    double begun = mtree_clock_seconds(), ended;
    bool simulated;

    if (begun < atomic_load(&simulate_from)) {
        return false;
    }
    simulated = coll_mtree_arrival_judge_simulate(judge, call, spread);
    ended = mtree_clock_seconds();
    atomic_store(&simulate_from, ended + (ended - begun) / SIMULATING);
    return simulated;
}

static void skew_judge(coll_mtree_arrival_skew_t *skew, ompi_communicator_t *comm,
                       const coll_mtree_arrival_call_t *call)
{
    coll_mtree_arrival_judge_t *judge = &skew->judge;
    bool is_bcast = call->call_class->collective == MTREE_BCAST;
    double spread = coll_mtree_arrival_sample_spread(
        call->arrivals, call->hosts->num_hosts, is_bcast ? call->root : -1);
    double seconds =
        mtree_forecast_promised_seconds(call->trees, call->call_class->bytes);

    switch (coll_mtree_arrival_judge_ground(judge, spread, seconds)) {
    case COLL_MTREE_ARRIVAL_TOGETHER:
        coll_mtree_arrival_judge_together(judge, seconds);
        break;
    case COLL_MTREE_ARRIVAL_SIMULATE:
        if (!skew_simulate(judge, call, spread)) {
            return;
        }
        break;
    case COLL_MTREE_ARRIVAL_REUSE:
        break;
    }
    log_judgement(comm, skew, spread, coll_mtree_arrival_judge_decide(judge));
}

/* The arrival-ordered plan for @a call; NULL: there is none. */
static mtree_plan_t *plan_by_arrival(const coll_mtree_arrival_call_t *call)
{
    mtree_plan_request_t request = {.collective = call->call_class->collective,
                                    .algorithm = MTREE_PLAN_ARRIVAL,
                                    .root = call->root < 0 ? 0 : call->root,
                                    .max_trees = 1,
                                    .bytes = call->call_class->bytes};
    mtree_plan_t *plan;

    return mtree_planner_run(call->hosts->topology, call->hosts->vertices,
                             call->hosts->num_hosts, &request, &plan) == MTREE_OK
               ? plan
               : NULL;
}

/* The plan that calls have in the order other than that of @a plan; NULL: none. */
static mtree_plan_t *plan_of_other_order(const coll_mtree_arrival_call_t *call,
                                         mca_coll_mtree_module_t *module,
                                         ompi_communicator_t *comm,
                                         const mtree_plan_t *plan, int max_trees)
{
    return mtree_plan_is_by_arrival(plan)
               ? coll_mtree_planning_context_plan(module->context, comm, call->call_class,
                                                  max_trees)
                     .plan
               : plan_by_arrival(call);
}

bool coll_mtree_arrival_skew_update(coll_mtree_arrival_skew_t *skew,
                                    mca_coll_mtree_module_t *module,
                                    ompi_communicator_t *comm, const mtree_plan_t *plan,
                                    int max_trees, const mtree_arrival_time_t *samples)
{
    const int *host = coll_mtree_planning_context_host_of(module->context);
    coll_mtree_arrival_call_t call = {
        .hosts = coll_mtree_planning_context_hosts(module->context),
        .call_class = &skew->call_class};
    double *arrivals = calloc((size_t)call.hosts->num_hosts, sizeof(*arrivals));
    mtree_plan_t *other = NULL;

    call.root = call.call_class->root < 0 ? -1 : host[call.call_class->root];
    call.arrivals = arrivals;
    if (arrivals != NULL && call.hosts->num_hosts <= COLL_MTREE_ARRIVAL_MOST_HOSTS &&
        may_change(call.call_class) &&
        coll_mtree_arrival_sample_solve(plan, host, ompi_comm_size(comm), samples,
                                        arrivals)) {
        other = plan_of_other_order(&call, module, comm, plan, max_trees);
    }
    if (other != NULL) {
        call.trees = mtree_plan_is_by_arrival(plan) ? other : plan;
        call.arrival = mtree_plan_is_by_arrival(plan) ? plan : other;
        skew_judge(skew, comm, &call);
    }
    mtree_plan_destroy(other);
    free(arrivals);
    return skew->judge.choice.by_arrival;
}

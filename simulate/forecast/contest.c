/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/forecast/contest.h"

#include "planner/plan/finish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Throughputs, which are exact, are equal if they differ by less. */
#define CLOSE_THROUGHPUT 1e-6

/* Loads that differ by less are equal. */
#define CLOSE_LOAD 0.01

/* Units of work (simulate/forecast/prediction.h) that the simulations of plans that need
 * no search may take, and the same again of all others; and the part of these that one
 * simulation may. */
#define WORK_PER_HOST 2000.0
#define LEAST_WORK    6e4
#define MOST_WORK     1.5e5
#define ONE_PART      0.7

/* A plan whose estimate, which knows nothing of processors, is so many times what the
 * fastest takes is not simulated.  Estimates know nothing of bursts either, which may
 * save what they last at each hop, up and down. */
#define MOST_OFF 1.2

/*
 * What gateways may be predicted to take, in the time of others.  Of many connections
 * over a link each sends too little to learn of a loss before TCP's timeout, which the
 * simulator does not know (notes/performance.md).
 */
#define GATEWAYS_COST 1.02

/*
 * What a robust packing may be predicted to take, in the time of others, half of which
 * MTREE_PREDICTION_CLOSE is: that much for equal blocks is worth what it gains where a
 * host sends far more than others.
 */
#define ROBUST_COST 1.07

/* How many times as fast as others a plan in lockstep has to be: as its ranks wait for
 * each other, its calls show no rates, and it does not follow a link that gets slower. */
#define STEPS_GAIN 1.04

#define MUCH_SLOWER  "its estimate is much slower than the fastest"
#define NOTHING_LEFT "no work is left to simulate it, or it takes too much"

void mtree_contest_begin(mtree_contest_t *contest)
{
    const mtree_topology_t *topology = contest->on.topology;

    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        contest->burst = fmax(contest->burst, mtree_arc_burst(topology, arc));
    }
    contest->share =
        fmin(fmax(LEAST_WORK, WORK_PER_HOST * contest->on.num_hosts), MOST_WORK);
    contest->left = contest->share;
}

void mtree_contest_begin_second_half(mtree_contest_t *contest)
{
    contest->left += contest->share;
}

int mtree_contest_best_of(const mtree_contender_t *contenders, int count, double close)
{
    double fastest = INFINITY, least = INFINITY;
    int best = -1;

    for (int c = 0; c < count; c++) {
        fastest = fmin(fastest, contenders[c].seconds);
    }
    for (int c = 0; c < count; c++) {
        if (contenders[c].seconds <= fastest * (1.0 + close)) {
            least = fmin(least, contenders[c].load);
        }
    }
    for (int c = 0; c < count; c++) {
        if (contenders[c].seconds <= fastest * (1.0 + close) &&
            contenders[c].load <= least * (1.0 + CLOSE_LOAD) &&
            (best < 0 || contenders[c].height <= contenders[best].height)) {
            best = c;
        }
    }
    return best < 0 ? 0 : best;
}

/* What the plan of @a entrant may take, in the time of others. */
static double allowance(const mtree_entrant_t *entrant)
{
    const char *algorithm = entrant->plan->algorithm;

    if (entrant->load.sends_whole) {
        return 1.0 / MTREE_PREDICTION_WHOLE;
    }
    if (mtree_plan_num_steps(entrant->plan) > 0) {
        return 1.0 / STEPS_GAIN;
    }
    if (strcmp(algorithm, "gateways") == 0) {
        return GATEWAYS_COST;
    }
    return strcmp(algorithm, MTREE_PLAN_ROBUST) == 0 ? ROBUST_COST : 1.0;
}

/* Seconds of @a entrant, which has a plan, as it is compared with others. */
static double compared_seconds(const mtree_entrant_t *entrant)
{
    return entrant->facts.seconds / allowance(entrant);
}

/* Seconds that a plan takes which is not simulated: of a short call what processors do
 * comes on top, of a long one it may be what takes longest. */
static double estimate(const mtree_entrant_t *entrant)
{
    const mtree_plan_t *plan = entrant->plan;

    if (plan->bytes <= 0.0) {
        return 1.0 / plan->throughput;
    }
    return plan->bytes <= MTREE_PREDICTION_SHORT
               ? plan->seconds + entrant->load.busiest
               : fmax(plan->seconds, entrant->load.busiest);
}

void mtree_contest_drop(mtree_entrant_t *entrant, const char *reason)
{
    mtree_plan_destroy(entrant->plan);
    entrant->plan = NULL;
    entrant->facts.reason = reason;
}

/* Keep the bound of @a plan, if it is the least so far. */
static void take_bound(mtree_contest_t *contest, mtree_plan_t *plan)
{
    if (plan->bound > 0.0 && (contest->bound <= 0.0 || plan->bound < contest->bound)) {
        free(contest->limit);
        contest->bound = plan->bound;
        contest->limit = plan->limit;
        plan->limit = NULL;
    }
}

mtree_status_t mtree_contest_enter(mtree_contest_t *contest, const char *algorithm,
                                   int max_trees, const char *reason,
                                   mtree_entrant_t **entrant_p)
{
    const mtree_prediction_t *on = &contest->on;
    mtree_entrant_t *entrant = &contest->entrants[contest->count++];
    mtree_plan_request_t request = *on->request;
    mtree_status_t status;

    *entrant_p = entrant;
    entrant->facts =
        (mtree_candidate_t){.algorithm = algorithm == NULL ? "packing" : algorithm,
                            .max_trees = max_trees,
                            .reason = reason};
    if (reason != NULL) {
        return MTREE_OK;
    }
    request.algorithm = algorithm;
    request.max_trees = max_trees;
    status = mtree_planner_run(on->topology, on->hosts, on->num_hosts, &request,
                               &entrant->plan);
    if (status == MTREE_OK) {
        entrant->load = mtree_prediction_load(on, entrant->plan);
        entrant->facts.seconds = estimate(entrant);
        entrant->facts.num_trees = entrant->plan->num_trees;
        entrant->facts.sends_whole = entrant->load.sends_whole;
        take_bound(contest, entrant->plan);
    }
    return status;
}

mtree_entrant_t *mtree_contest_fastest(mtree_contest_t *contest)
{
    mtree_entrant_t *best = NULL;

    for (int e = 0; e < contest->count; e++) {
        mtree_entrant_t *entrant = &contest->entrants[e];

        if (entrant->plan != NULL && entrant->facts.is_simulated &&
            (best == NULL || compared_seconds(entrant) < compared_seconds(best))) {
            best = entrant;
        }
    }
    return best;
}

double mtree_contest_fastest_seconds(mtree_contest_t *contest)
{
    const mtree_entrant_t *best = mtree_contest_fastest(contest);

    return best == NULL ? INFINITY : compared_seconds(best);
}

mtree_status_t mtree_contest_simulate(mtree_contest_t *contest, mtree_entrant_t *entrant,
                                      bool *done_p)
{
    double work = fmin(ONE_PART * contest->share, contest->left), taken;
    mtree_status_t status =
        mtree_prediction_run(&contest->on, entrant->plan, &entrant->load, work, &taken);

    contest->left -= taken;
    *done_p = taken > 0.0;
    return status;
}

mtree_status_t mtree_contest_judge(mtree_contest_t *contest, mtree_entrant_t *entrant)
{
    mtree_plan_t *plan = entrant->plan;
    mtree_status_t status;

    if (plan->bytes <= 0.0) {
        return MTREE_OK;
    }
    if (plan->seconds - 2 * mtree_plan_height(plan) * contest->burst >
        MOST_OFF * allowance(entrant) * mtree_contest_fastest_seconds(contest)) {
        mtree_contest_drop(entrant, MUCH_SLOWER);
        return MTREE_OK;
    }
    status = mtree_contest_simulate(contest, entrant, &entrant->facts.is_simulated);
    if (entrant->facts.is_simulated) {
        entrant->facts.seconds = plan->seconds;
    } else {
        entrant->facts.reason = NOTHING_LEFT;
        plan->seconds = entrant->facts.seconds;
    }
    return status;
}

mtree_entrant_t *mtree_contest_best(mtree_contest_t *contest)
{
    mtree_contender_t contenders[MTREE_CHOICE_MOST];
    mtree_entrant_t *entrants[MTREE_CHOICE_MOST];
    int count = 0;

    for (int e = 0; e < contest->count; e++) {
        mtree_entrant_t *entrant = &contest->entrants[e];

        if (entrant->plan != NULL) {
            entrants[count] = entrant;
            contenders[count++] =
                (mtree_contender_t){.seconds = compared_seconds(entrant),
                                    .load = entrant->load.squares,
                                    .height = mtree_plan_height(entrant->plan)};
        }
    }
    return entrants[mtree_contest_best_of(
        contenders, count,
        contest->on.request->bytes > 0.0 ? MTREE_PREDICTION_CLOSE : CLOSE_THROUGHPUT)];
}

void mtree_contest_clear(mtree_contest_t *contest)
{
    for (int e = 0; e < contest->count; e++) {
        mtree_plan_destroy(contest->entrants[e].plan);
    }
    free(contest->limit);
}

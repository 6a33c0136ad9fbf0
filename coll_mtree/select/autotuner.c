/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/autotuner.h"

#include "base/median.h"

#include <math.h>
#include <string.h>

/* Rounds after which a trial may end, and the seconds spent from which on it does. */
#define LEAST_ROUNDS   3
#define ENOUGH_SECONDS 0.1

/* A candidate leaves the trial that takes SLOWER times as long as the fastest after
 * LEAST_ROUNDS, or CLEAR_SLOWER times after CLEAR_ROUNDS. */
#define SLOWER       1.5
#define CLEAR_ROUNDS 5
#define CLEAR_SLOWER 1.2

/*
 * The longer a call is, the less disturbs it, and the more a slower one costs.  So fewer
 * rounds are enough, and slower candidates leave earlier: after the warm-up (COLD), which
 * shows little of calls that are not long, or after any round.  Each factor is of the
 * fastest one's time.
 */
#define MIDDLE_SECONDS    0.02
#define LONG_SECONDS      0.1
#define VERY_LONG_SECONDS 1.0
#define COLD_SLOWER       3.0
#define MIDDLE_SLOWER     1.5
#define LONG_COLD_SLOWER  1.5
#define LONG_SLOWER       1.2
#define MIDDLE_ROUNDS     2
#define LONG_ROUNDS       1

/* An untimed call precedes each timed one below this. */
#define SHORT_SECONDS 0.01

/* Shorter messages have no parts worth sending around a ring. */
#define SHORTEST_RING_BYTES 4096

/* The first candidate from @a candidate on that is in the trial; num_candidates: none. */
static int next_candidate(const coll_mtree_autotuner_t *autotuner, int candidate)
{
    while (candidate < autotuner->num_candidates &&
           autotuner->candidates[candidate].out) {
        candidate++;
    }
    return candidate;
}

static void start_trial(coll_mtree_autotuner_t *autotuner)
{
    for (int c = 0; c < autotuner->num_candidates; c++) {
        autotuner->candidates[c].out = false;
    }
    autotuner->trying = true;
    autotuner->trusted = autotuner->trial = 0;
    autotuner->round = autotuner->calls = 0;
    autotuner->settled = false;
    autotuner->spent = autotuner->agreed = 0;
}

static void end_trial(coll_mtree_autotuner_t *autotuner)
{
    autotuner->trying = false;
    autotuner->trials++;
}

static void add_candidate(coll_mtree_autotuner_t *autotuner, coll_mtree_backend_t backend,
                          int base_algorithm)
{
    coll_mtree_candidate_t *candidate =
        &autotuner->candidates[autotuner->num_candidates++];

    candidate->backend = backend;
    candidate->base_algorithm = base_algorithm;
}

/* The backend that is expected to be the fastest comes first. */
static void add_candidates(coll_mtree_autotuner_t *autotuner, mtree_forecast_t forecast,
                           bool ring)
{
    bool trees = forecast.confidence != MTREE_FORECAST_SLOWER;
    bool fallback = forecast.confidence != MTREE_FORECAST_FASTER;

    if (fallback && forecast.confidence >= MTREE_FORECAST_MAYBE_SLOWER) {
        add_candidate(autotuner, COLL_MTREE_FALLBACK, 0);
    }
    if (trees) {
        add_candidate(autotuner, COLL_MTREE_TREES, 0);
    }
    if (ring) {
        add_candidate(autotuner, COLL_MTREE_RING, 0);
    }
    if (fallback && forecast.confidence < MTREE_FORECAST_MAYBE_SLOWER) {
        add_candidate(autotuner, COLL_MTREE_FALLBACK, 0);
    }
    for (int a = 1; a <= MTREE_BASE_ALGORITHMS; a++) {
        if ((forecast.base_algorithms & 1u << a) != 0) {
            add_candidate(autotuner, COLL_MTREE_BASE_ALGORITHM, a);
        }
    }
}

/* Is Open MPI's ring a candidate? */
static bool has_base_ring(mtree_collective_t collective, mtree_forecast_t forecast)
{
    for (int a = 1; a <= MTREE_BASE_ALGORITHMS; a++) {
        const char *name = mtree_base_algorithm_name(collective, a);

        if ((forecast.base_algorithms & 1u << a) != 0 && name != NULL &&
            strcmp(name, "ring") == 0) {
            return true;
        }
    }
    return false;
}

/* mtree's ring is a candidate where messages have parts to send around, from or to all
 * alike, the forecast is open, and Open MPI's ring, which is as fast, is not a candidate.
 */
static bool is_ring_candidate(const coll_mtree_call_class_t *call_class,
                              mtree_forecast_t forecast)
{
    return !mtree_collective_has_root(call_class->collective) &&
           !mtree_collective_is_personalized(call_class->collective) &&
           call_class->bytes >= SHORTEST_RING_BYTES &&
           forecast.confidence != MTREE_FORECAST_FASTER &&
           forecast.confidence != MTREE_FORECAST_SLOWER &&
           !has_base_ring(call_class->collective, forecast);
}

/* Calls that go over trees before the first trial.  Without a forecast of the fallback
 * nothing is known. */
static int trusted_calls(mtree_forecast_t forecast)
{
    return forecast.confidence <= MTREE_FORECAST_MAYBE_FASTER && forecast.fallback > 0
               ? COLL_MTREE_AUTOTUNER_TRUST
               : 0;
}

bool coll_mtree_autotuner_init(coll_mtree_autotuner_t *autotuner,
                               const coll_mtree_call_class_t *call_class,
                               mtree_forecast_t forecast, bool enabled)
{
    bool ring = enabled && is_ring_candidate(call_class, forecast);

    memset(autotuner, 0, sizeof(*autotuner));
    autotuner->call_class = *call_class;
    if (!enabled) {
        forecast.base_algorithms = 0;
    }
    add_candidates(autotuner, forecast, ring);
    autotuner->open = enabled && autotuner->num_candidates > 1;
    if (forecast.confidence == MTREE_FORECAST_SLOWER) {
        autotuner->calls = COLL_MTREE_AUTOTUNER_INTERVAL - COLL_MTREE_AUTOTUNER_DELAY;
    } else if (autotuner->open) {
        start_trial(autotuner);
        autotuner->trusted = trusted_calls(forecast);
    }
    return ring;
}

/* They are the last candidates. */
bool coll_mtree_autotuner_exclude_base_algorithms(coll_mtree_autotuner_t *autotuner)
{
    int kept = autotuner->num_candidates;

    while (kept > 0 &&
           autotuner->candidates[kept - 1].backend == COLL_MTREE_BASE_ALGORITHM) {
        kept--;
    }
    if (kept == autotuner->num_candidates) {
        return false;
    }
    autotuner->num_candidates = kept;
    autotuner->serving = 0;
    autotuner->open = kept > 1;
    start_trial(autotuner);
    return true;
}

bool coll_mtree_autotuner_has(const coll_mtree_autotuner_t *autotuner,
                              coll_mtree_backend_t backend)
{
    int c = 0;

    while (c < autotuner->num_candidates && autotuner->candidates[c].backend != backend) {
        c++;
    }
    return c < autotuner->num_candidates;
}

coll_mtree_backend_t coll_mtree_autotuner_backend(const coll_mtree_autotuner_t *autotuner)
{
    return autotuner->candidates[autotuner->serving].backend;
}

/* Was @a candidate clearly slower than the fastest in the last trial of @a shorter or,
 * where trees were the fastest, in an earlier one? */
static bool was_slower(const coll_mtree_autotuner_t *shorter,
                       const coll_mtree_candidate_t *candidate)
{
    double fastest = shorter->candidates[shorter->serving].typical;
    bool is_cold = shorter->trials == 0 && shorter->round < 2;
    double factor = is_cold ? LONG_COLD_SLOWER : LONG_SLOWER;

    for (int c = 0; c < shorter->num_candidates; c++) {
        const coll_mtree_candidate_t *tried = &shorter->candidates[c];

        if (tried->backend == candidate->backend &&
            tried->base_algorithm == candidate->base_algorithm) {
            return isinf(tried->typical)
                       ? coll_mtree_autotuner_backend(shorter) == COLL_MTREE_TREES
                       : tried->typical > factor * fastest;
        }
    }
    return false;
}

bool coll_mtree_autotuner_learn(coll_mtree_autotuner_t *autotuner,
                                const coll_mtree_autotuner_t *shorter)
{
    double fastest = shorter->candidates[shorter->serving].typical;
    int left = 0;

    if (!autotuner->trying || (shorter->trials == 0 && shorter->round == 0) ||
        fastest < MIDDLE_SECONDS || isinf(fastest)) {
        return false;
    }
    for (int c = 0; c < autotuner->num_candidates; c++) {
        coll_mtree_candidate_t *candidate = &autotuner->candidates[c];

        candidate->out =
            candidate->backend != COLL_MTREE_TREES && was_slower(shorter, candidate);
        candidate->typical = candidate->out ? (double)INFINITY : 0;
        left += !candidate->out;
    }
    autotuner->trial = autotuner->serving = next_candidate(autotuner, 0);
    if (left == 1) {
        end_trial(autotuner);
    }
    return true;
}

static coll_mtree_selection_t selection_of(const coll_mtree_autotuner_t *autotuner,
                                           int candidate, bool timed)
{
    return (coll_mtree_selection_t){.backend = autotuner->candidates[candidate].backend,
                                    .base_algorithm =
                                        autotuner->candidates[candidate].base_algorithm,
                                    .timed = timed};
}

/* Is the call that begins the untimed one that precedes a timed one? */
static bool settles(coll_mtree_autotuner_t *autotuner)
{
    autotuner->settled =
        !autotuner->settled && autotuner->round > 0 &&
        autotuner->candidates[autotuner->serving].typical < SHORT_SECONDS;
    return autotuner->settled;
}

coll_mtree_selection_t coll_mtree_autotuner_select(coll_mtree_autotuner_t *autotuner)
{
    if (!autotuner->open) {
        return selection_of(autotuner, autotuner->serving, false);
    }
    if (!autotuner->trying) {
        autotuner->calls++;
        if (autotuner->calls <= COLL_MTREE_AUTOTUNER_INTERVAL) {
            return selection_of(autotuner, autotuner->serving, false);
        }
        start_trial(autotuner);
    }
    if (autotuner->trusted > 0) {
        autotuner->trusted--;
        return selection_of(autotuner, autotuner->serving, false);
    }
    if (settles(autotuner)) {
        autotuner->calls++;
        return selection_of(autotuner, autotuner->trial, false);
    }
    return selection_of(autotuner, autotuner->trial, true);
}

/* The median of the rounds so far, without the warm-up when there is another round. */
static double typical_seconds(const coll_mtree_autotuner_t *autotuner,
                              const coll_mtree_candidate_t *candidate)
{
    double times[COLL_MTREE_AUTOTUNER_ROUNDS];

    if (autotuner->round == 0) {
        return candidate->time[0];
    }
    memcpy(times, candidate->time + 1, (size_t)autotuner->round * sizeof(*times));
    return mtree_median(times, autotuner->round);
}

/* Candidates that take this many times as long as the @a fastest leave the trial; 0: none
 * does. */
static double slower_factor(const coll_mtree_autotuner_t *autotuner, double fastest)
{
    if (fastest > LONG_SECONDS) {
        return autotuner->round == 0 && fastest <= VERY_LONG_SECONDS ? LONG_COLD_SLOWER
                                                                     : LONG_SLOWER;
    }
    if (fastest > MIDDLE_SECONDS) {
        return autotuner->round == 0   ? COLD_SLOWER
               : autotuner->round == 1 ? MIDDLE_SLOWER
                                       : LONG_SLOWER;
    }
    if (autotuner->round >= CLEAR_ROUNDS) {
        return CLEAR_SLOWER;
    }
    return autotuner->round >= LEAST_ROUNDS ? SLOWER : 0;
}

/* The rounds after which a trial may end. */
static int least_rounds(double fastest)
{
    return fastest > LONG_SECONDS     ? LONG_ROUNDS
           : fastest > MIDDLE_SECONDS ? MIDDLE_ROUNDS
                                      : LEAST_ROUNDS;
}

/* Find the typical times and the fastest candidate, which serves from now on; its time.
 */
static double find_fastest(coll_mtree_autotuner_t *autotuner)
{
    double fastest = INFINITY;

    for (int c = 0; c < autotuner->num_candidates; c++) {
        coll_mtree_candidate_t *candidate = &autotuner->candidates[c];

        if (!candidate->out) {
            candidate->typical = typical_seconds(autotuner, candidate);
        }
        if (candidate->typical < fastest) {
            fastest = candidate->typical;
            autotuner->serving = c;
        }
    }
    return fastest;
}

/* Every candidate of the trial has served a call of the round.  Is the trial over? */
static bool round_ends_trial(coll_mtree_autotuner_t *autotuner)
{
    double fastest = find_fastest(autotuner);
    double factor = slower_factor(autotuner, fastest);
    int left = 0;

    for (int c = 0; c < autotuner->num_candidates; c++) {
        coll_mtree_candidate_t *candidate = &autotuner->candidates[c];

        if (factor > 0 && candidate->typical > factor * fastest) {
            candidate->out = true;
        }
        left += !candidate->out;
    }
    return left <= 1 || autotuner->round == COLL_MTREE_AUTOTUNER_ROUNDS ||
           (autotuner->round >= least_rounds(fastest) &&
            autotuner->spent >= ENOUGH_SECONDS);
}

bool coll_mtree_autotuner_record(coll_mtree_autotuner_t *autotuner, double seconds,
                                 double agreed)
{
    autotuner->agreed = agreed;
    autotuner->candidates[autotuner->trial].time[autotuner->round] = seconds;
    autotuner->spent += autotuner->round > 0 ? seconds : 0;
    autotuner->calls++;
    autotuner->trial = next_candidate(autotuner, autotuner->trial + 1);
    if (autotuner->trial < autotuner->num_candidates) {
        return false;
    }
    if (round_ends_trial(autotuner)) {
        end_trial(autotuner);
        autotuner->measured = autotuner->calls;
        autotuner->calls = 0;
        return true;
    }
    autotuner->round++;
    autotuner->trial = next_candidate(autotuner, 0);
    return false;
}

void coll_mtree_autotuner_times(const coll_mtree_autotuner_t *autotuner,
                                double seconds[COLL_MTREE_BACKENDS])
{
    memset(seconds, 0, COLL_MTREE_BACKENDS * sizeof(*seconds));
    for (int c = 0; c < autotuner->num_candidates; c++) {
        const coll_mtree_candidate_t *candidate = &autotuner->candidates[c];
        double *least = &seconds[candidate->backend];

        if (!isinf(candidate->typical) && (*least <= 0 || candidate->typical < *least)) {
            *least = candidate->typical;
        }
    }
}

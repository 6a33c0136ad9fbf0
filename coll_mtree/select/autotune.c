/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/select/autotune.h"

#include "base/units.h"

#include <stdlib.h>
#include <time.h>

/* Rounds that must be measured before there is a verdict, and the nanoseconds spent that
 * make more of them needless. */
#define LEAST_ROUNDS 3
#define ENOUGH       ((int64_t)100000000)

/* Who is so many times slower than the fastest is out after the least rounds, and after
 * some more of them. */
#define SLOWER       1.5
#define CLEAR_ROUNDS 5
#define CLEAR_SLOWER 1.2

/* The longer a call is (nanoseconds), the less anything disturbs it, and the more one
 * that is slower costs.  Who is so many times slower is out earlier: after the warm-up,
 * which says little of calls that are not long, after one round more, or after any other;
 * and fewer rounds do.
 */
#define MIDDLE           ((int64_t)20000000)
#define LONG             ((int64_t)100000000)
#define VERY_LONG        ((int64_t)1000000000)
#define COLD_SLOWER      3.0
#define MIDDLE_SLOWER    1.5
#define LONG_COLD_SLOWER 1.5
#define LONG_SLOWER      1.2
#define MIDDLE_ROUNDS    2
#define LONG_ROUNDS      1

/* Below this (nanoseconds) a turn is two calls, and the second one is measured. */
#define SHORT ((int64_t)10000000)

/* Networks change: another trial after so many calls. */
#define CALLS_BETWEEN_TRIALS 2000

/* Where Open MPI serves anyway, its other algorithms are tried after so many calls: a job
 * of few pays nothing. */
#define CALLS_BEFORE_BASE_ALGORITHMS 16

/* Shorter messages (bytes) have no parts worth sending around. */
#define SHORTEST_RING 4096

static int64_t nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The first candidate from @a candidate on that is in the trial; their number: none. */
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
    autotuner->trial = 0;
    autotuner->round = autotuner->calls = 0;
    autotuner->settled = false;
    autotuner->spent = autotuner->agreed = 0;
}

/* Must its results not depend on who serves? */
static bool is_fixed(mtree_collective_t collective)
{
    return mca_coll_mtree_component.deterministic && mtree_collective_reduces(collective);
}

static void offer(coll_mtree_autotuner_t *autotuner, coll_mtree_backend_t backend,
                  int base_algorithm)
{
    coll_mtree_candidate_t *candidate =
        &autotuner->candidates[autotuner->num_candidates++];

    candidate->backend = backend;
    candidate->base_algorithm = base_algorithm;
}

/* Whoever is expected to serve goes first. */
static void offer_all(coll_mtree_autotuner_t *autotuner, mtree_forecast_t forecast,
                      bool ring)
{
    bool trees = forecast.confidence != MTREE_FORECAST_SLOWER;
    bool fallback = forecast.confidence != MTREE_FORECAST_FASTER;

    if (fallback && forecast.confidence >= MTREE_FORECAST_MAYBE_SLOWER) {
        offer(autotuner, COLL_MTREE_FALLBACK, 0);
    }
    if (trees) {
        offer(autotuner, COLL_MTREE_TREES, 0);
    }
    if (ring) {
        offer(autotuner, COLL_MTREE_RING, 0);
    }
    if (fallback && forecast.confidence < MTREE_FORECAST_MAYBE_SLOWER) {
        offer(autotuner, COLL_MTREE_FALLBACK, 0);
    }
    for (int base_algorithm = 1; base_algorithm <= MTREE_BASE_ALGORITHMS;
         base_algorithm++) {
        if ((forecast.base_algorithms & 1u << base_algorithm) != 0) {
            offer(autotuner, COLL_MTREE_BASE_ALGORITHM, base_algorithm);
        }
    }
}

/* Is Open MPI's ring among the rivals? */
static bool has_base_algorithm_ring(const coll_mtree_call_class_t *call_class,
                                    mtree_forecast_t forecast)
{
    for (int base_algorithm = 1; base_algorithm <= MTREE_BASE_ALGORITHMS;
         base_algorithm++) {
        const char *name =
            mtree_base_algorithm_name(call_class->collective, base_algorithm);

        if ((forecast.base_algorithms & 1u << base_algorithm) != 0 && name != NULL &&
            strcmp(name, "ring") == 0) {
            return true;
        }
    }
    return false;
}

/* A ring of mtree's own is worth a trial where messages have parts to send around, and
 * Open MPI's, which is as fast, is not tried. */
static bool is_ring_worth_it(const coll_mtree_call_class_t *call_class,
                             mtree_forecast_t forecast)
{
    return !mtree_collective_has_root(call_class->collective) &&
           call_class->bytes >= SHORTEST_RING &&
           forecast.confidence != MTREE_FORECAST_FASTER &&
           forecast.confidence != MTREE_FORECAST_SLOWER &&
           !has_base_algorithm_ring(call_class, forecast);
}

bool coll_mtree_autotune_init(coll_mtree_autotuner_t *autotuner,
                              const coll_mtree_call_class_t *call_class,
                              mtree_forecast_t forecast)
{
    bool ring = is_ring_worth_it(call_class, forecast);

    memset(autotuner, 0, sizeof(*autotuner));
    autotuner->call_class = *call_class;
    if (!mca_coll_mtree_component.guard || is_fixed(call_class->collective)) {
        ring = false;
        forecast.base_algorithms = 0;
    }
    offer_all(autotuner, forecast, ring);
    autotuner->open = mca_coll_mtree_component.guard && autotuner->num_candidates > 1 &&
                      !is_fixed(call_class->collective);
    if (forecast.confidence == MTREE_FORECAST_SLOWER) {
        autotuner->calls = CALLS_BETWEEN_TRIALS - CALLS_BEFORE_BASE_ALGORITHMS;
    } else if (autotuner->open) {
        start_trial(autotuner);
    }
    return ring;
}

/* "over trees", "by Open MPI's ring", ... */
static void format_path(const coll_mtree_autotuner_t *autotuner,
                        const coll_mtree_candidate_t *candidate, char *text, size_t room)
{
    static const char *const paths[] = {[COLL_MTREE_TREES] = "over trees",
                                        [COLL_MTREE_RING] = "around a ring",
                                        [COLL_MTREE_FALLBACK] = "by Open MPI"};

    if (candidate->backend == COLL_MTREE_BASE_ALGORITHM) {
        (void)snprintf(text, room, "by Open MPI's %s",
                       mtree_base_algorithm_name(autotuner->call_class.collective,
                                                 candidate->base_algorithm));
    } else {
        (void)snprintf(text, room, "%s", paths[candidate->backend]);
    }
}

/* Nobody is to be tried but who was the fastest at the length of @a shorter. */
static void say_learned(const coll_mtree_autotuner_t *autotuner,
                        const coll_mtree_autotuner_t *shorter, ompi_communicator_t *comm)
{
    char size[32], shorter_size[32], path[64];

    format_path(autotuner, &autotuner->candidates[autotuner->serving], path,
                sizeof(path));
    mtree_units_format_size(autotuner->call_class.bytes, size, sizeof(size));
    mtree_units_format_size(shorter->call_class.bytes, shorter_size,
                            sizeof(shorter_size));
    coll_mtree_verbose(comm, 2,
                       "%s of about %s: served %s, since all others were slower at %s",
                       mtree_collective_name(autotuner->call_class.collective), size,
                       path, shorter_size);
}

coll_mtree_backend_t coll_mtree_autotune_backend(const coll_mtree_autotuner_t *autotuner)
{
    return autotuner->candidates[autotuner->serving].backend;
}

/* Was whoever is @a candidate of another guard clearly slower than the fastest in the
 * trial of @a shorter, so far, or, where trees were the fastest, in one before? */
static bool was_slower(const coll_mtree_autotuner_t *shorter,
                       const coll_mtree_candidate_t *candidate)
{
    int64_t fastest = shorter->candidates[shorter->serving].typical;
    bool is_cold = shorter->trials == 0 && shorter->round < 2;
    double factor = is_cold ? LONG_COLD_SLOWER : LONG_SLOWER;

    for (int c = 0; c < shorter->num_candidates; c++) {
        const coll_mtree_candidate_t *tried = &shorter->candidates[c];

        if (tried->backend == candidate->backend &&
            tried->base_algorithm == candidate->base_algorithm) {
            return tried->typical == COLL_MTREE_UNTRIED
                       ? coll_mtree_autotune_backend(shorter) == COLL_MTREE_TREES
                       : (double)tried->typical > factor * (double)fastest;
        }
    }
    return false;
}

bool coll_mtree_autotune_learn(coll_mtree_autotuner_t *autotuner,
                               const coll_mtree_autotuner_t *shorter,
                               ompi_communicator_t *comm)
{
    int left = 0;

    if (!autotuner->trying || (shorter->trials == 0 && shorter->round == 0) ||
        shorter->candidates[shorter->serving].typical < MIDDLE ||
        shorter->candidates[shorter->serving].typical == COLL_MTREE_UNTRIED) {
        return false;
    }
    for (int c = 0; c < autotuner->num_candidates; c++) {
        coll_mtree_candidate_t *candidate = &autotuner->candidates[c];

        candidate->out =
            candidate->backend != COLL_MTREE_TREES && was_slower(shorter, candidate);
        candidate->typical = candidate->out ? COLL_MTREE_UNTRIED : 0;
        left += !candidate->out;
    }
    autotuner->trial = autotuner->serving = next_candidate(autotuner, 0);
    if (left == 1) {
        autotuner->trying = false;
        autotuner->trials++;
        say_learned(autotuner, shorter, comm);
    }
    return true;
}

/* Candidate @a candidate serves the call of @a trial. */
static coll_mtree_backend_t assign(const coll_mtree_autotuner_t *autotuner, int candidate,
                                   coll_mtree_trial_t *trial)
{
    trial->base_algorithm = autotuner->candidates[candidate].base_algorithm;
    return autotuner->candidates[candidate].backend;
}

/* Has the call that begins only to bring the network into the state in which the next one
 * finds it in a row of such calls? */
static bool settles(coll_mtree_autotuner_t *autotuner)
{
    autotuner->settled = !autotuner->settled && autotuner->round > 0 &&
                         autotuner->candidates[autotuner->serving].typical < SHORT;
    return autotuner->settled;
}

coll_mtree_backend_t coll_mtree_autotune_begin(coll_mtree_autotuner_t *autotuner,
                                               coll_mtree_trial_t *trial)
{
    if (!autotuner->open) {
        return assign(autotuner, autotuner->serving, trial);
    }
    if (!autotuner->trying) {
        autotuner->calls++;
        if (autotuner->calls <= CALLS_BETWEEN_TRIALS) {
            return assign(autotuner, autotuner->serving, trial);
        }
        start_trial(autotuner);
    }
    if (settles(autotuner)) {
        autotuner->calls++;
        return assign(autotuner, autotuner->trial, trial);
    }
    trial->autotuner = autotuner;
    trial->begin = nanoseconds_now();
    return assign(autotuner, autotuner->trial, trial);
}

static int time_compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The median of the rounds so far, without the warm-up when there is another. */
static int64_t typical_time(const coll_mtree_autotuner_t *autotuner,
                            const coll_mtree_candidate_t *candidate)
{
    int64_t sorted[COLL_MTREE_AUTOTUNE_ROUNDS];

    if (autotuner->round == 0) {
        return candidate->time[0];
    }
    memcpy(sorted, candidate->time + 1, (size_t)autotuner->round * sizeof(*sorted));
    qsort(sorted, (size_t)autotuner->round, sizeof(*sorted), time_compare);
    return sorted[autotuner->round / 2];
}

/* How many times the fastest one's time is too slow to go on with; 0: nothing is. */
static double too_slow(const coll_mtree_autotuner_t *autotuner, int64_t fastest)
{
    if (fastest > LONG) {
        return autotuner->round == 0 && fastest <= VERY_LONG ? LONG_COLD_SLOWER
                                                             : LONG_SLOWER;
    }
    if (fastest > MIDDLE) {
        return autotuner->round == 0   ? COLD_SLOWER
               : autotuner->round == 1 ? MIDDLE_SLOWER
                                       : LONG_SLOWER;
    }
    if (autotuner->round >= CLEAR_ROUNDS) {
        return CLEAR_SLOWER;
    }
    return autotuner->round >= LEAST_ROUNDS ? SLOWER : 0;
}

/* The rounds after which there may be a verdict. */
static int least_rounds(int64_t fastest)
{
    return fastest > LONG ? LONG_ROUNDS : fastest > MIDDLE ? MIDDLE_ROUNDS : LEAST_ROUNDS;
}

static void say_verdict(const coll_mtree_autotuner_t *autotuner,
                        ompi_communicator_t *comm)
{
    char size[32], path[64], times[480] = "";
    size_t length = 0;

    for (int c = 0; c < autotuner->num_candidates && length < sizeof(times); c++) {
        const coll_mtree_candidate_t *candidate = &autotuner->candidates[c];
        char time[32];

        if (candidate->typical == COLL_MTREE_UNTRIED) {
            continue;
        }
        mtree_units_format_time((double)candidate->typical * 1e-9, time, sizeof(time));
        format_path(autotuner, candidate, path, sizeof(path));
        length += (size_t)snprintf(times + length, sizeof(times) - length, "%s %s, ",
                                   time, path);
    }
    format_path(autotuner, &autotuner->candidates[autotuner->serving], path,
                sizeof(path));
    mtree_units_format_size(autotuner->call_class.bytes, size, sizeof(size));
    coll_mtree_verbose(comm, 2, "%s of about %s: %sas measured in %d calls; served %s",
                       mtree_collective_name(autotuner->call_class.collective), size,
                       times, autotuner->calls, path);
}

/* All in the trial have had their turn: the slow ones are out; is it over? */
static bool round_ends_trial(coll_mtree_autotuner_t *autotuner)
{
    int64_t fastest = INT64_MAX;
    int left = 0;
    double factor;

    for (int c = 0; c < autotuner->num_candidates; c++) {
        coll_mtree_candidate_t *candidate = &autotuner->candidates[c];

        if (!candidate->out) {
            candidate->typical = typical_time(autotuner, candidate);
        }
        if (candidate->typical < fastest) {
            fastest = candidate->typical;
            autotuner->serving = c;
        }
    }
    factor = too_slow(autotuner, fastest);
    for (int c = 0; c < autotuner->num_candidates; c++) {
        coll_mtree_candidate_t *candidate = &autotuner->candidates[c];

        if (factor > 0 && (double)candidate->typical > factor * (double)fastest) {
            candidate->out = true;
        }
        left += !candidate->out;
    }
    return left <= 1 || autotuner->round == COLL_MTREE_AUTOTUNE_ROUNDS ||
           (autotuner->round >= least_rounds(fastest) && autotuner->spent >= ENOUGH);
}

static void end_round(coll_mtree_autotuner_t *autotuner, ompi_communicator_t *comm)
{
    if (round_ends_trial(autotuner)) {
        autotuner->trying = false;
        autotuner->trials++;
        say_verdict(autotuner, comm);
        autotuner->calls = 0;
        return;
    }
    autotuner->round++;
    autotuner->trial = next_candidate(autotuner, 0);
}

/*
 * What the call of @a trial took, from the last one's beginning to the last one's end, so
 * that it does not matter how late some come.  Clocks differ; but all ranks come out of
 * the last call's agreement at about the same time, from which they count.
 */
static int64_t agreed_time(coll_mtree_autotuner_t *autotuner,
                           const coll_mtree_trial_t *trial,
                           mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    int64_t since = autotuner->agreed == 0 ? trial->begin : autotuner->agreed;
    int64_t last[2] = {trial->begin - since, nanoseconds_now() - since};

    if (MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, last, 2, MPI_INT64_T, MPI_MAX,
                       comm) != OMPI_SUCCESS) {
        return 0;
    }
    autotuner->agreed = nanoseconds_now();
    return last[1] - last[0];
}

/* The trial is over: what it measured goes to the statistics, of rivals the fastest. */
static void report_times(const coll_mtree_trial_t *trial)
{
    double seconds[COLL_MTREE_BACKENDS] = {0};

    for (int c = 0; c < trial->autotuner->num_candidates; c++) {
        const coll_mtree_candidate_t *candidate = &trial->autotuner->candidates[c];
        double *of_backend = &seconds[candidate->backend];
        double typical = (double)candidate->typical * 1e-9;

        if (candidate->typical == COLL_MTREE_UNTRIED) {
            continue;
        }
        *of_backend = *of_backend > 0 && *of_backend < typical ? *of_backend : typical;
    }
    coll_mtree_statistics_measured(&trial->count, seconds);
}

void coll_mtree_autotune_end(coll_mtree_trial_t *trial, mca_coll_mtree_module_t *module,
                             ompi_communicator_t *comm)
{
    coll_mtree_autotuner_t *autotuner = trial->autotuner;
    int64_t time;

    if (autotuner == NULL) {
        return;
    }
    time = agreed_time(autotuner, trial, module, comm);
    autotuner->candidates[autotuner->trial].time[autotuner->round] = time;
    autotuner->spent += autotuner->round > 0 ? time : 0;
    autotuner->calls++;
    autotuner->trial = next_candidate(autotuner, autotuner->trial + 1);
    if (autotuner->trial == autotuner->num_candidates) {
        end_round(autotuner, comm);
    }
    if (!autotuner->trying) {
        report_times(trial);
    }
}

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
#define CALLS_BEFORE_RIVALS 16

/* Shorter messages (bytes) have no parts worth sending around. */
#define SHORTEST_RING 4096

static int64_t nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The first candidate from @a candidate on that is in the trial; their number: none. */
static int next_candidate(const coll_mtree_autotuner_t *guard, int candidate)
{
    while (candidate < guard->num_candidates && guard->candidates[candidate].out) {
        candidate++;
    }
    return candidate;
}

static void start_trial(coll_mtree_autotuner_t *guard)
{
    for (int c = 0; c < guard->num_candidates; c++) {
        guard->candidates[c].out = false;
    }
    guard->trying = true;
    guard->turn = 0;
    guard->round = guard->calls = 0;
    guard->settled = false;
    guard->spent = guard->agreed = 0;
}

/* Must its results not depend on who serves? */
static bool is_fixed(mtree_collective_t collective)
{
    return mca_coll_mtree_component.deterministic && mtree_collective_uses_up(collective);
}

static void offer(coll_mtree_autotuner_t *guard, coll_mtree_backend_t server, int rival)
{
    coll_mtree_candidate_t *candidate = &guard->candidates[guard->num_candidates++];

    candidate->server = server;
    candidate->rival = rival;
}

/* Whoever is expected to serve goes first. */
static void offer_all(coll_mtree_autotuner_t *guard, mtree_forecast_t forecast, bool ring)
{
    bool trees = forecast.odds != MTREE_FORECAST_SLOWER;
    bool fallback = forecast.odds != MTREE_FORECAST_FASTER;

    if (fallback && forecast.odds >= MTREE_FORECAST_MAYBE_SLOWER) {
        offer(guard, COLL_MTREE_FALLBACK, 0);
    }
    if (trees) {
        offer(guard, COLL_MTREE_TREES, 0);
    }
    if (ring) {
        offer(guard, COLL_MTREE_RING, 0);
    }
    if (fallback && forecast.odds < MTREE_FORECAST_MAYBE_SLOWER) {
        offer(guard, COLL_MTREE_FALLBACK, 0);
    }
    for (int rival = 1; rival <= MTREE_BASE_ALGORITHMS; rival++) {
        if ((forecast.rivals & 1u << rival) != 0) {
            offer(guard, COLL_MTREE_BASE_ALGORITHM, rival);
        }
    }
}

/* Is Open MPI's ring among the rivals? */
static bool has_rival_ring(const coll_mtree_call_class_t *kind, mtree_forecast_t forecast)
{
    for (int rival = 1; rival <= MTREE_BASE_ALGORITHMS; rival++) {
        const char *name = mtree_base_algorithm_name(kind->collective, rival);

        if ((forecast.rivals & 1u << rival) != 0 && name != NULL &&
            strcmp(name, "ring") == 0) {
            return true;
        }
    }
    return false;
}

/* A ring of mtree's own is worth a trial where messages have parts to send around, and
 * Open MPI's, which is as fast, is not tried. */
static bool is_ring_worth_it(const coll_mtree_call_class_t *kind,
                             mtree_forecast_t forecast)
{
    return !mtree_collective_has_root(kind->collective) && kind->bytes >= SHORTEST_RING &&
           forecast.odds != MTREE_FORECAST_FASTER &&
           forecast.odds != MTREE_FORECAST_SLOWER && !has_rival_ring(kind, forecast);
}

bool coll_mtree_autotune_init(coll_mtree_autotuner_t *guard,
                              const coll_mtree_call_class_t *kind,
                              mtree_forecast_t forecast)
{
    bool ring = is_ring_worth_it(kind, forecast);

    memset(guard, 0, sizeof(*guard));
    guard->kind = *kind;
    if (!mca_coll_mtree_component.guard || is_fixed(kind->collective)) {
        ring = false;
        forecast.rivals = 0;
    }
    offer_all(guard, forecast, ring);
    guard->open = mca_coll_mtree_component.guard && guard->num_candidates > 1 &&
                  !is_fixed(kind->collective);
    if (forecast.odds == MTREE_FORECAST_SLOWER) {
        guard->calls = CALLS_BETWEEN_TRIALS - CALLS_BEFORE_RIVALS;
    } else if (guard->open) {
        start_trial(guard);
    }
    return ring;
}

/* "over trees", "by Open MPI's ring", ... */
static void format_way(const coll_mtree_autotuner_t *guard,
                       const coll_mtree_candidate_t *candidate, char *text, size_t room)
{
    static const char *const ways[] = {[COLL_MTREE_TREES] = "over trees",
                                       [COLL_MTREE_RING] = "around a ring",
                                       [COLL_MTREE_FALLBACK] = "by Open MPI"};

    if (candidate->server == COLL_MTREE_BASE_ALGORITHM) {
        (void)snprintf(
            text, room, "by Open MPI's %s",
            mtree_base_algorithm_name(guard->kind.collective, candidate->rival));
    } else {
        (void)snprintf(text, room, "%s", ways[candidate->server]);
    }
}

/* Nobody is to be tried but who was the fastest at the length of @a shorter. */
static void say_learned(const coll_mtree_autotuner_t *guard,
                        const coll_mtree_autotuner_t *shorter, ompi_communicator_t *comm)
{
    char size[32], shorter_size[32], way[64];

    format_way(guard, &guard->candidates[guard->serving], way, sizeof(way));
    mtree_units_format_size(guard->kind.bytes, size, sizeof(size));
    mtree_units_format_size(shorter->kind.bytes, shorter_size, sizeof(shorter_size));
    coll_mtree_verbose(
        comm, 2, "%s of about %s: served %s, since all others were slower at %s",
        mtree_collective_name(guard->kind.collective), size, way, shorter_size);
}

coll_mtree_backend_t coll_mtree_autotune_backend(const coll_mtree_autotuner_t *guard)
{
    return guard->candidates[guard->serving].server;
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

        if (tried->server == candidate->server && tried->rival == candidate->rival) {
            return tried->typical == COLL_MTREE_UNTRIED
                       ? coll_mtree_autotune_backend(shorter) == COLL_MTREE_TREES
                       : (double)tried->typical > factor * (double)fastest;
        }
    }
    return false;
}

bool coll_mtree_autotune_learn(coll_mtree_autotuner_t *guard,
                               const coll_mtree_autotuner_t *shorter,
                               ompi_communicator_t *comm)
{
    int left = 0;

    if (!guard->trying || (shorter->trials == 0 && shorter->round == 0) ||
        shorter->candidates[shorter->serving].typical < MIDDLE ||
        shorter->candidates[shorter->serving].typical == COLL_MTREE_UNTRIED) {
        return false;
    }
    for (int c = 0; c < guard->num_candidates; c++) {
        coll_mtree_candidate_t *candidate = &guard->candidates[c];

        candidate->out =
            candidate->server != COLL_MTREE_TREES && was_slower(shorter, candidate);
        candidate->typical = candidate->out ? COLL_MTREE_UNTRIED : 0;
        left += !candidate->out;
    }
    guard->turn = guard->serving = next_candidate(guard, 0);
    if (left == 1) {
        guard->trying = false;
        guard->trials++;
        say_learned(guard, shorter, comm);
    }
    return true;
}

/* Candidate @a candidate serves the call of @a turn. */
static coll_mtree_backend_t assign(const coll_mtree_autotuner_t *guard, int candidate,
                                   coll_mtree_trial_t *turn)
{
    turn->rival = guard->candidates[candidate].rival;
    return guard->candidates[candidate].server;
}

/* Has the call that begins only to bring the network into the state in which the next one
 * finds it in a row of such calls? */
static bool settles(coll_mtree_autotuner_t *guard)
{
    guard->settled = !guard->settled && guard->round > 0 &&
                     guard->candidates[guard->serving].typical < SHORT;
    return guard->settled;
}

coll_mtree_backend_t coll_mtree_autotune_begin(coll_mtree_autotuner_t *guard,
                                               coll_mtree_trial_t *turn)
{
    if (!guard->open) {
        return assign(guard, guard->serving, turn);
    }
    if (!guard->trying) {
        guard->calls++;
        if (guard->calls <= CALLS_BETWEEN_TRIALS) {
            return assign(guard, guard->serving, turn);
        }
        start_trial(guard);
    }
    if (settles(guard)) {
        guard->calls++;
        return assign(guard, guard->turn, turn);
    }
    turn->guard = guard;
    turn->begin = nanoseconds_now();
    return assign(guard, guard->turn, turn);
}

static int time_compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The median of the rounds so far, without the warm-up when there is another. */
static int64_t typical_time(const coll_mtree_autotuner_t *guard,
                            const coll_mtree_candidate_t *candidate)
{
    int64_t sorted[COLL_MTREE_AUTOTUNE_ROUNDS];

    if (guard->round == 0) {
        return candidate->time[0];
    }
    memcpy(sorted, candidate->time + 1, (size_t)guard->round * sizeof(*sorted));
    qsort(sorted, (size_t)guard->round, sizeof(*sorted), time_compare);
    return sorted[guard->round / 2];
}

/* How many times the fastest one's time is too slow to go on with; 0: nothing is. */
static double too_slow(const coll_mtree_autotuner_t *guard, int64_t fastest)
{
    if (fastest > LONG) {
        return guard->round == 0 && fastest <= VERY_LONG ? LONG_COLD_SLOWER : LONG_SLOWER;
    }
    if (fastest > MIDDLE) {
        return guard->round == 0   ? COLD_SLOWER
               : guard->round == 1 ? MIDDLE_SLOWER
                                   : LONG_SLOWER;
    }
    if (guard->round >= CLEAR_ROUNDS) {
        return CLEAR_SLOWER;
    }
    return guard->round >= LEAST_ROUNDS ? SLOWER : 0;
}

/* The rounds after which there may be a verdict. */
static int least_rounds(int64_t fastest)
{
    return fastest > LONG ? LONG_ROUNDS : fastest > MIDDLE ? MIDDLE_ROUNDS : LEAST_ROUNDS;
}

static void say_verdict(const coll_mtree_autotuner_t *guard, ompi_communicator_t *comm)
{
    char size[32], way[64], times[480] = "";
    size_t length = 0;

    for (int c = 0; c < guard->num_candidates && length < sizeof(times); c++) {
        const coll_mtree_candidate_t *candidate = &guard->candidates[c];
        char time[32];

        if (candidate->typical == COLL_MTREE_UNTRIED) {
            continue;
        }
        mtree_units_format_time((double)candidate->typical * 1e-9, time, sizeof(time));
        format_way(guard, candidate, way, sizeof(way));
        length += (size_t)snprintf(times + length, sizeof(times) - length, "%s %s, ",
                                   time, way);
    }
    format_way(guard, &guard->candidates[guard->serving], way, sizeof(way));
    mtree_units_format_size(guard->kind.bytes, size, sizeof(size));
    coll_mtree_verbose(comm, 2, "%s of about %s: %sas measured in %d calls; served %s",
                       mtree_collective_name(guard->kind.collective), size, times,
                       guard->calls, way);
}

/* All in the trial have had their turn: the slow ones are out; is it over? */
static bool round_ends_trial(coll_mtree_autotuner_t *guard)
{
    int64_t fastest = INT64_MAX;
    int left = 0;
    double factor;

    for (int c = 0; c < guard->num_candidates; c++) {
        coll_mtree_candidate_t *candidate = &guard->candidates[c];

        if (!candidate->out) {
            candidate->typical = typical_time(guard, candidate);
        }
        if (candidate->typical < fastest) {
            fastest = candidate->typical;
            guard->serving = c;
        }
    }
    factor = too_slow(guard, fastest);
    for (int c = 0; c < guard->num_candidates; c++) {
        coll_mtree_candidate_t *candidate = &guard->candidates[c];

        if (factor > 0 && (double)candidate->typical > factor * (double)fastest) {
            candidate->out = true;
        }
        left += !candidate->out;
    }
    return left <= 1 || guard->round == COLL_MTREE_AUTOTUNE_ROUNDS ||
           (guard->round >= least_rounds(fastest) && guard->spent >= ENOUGH);
}

static void end_round(coll_mtree_autotuner_t *guard, ompi_communicator_t *comm)
{
    if (round_ends_trial(guard)) {
        guard->trying = false;
        guard->trials++;
        say_verdict(guard, comm);
        guard->calls = 0;
        return;
    }
    guard->round++;
    guard->turn = next_candidate(guard, 0);
}

/*
 * What the call of @a turn took, from the last one's beginning to the last one's end, so
 * that it does not matter how late some come.  Clocks differ; but all ranks come out of
 * the last call's agreement at about the same time, from which they count.
 */
static int64_t agreed_time(coll_mtree_autotuner_t *guard, const coll_mtree_trial_t *turn,
                           mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    int64_t since = guard->agreed == 0 ? turn->begin : guard->agreed;
    int64_t last[2] = {turn->begin - since, nanoseconds_now() - since};

    if (MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, last, 2, MPI_INT64_T, MPI_MAX,
                       comm) != OMPI_SUCCESS) {
        return 0;
    }
    guard->agreed = nanoseconds_now();
    return last[1] - last[0];
}

/* The trial is over: what it measured goes to the statistics, of rivals the fastest. */
static void report_times(const coll_mtree_trial_t *turn)
{
    double seconds[COLL_MTREE_BACKENDS] = {0};

    for (int c = 0; c < turn->guard->num_candidates; c++) {
        const coll_mtree_candidate_t *candidate = &turn->guard->candidates[c];
        double *of_server = &seconds[candidate->server];
        double typical = (double)candidate->typical * 1e-9;

        if (candidate->typical == COLL_MTREE_UNTRIED) {
            continue;
        }
        *of_server = *of_server > 0 && *of_server < typical ? *of_server : typical;
    }
    coll_mtree_statistics_measured(&turn->count, seconds);
}

void coll_mtree_autotune_end(coll_mtree_trial_t *turn, mca_coll_mtree_module_t *module,
                             ompi_communicator_t *comm)
{
    coll_mtree_autotuner_t *guard = turn->guard;
    int64_t time;

    if (guard == NULL) {
        return;
    }
    time = agreed_time(guard, turn, module, comm);
    guard->candidates[guard->turn].time[guard->round] = time;
    guard->spent += guard->round > 0 ? time : 0;
    guard->calls++;
    guard->turn = next_candidate(guard, guard->turn + 1);
    if (guard->turn == guard->num_candidates) {
        end_round(guard, comm);
    }
    if (!guard->trying) {
        report_times(turn);
    }
}

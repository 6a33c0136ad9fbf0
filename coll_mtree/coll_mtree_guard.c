#include "coll_mtree_guard.h"

#include "topo/units.h"

#include <stdlib.h>
#include <time.h>

/* Rounds that must be measured before there is a verdict, and the nanoseconds spent that
 * make more of them needless. */
#define LEAST_ROUNDS 3
#define ENOUGH       ((int64_t)100000000)

/* Who is so many times slower than the fastest is out after the least rounds; earlier
 * where calls take longer than LONG (nanoseconds), since they are hardly disturbed by
 * anything and each more costs as much: after the warm-up, which still says little, or
 * after any other round. */
#define SLOWER      1.5
#define COLD_SLOWER 3.0
#define LONG_SLOWER 1.2
#define LONG        ((int64_t)100000000)

/* Networks change: another trial after so many calls. */
#define CALLS_BETWEEN_TRIALS 2000

/* Shorter messages have no parts worth sending around. */
#define SHORTEST_RING 4096

static int64_t nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The first server from @a server on that is in the trial; COLL_MTREE_SERVERS: none. */
static coll_mtree_server_t next_server(const coll_mtree_guard_t *guard, int server)
{
    while (server < COLL_MTREE_SERVERS && guard->out[server]) {
        server++;
    }
    return (coll_mtree_server_t)server;
}

static void start_trial(coll_mtree_guard_t *guard)
{
    for (int server = 0; server < COLL_MTREE_SERVERS; server++) {
        guard->out[server] = !guard->offered[server];
    }
    guard->trying = true;
    guard->turn = next_server(guard, 0);
    guard->round = guard->calls = 0;
    guard->spent = 0;
}

/* Must its results not depend on who serves? */
static bool is_fixed(mtree_collective_t collective)
{
    return mca_coll_mtree_component.deterministic && mtree_collective_uses_up(collective);
}

bool coll_mtree_guard_init(coll_mtree_guard_t *guard, const coll_mtree_kind_t *kind,
                           coll_mtree_forecast_t forecast)
{
    bool rings = !mtree_collective_has_root(kind->collective);

    memset(guard, 0, sizeof(*guard));
    guard->kind = *kind;
    guard->server =
        forecast >= COLL_MTREE_MAYBE_SLOWER ? COLL_MTREE_FALLBACK : COLL_MTREE_TREES;
    guard->open = mca_coll_mtree_component.guard && forecast != COLL_MTREE_FASTER &&
                  forecast != COLL_MTREE_SLOWER && !is_fixed(kind->collective);
    guard->offered[COLL_MTREE_TREES] = guard->offered[COLL_MTREE_FALLBACK] = true;
    guard->offered[COLL_MTREE_RING] =
        guard->open && rings && kind->bytes >= SHORTEST_RING;
    if (guard->open) {
        start_trial(guard);
    }
    return guard->offered[COLL_MTREE_RING];
}

coll_mtree_server_t coll_mtree_guard_begin(coll_mtree_guard_t *guard,
                                           coll_mtree_turn_t *turn)
{
    if (!guard->open) {
        return guard->server;
    }
    if (!guard->trying) {
        guard->calls++;
        if (guard->calls <= CALLS_BETWEEN_TRIALS) {
            return guard->server;
        }
        start_trial(guard);
    }
    turn->guard = guard;
    turn->begin = nanoseconds_now();
    return guard->turn;
}

static int time_compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* The median of the rounds so far, without the warm-up when there is another. */
static int64_t typical_time(const coll_mtree_guard_t *guard, coll_mtree_server_t server)
{
    int64_t sorted[COLL_MTREE_GUARD_ROUNDS];

    if (guard->round == 0) {
        return guard->time[server][0];
    }
    memcpy(sorted, guard->time[server] + 1, (size_t)guard->round * sizeof(*sorted));
    qsort(sorted, (size_t)guard->round, sizeof(*sorted), time_compare);
    return sorted[guard->round / 2];
}

/* How many times the fastest one's time is too slow to go on with; 0: nothing is. */
static double too_slow(const coll_mtree_guard_t *guard, int64_t fastest)
{
    if (fastest > LONG) {
        return guard->round == 0 ? COLD_SLOWER : LONG_SLOWER;
    }
    return guard->round >= LEAST_ROUNDS ? SLOWER : 0;
}

static void say_verdict(const coll_mtree_guard_t *guard, ompi_communicator_t *comm)
{
    static const char *const ways[] = {"over trees", "around a ring", "by Open MPI"};
    static const char *const servers[] = {"mtree", "a ring", "the fallback"};
    char size[32], times[160] = "";
    size_t length = 0;

    for (int server = 0; server < COLL_MTREE_SERVERS; server++) {
        char time[32];

        if (!guard->offered[server]) {
            continue;
        }
        mtree_units_format_time((double)guard->typical[server] * 1e-9, time,
                                sizeof(time));
        length += (size_t)snprintf(times + length, sizeof(times) - length, "%s %s, ",
                                   time, ways[server]);
    }
    mtree_units_format_size(guard->kind.bytes, size, sizeof(size));
    coll_mtree_say(comm, 2, "%s of about %s: %sas measured in %d calls; %s serves",
                   mtree_collective_name(guard->kind.collective), size, times,
                   guard->calls, servers[guard->server]);
}

/* All in the trial have had their turn: the slow ones are out; is it over? */
static bool round_ends_trial(coll_mtree_guard_t *guard)
{
    int64_t fastest = INT64_MAX;
    int left = 0;
    double factor;

    for (int server = 0; server < COLL_MTREE_SERVERS; server++) {
        if (guard->out[server]) {
            continue;
        }
        guard->typical[server] = typical_time(guard, (coll_mtree_server_t)server);
        if (guard->typical[server] < fastest) {
            fastest = guard->typical[server];
            guard->server = (coll_mtree_server_t)server;
        }
    }
    factor = too_slow(guard, fastest);
    for (int server = 0; server < COLL_MTREE_SERVERS; server++) {
        if (factor > 0 && (double)guard->typical[server] > factor * (double)fastest) {
            guard->out[server] = true;
        }
        left += !guard->out[server];
    }
    return left == 1 || guard->round == COLL_MTREE_GUARD_ROUNDS ||
           (guard->round >= LEAST_ROUNDS && guard->spent >= ENOUGH);
}

static void end_round(coll_mtree_guard_t *guard, ompi_communicator_t *comm)
{
    if (round_ends_trial(guard)) {
        guard->trying = false;
        guard->trials++;
        say_verdict(guard, comm);
        guard->calls = 0;
        return;
    }
    guard->round++;
    guard->turn = next_server(guard, 0);
}

/*
 * What a call took.  Nobody ends most of the collectives before the last one has begun,
 * so that the shortest stay of a rank is what the collective takes, however late some
 * come; with a root it is the longest one.
 */
static int64_t agreed_time(const coll_mtree_guard_t *guard, int64_t stay,
                           mca_coll_mtree_module_t *module, ompi_communicator_t *comm)
{
    bool rooted = mtree_collective_has_root(guard->kind.collective);
    int64_t value = rooted ? stay : -stay;

    if (MTREE_FALLBACK(module, allreduce, MPI_IN_PLACE, &value, 1, MPI_INT64_T, MPI_MAX,
                       comm) != OMPI_SUCCESS) {
        return 0;
    }
    return rooted ? value : -value;
}

/* The trial is over: what it measured goes to the statistics. */
static void report_times(const coll_mtree_turn_t *turn)
{
    double seconds[COLL_MTREE_SERVERS] = {0};

    for (int server = 0; server < COLL_MTREE_SERVERS; server++) {
        if (turn->guard->offered[server]) {
            seconds[server] = (double)turn->guard->typical[server] * 1e-9;
        }
    }
    coll_mtree_statistics_measured(&turn->count, seconds);
}

void coll_mtree_guard_end(coll_mtree_turn_t *turn, mca_coll_mtree_module_t *module,
                          ompi_communicator_t *comm)
{
    coll_mtree_guard_t *guard = turn->guard;
    int64_t time;

    if (guard == NULL) {
        return;
    }
    time = agreed_time(guard, nanoseconds_now() - turn->begin, module, comm);
    guard->time[guard->turn][guard->round] = time;
    guard->spent += guard->round > 0 ? time : 0;
    guard->calls++;
    guard->turn = next_server(guard, (int)guard->turn + 1);
    if (guard->turn == COLL_MTREE_SERVERS) {
        end_round(guard, comm);
    }
    if (!guard->trying) {
        report_times(turn);
    }
}

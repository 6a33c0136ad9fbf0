#include "coll_mtree_guard.h"

#include "topo/units.h"

#include <stdlib.h>
#include <time.h>

enum { MTREE, FALLBACK };

/* Pairs that must be measured before there is a verdict, and the nanoseconds spent, or
 * times by which one beats the other, that make more of them needless. */
#define LEAST_PAIRS 3
#define ENOUGH      ((int64_t)100000000)
#define CLEARLY     1.5

/* Calls that take longer than this (nanoseconds) are hardly disturbed by anything: the
 * first pair that differs by that much will do, since each more costs as much. */
#define LONG        ((int64_t)100000000)
#define LONG_DIFFER 1.2

/* Networks change: another trial after so many calls. */
#define CALLS_BETWEEN_TRIALS 2000

static int64_t nanoseconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void coll_mtree_guard_init(coll_mtree_guard_t *guard, const coll_mtree_kind_t *kind,
                           coll_mtree_forecast_t forecast)
{
    memset(guard, 0, sizeof(*guard));
    guard->kind = *kind;
    guard->fallback = forecast >= COLL_MTREE_MAYBE_SLOWER;
    guard->open = mca_coll_mtree_component.guard && forecast != COLL_MTREE_FASTER &&
                  forecast != COLL_MTREE_SLOWER;
    guard->trying = guard->open;
}

bool coll_mtree_guard_begin(coll_mtree_guard_t *guard, coll_mtree_turn_t *turn)
{
    if (!guard->open) {
        return guard->fallback;
    }
    if (!guard->trying) {
        guard->turns++;
        if (guard->turns <= CALLS_BETWEEN_TRIALS) {
            return guard->fallback;
        }
        guard->trying = true;
        guard->turns = 0;
    }
    turn->guard = guard;
    turn->begin = nanoseconds_now();
    return guard->turns % 2 == FALLBACK;
}

static int time_compare(const void *left, const void *right)
{
    const int64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

static int64_t median(int64_t *times, int num)
{
    int64_t sorted[COLL_MTREE_GUARD_PAIRS];

    memcpy(sorted, times, (size_t)num * sizeof(*times));
    qsort(sorted, (size_t)num, sizeof(*sorted), time_compare);
    return sorted[num / 2];
}

static bool differ(int64_t a, int64_t b, double factor)
{
    return (double)a > factor * (double)b || (double)b > factor * (double)a;
}

static bool is_settled(const coll_mtree_guard_t *guard, int pairs, int64_t ours,
                       int64_t theirs)
{
    if (ours > LONG && theirs > LONG && differ(ours, theirs, LONG_DIFFER)) {
        return true;
    }
    return pairs == COLL_MTREE_GUARD_PAIRS ||
           (pairs >= LEAST_PAIRS &&
            (guard->spent >= ENOUGH || differ(ours, theirs, CLEARLY)));
}

static void say_verdict(const coll_mtree_guard_t *guard, ompi_communicator_t *comm,
                        int64_t ours, int64_t theirs)
{
    char size[32], our_time[32], their_time[32];

    mtree_units_format_size(guard->kind.bytes, size, sizeof(size));
    mtree_units_format_time((double)ours * 1e-9, our_time, sizeof(our_time));
    mtree_units_format_time((double)theirs * 1e-9, their_time, sizeof(their_time));
    coll_mtree_say(
        comm, guard->trials == 1 ? 1 : 2,
        "%s of about %s: %s over trees, %s by Open MPI, as measured in %d calls; "
        "%s serves",
        mtree_collective_name(guard->kind.collective), size, our_time, their_time,
        guard->turns, guard->fallback ? "the fallback" : "mtree");
}

/* Both have had a turn more. */
static void guard_judge(coll_mtree_guard_t *guard, ompi_communicator_t *comm)
{
    int pairs = guard->turns / 2 - 1;
    int64_t ours, theirs;

    if (pairs == 0) {
        return;
    }
    ours = median(guard->time[MTREE], pairs);
    theirs = median(guard->time[FALLBACK], pairs);
    if (!is_settled(guard, pairs, ours, theirs)) {
        return;
    }
    guard->fallback = theirs < ours;
    guard->trying = false;
    guard->trials++;
    say_verdict(guard, comm, ours, theirs);
    guard->turns = 0;
    guard->spent = 0;
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

void coll_mtree_guard_end(coll_mtree_turn_t *turn, mca_coll_mtree_module_t *module,
                          ompi_communicator_t *comm)
{
    coll_mtree_guard_t *guard = turn->guard;
    int pair;
    int64_t time;

    if (guard == NULL) {
        return;
    }
    time = agreed_time(guard, nanoseconds_now() - turn->begin, module, comm);
    pair = guard->turns / 2 - 1;
    if (pair >= 0) {
        guard->time[guard->turns % 2][pair] = time;
        guard->spent += time;
    }
    guard->turns++;
    if (guard->turns % 2 == 0) {
        guard_judge(guard, comm);
    }
}

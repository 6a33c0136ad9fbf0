#include "coll_mtree_estimate.h"

#include "simulate/simulate.h"

#include <math.h>
#include <string.h>

/* What starting, matching and ending one message costs a host (docs/performance.md). */
#define MESSAGE_SECONDS 30e-6

/* The simulator takes milliseconds up to so many ranks. */
#define MOST_RANKS 64

/*
 * Estimates that differ by less than so many times may be wrong about which is faster.
 * Where both are brief, processors and not the network decide, which they know little of.
 */
#define DOUBT         1.5
#define BRIEF_DOUBT   4.0
#define BRIEF_SECONDS 5e-3

typedef struct {
    const char *name;
    size_t segment; /* 0: messages are not cut */
} rival_t;

/* Where counts and datatypes may differ between ranks, none that cuts messages by count:
 * they are right only where these do not differ. */
static const rival_t rivals[MTREE_COLLECTIVE_LAST][COLL_MTREE_RIVALS] = {
    [MTREE_ALLREDUCE] = {{"recursive_doubling", 0}, {"ring", 0}, {"rabenseifner", 0}},
    [MTREE_REDUCE] = {{"linear", 0},
                      {"binomial", 0},
                      {"pipeline", COLL_MTREE_RIVAL_SEGMENT},
                      {"rabenseifner", 0}},
    [MTREE_BCAST] = {{"basic_linear", 0}, {"binomial", 0}, {"knomial", 0}},
    [MTREE_ALLGATHER] = {{"bruck", 0}, {"ring", 0}, {"recursive_doubling", 0}},
    [MTREE_REDUCE_SCATTER] = {{"recursive_halving", 0}, {"butterfly", 0}, {"ring", 0}},
};

const char *coll_mtree_rival_name(mtree_collective_t collective, int rival)
{
    return rival < 1 || rival > COLL_MTREE_RIVALS ? NULL
                                                  : rivals[collective][rival - 1].name;
}

bool coll_mtree_rival_is_other(mtree_collective_t collective, int rival, int ranks,
                               size_t bytes)
{
    const char *name = coll_mtree_rival_name(collective, rival);

    return name != NULL &&
           strcmp(name, mtree_baseline_default(collective, ranks, bytes)->name) != 0;
}

/* Messages that @a host sends and receives for @a tree, of which @a bytes go through it.
 */
static double tree_messages(const mtree_plan_t *plan, const mtree_tree_t *tree, int host,
                            double bytes)
{
    double chunk = tree->chunk_bytes > 0 ? (double)tree->chunk_bytes : bytes;
    int neighbours = tree->parent[host] >= 0;

    for (int below = 0; below < plan->num_hosts; below++) {
        neighbours += tree->parent[below] == host;
    }
    return neighbours * ceil(bytes / chunk) *
           (plan->collective == MTREE_ALLREDUCE ? 2 : 1);
}

/* Messages of the host that has the most of them. */
static double plan_messages(const mtree_plan_t *plan)
{
    double bytes = mtree_collective_is_gathering(plan->collective)
                       ? plan->bytes / plan->num_hosts
                       : plan->bytes;
    double most = 0;

    for (int host = 0; host < plan->num_hosts; host++) {
        double messages = 0;

        for (int t = 0; t < plan->num_trees; t++) {
            if (plan->trees[t].share * bytes > 0.5) {
                messages += tree_messages(plan, &plan->trees[t], host,
                                          plan->trees[t].share * bytes);
            }
        }
        most = fmax(most, messages);
    }
    return most;
}

double coll_mtree_estimate_promised(const mtree_plan_t *plan, double bytes)
{
    return plan->seconds > 0 ? plan->seconds : 8 * bytes / plan->throughput;
}

double coll_mtree_estimate_plan(const mtree_plan_t *plan)
{
    double messages = plan_messages(plan) * MESSAGE_SECONDS;

    return plan->bytes <= COLL_MTREE_SHORT_BYTES ? plan->seconds + messages
                                                 : fmax(plan->seconds, messages);
}

/* Seconds that Open MPI takes with @a baseline; negative when it cannot be told. */
static double baseline_seconds(const mtree_topology_t *topology, const int *vertices,
                               int num_hosts, int ranks_per_host,
                               const mtree_plan_request_t *request,
                               const mtree_baseline_t *baseline, size_t segment)
{
    mtree_simulate_options_t options;
    mtree_simulate_result_t result;
    double seconds = -1;

    if (num_hosts * ranks_per_host > MOST_RANKS) {
        return -1;
    }
    mtree_simulate_default_options(&options);
    options.bytes = (size_t)request->bytes;
    options.root = request->root;
    options.ranks_per_host = ranks_per_host;
    options.segment_bytes = segment;
    if (mtree_simulate_baseline(topology, vertices, num_hosts, baseline, &options,
                                &result) == MTREE_OK) {
        seconds = result.seconds;
        mtree_simulate_result_clear(&result);
    }
    return seconds;
}

double coll_mtree_estimate_fallback(const mtree_topology_t *topology, const int *vertices,
                                    int num_hosts, int ranks_per_host,
                                    const mtree_plan_request_t *request)
{
    return baseline_seconds(topology, vertices, num_hosts, ranks_per_host, request,
                            mtree_baseline_default(request->collective,
                                                   num_hosts * ranks_per_host,
                                                   (size_t)request->bytes),
                            0);
}

double coll_mtree_estimate_rival(const mtree_topology_t *topology, const int *vertices,
                                 int num_hosts, int ranks_per_host,
                                 const mtree_plan_request_t *request, int rival)
{
    if (!coll_mtree_rival_is_other(request->collective, rival, num_hosts * ranks_per_host,
                                   (size_t)request->bytes)) {
        return -1;
    }
    return baseline_seconds(
        topology, vertices, num_hosts, ranks_per_host, request,
        mtree_baseline_find(request->collective,
                            coll_mtree_rival_name(request->collective, rival)),
        rivals[request->collective][rival - 1].segment);
}

/* How many times @a seconds an estimate may be for the truth to be less. */
static double doubt_of(double seconds)
{
    return seconds < BRIEF_SECONDS ? BRIEF_DOUBT : DOUBT;
}

static coll_mtree_odds_t odds_of(double trees, double fallback)
{
    double doubt = doubt_of(fmin(trees, fallback));

    if (fallback < 0) {
        return COLL_MTREE_MAYBE_FASTER;
    }
    if (trees <= fallback) {
        return trees * doubt < fallback ? COLL_MTREE_FASTER : COLL_MTREE_MAYBE_FASTER;
    }
    return fallback * doubt < trees ? COLL_MTREE_SLOWER : COLL_MTREE_MAYBE_SLOWER;
}

coll_mtree_forecast_t
coll_mtree_estimate_forecast(double trees, double fallback,
                             const double others[COLL_MTREE_RIVALS + 1])
{
    coll_mtree_forecast_t forecast = {odds_of(trees, fallback), 0};
    double least = fallback < 0 ? trees : fmin(trees, fallback);

    for (int r = 1; r <= COLL_MTREE_RIVALS; r++) {
        least = others[r] < 0 ? least : fmin(least, others[r]);
    }
    for (int r = 1; r <= COLL_MTREE_RIVALS; r++) {
        if (others[r] >= 0 && others[r] <= least * doubt_of(least)) {
            forecast.rivals |= 1u << r;
        }
    }
    return forecast;
}

/* Bits of a number that hold the odds. */
#define ODDS_BITS 2

int coll_mtree_forecast_number(coll_mtree_forecast_t forecast)
{
    return (int)(forecast.rivals << ODDS_BITS | (unsigned)forecast.odds);
}

coll_mtree_forecast_t coll_mtree_forecast_of_number(int number)
{
    return (coll_mtree_forecast_t){
        (coll_mtree_odds_t)((unsigned)number & ((1u << ODDS_BITS) - 1)),
        (unsigned)number >> ODDS_BITS};
}

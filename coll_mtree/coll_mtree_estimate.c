#include "coll_mtree_estimate.h"

#include "simulate/simulate.h"

#include <math.h>

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

double coll_mtree_estimate_plan(const mtree_plan_t *plan)
{
    double messages = plan_messages(plan) * MESSAGE_SECONDS;

    return plan->bytes <= COLL_MTREE_SHORT_BYTES ? plan->seconds + messages
                                                 : fmax(plan->seconds, messages);
}

double coll_mtree_estimate_fallback(const mtree_topology_t *topology, const int *vertices,
                                    int num_hosts, int ranks_per_host,
                                    const mtree_plan_request_t *request)
{
    mtree_simulate_options_t options;
    mtree_simulate_result_t result;
    int num_ranks = num_hosts * ranks_per_host;
    const mtree_baseline_t *baseline;
    double seconds = -1;

    if (num_ranks > MOST_RANKS) {
        return -1;
    }
    mtree_simulate_default_options(&options);
    options.bytes = (size_t)request->bytes;
    options.root = request->root;
    options.ranks_per_host = ranks_per_host;
    baseline = mtree_baseline_default(request->collective, num_ranks, options.bytes);
    if (mtree_simulate_baseline(topology, vertices, num_hosts, baseline, &options,
                                &result) == MTREE_OK) {
        seconds = result.seconds;
        mtree_simulate_result_clear(&result);
    }
    return seconds;
}

coll_mtree_forecast_t coll_mtree_estimate_forecast(double trees, double fallback)
{
    double doubt = fmin(trees, fallback) < BRIEF_SECONDS ? BRIEF_DOUBT : DOUBT;

    if (fallback < 0) {
        return COLL_MTREE_MAYBE_FASTER;
    }
    if (trees <= fallback) {
        return trees * doubt < fallback ? COLL_MTREE_FASTER : COLL_MTREE_MAYBE_FASTER;
    }
    return fallback * doubt < trees ? COLL_MTREE_SLOWER : COLL_MTREE_MAYBE_SLOWER;
}

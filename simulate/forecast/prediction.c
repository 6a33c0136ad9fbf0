/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/forecast/prediction.h"

#include "base/memory.h"
#include "planner/plan/finish.h"
#include "planner/plan/predict.h"
#include "simulate/simulate.h"

#include <math.h>
#include <stdlib.h>

/*
 * A message is a unit of work.  Its sender looks through the trees that lead to a peer:
 * each adds TREE_WORK.  Of the segments that cross arcs, SEGMENT_BYTES each, some make
 * another.
 */
#define TREE_WORK     0.01
#define SEGMENT_BYTES 131072

/* Of a part that is simulated so much is simulated again, to see how the time grows. */
#define HALF 0.5

/*
 * No smaller part tells how long the rest takes.  While the first chunks are on their way
 * a call takes the time of latencies, so links have to be busy for LEAST_TRIPS times as
 * long in half of a part.  Blocks that are sent whole have to be longer than LEAST_BLOCK,
 * since short ones are sent in another way.
 */
#define LEAST_TRIPS 2.0
#define LEAST_BLOCK ((double)(128 << 10))

/* Bytes that a queue in the network holds at least. */
#define QUEUE_BYTES 196608.0

/* Plans whose trees have more edges in all are not simulated: each edge is a stream of
 * both its ranks, which costs tens of microseconds however short the message is. */
#define MOST_EDGES 2e5

/* The bytes that the host adds up which adds up most. */
static double most_added(const mtree_plan_t *plan)
{
    const double bytes = mtree_plan_message_bits(plan) / 8.0;
    double *added = mtree_calloc((size_t)plan->num_hosts, sizeof(*added));
    double most = 0.0;

    for (int t = 0; t < plan->num_trees; t++) {
        const mtree_tree_t *tree = &plan->trees[t];

        for (int host = 0; host < plan->num_hosts; host++) {
            if (tree->parent[host] >= 0) {
                added[tree->parent[host]] += tree->share * bytes;
            }
        }
    }
    for (int host = 0; host < plan->num_hosts; host++) {
        most = fmax(most, added[host]);
    }
    free(added);
    return most;
}

/* What messages, and adding up, cost the processor of the busiest host. */
static double busiest_host(const mtree_prediction_t *on, const mtree_plan_t *plan,
                           double *messages_p)
{
    mtree_simulate_options_t options;
    double added = 0.0;

    mtree_simulate_default_options(&options);
    if (mtree_collective_reduces(plan->collective)) {
        added = most_added(plan);
    }
    return mtree_plan_messages(plan, messages_p) *
               mtree_message_cost_hop(&on->topology->cost) +
           added / options.fold_rate;
}

/* Has each edge of @a plan as many messages, however short the call is? */
static bool is_stepwise(const mtree_plan_t *plan)
{
    return plan->order != NULL || mtree_plan_num_steps(plan) > 0;
}

/* Does a whole block from host @a from to @a to take longer than the simulator says?  One
 * of several cables carries it, and where the routes of three hosts meet a queue may
 * overflow. */
static bool is_underrated(const mtree_prediction_t *on, int from, int to)
{
    int first = mtree_routes_first(on->routes, from, to);

    return (on->num_hosts > 2 && mtree_routes_links(on->routes, from, to) > 1) ||
           (first >= 0 && on->topology->links[first >> 1].num_cables > 1);
}

static bool has_underrated_edge(const mtree_prediction_t *on, const mtree_tree_t *tree)
{
    for (int host = 0; host < on->num_hosts; host++) {
        if (tree->parent[host] >= 0 && is_underrated(on, tree->parent[host], host)) {
            return true;
        }
    }
    return false;
}

static bool has_underrated_pair(const mtree_prediction_t *on)
{
    for (int from = 0; from < on->num_hosts; from++) {
        for (int to = 0; to < on->num_hosts; to++) {
            if (from != to && is_underrated(on, from, to)) {
                return true;
            }
        }
    }
    return false;
}

static bool sends_whole(const mtree_prediction_t *on, const mtree_plan_t *plan)
{
    bool is_whole = is_stepwise(plan) && plan->bytes > QUEUE_BYTES;
    bool found = is_whole && plan->order != NULL && has_underrated_pair(on);

    for (int t = 0; t < plan->num_trees && is_whole && !found; t++) {
        found = has_underrated_edge(on, &plan->trees[t]);
    }
    return found;
}

mtree_prediction_load_t mtree_prediction_load(const mtree_prediction_t *on,
                                              const mtree_plan_t *plan)
{
    const int num_arcs = 2 * on->topology->num_links;
    double *load = mtree_calloc((size_t)num_arcs, sizeof(*load));
    mtree_prediction_load_t all = {.sends_whole = sends_whole(on, plan)};

    if (plan->bytes > 0.0) {
        mtree_plan_call_load(plan, on->routes, 8.0 * plan->bytes, load);
    } else {
        mtree_plan_load(plan, on->routes, load);
    }
    for (int arc = 0; arc < num_arcs; arc++) {
        if (load[arc] > 0.0) {
            double busy = load[arc] / mtree_arc_capacity(on->topology, arc);

            all.squares += busy * busy;
            all.bits += load[arc];
        }
    }
    free(load);
    all.busiest = busiest_host(on, plan, &all.messages);
    return all;
}

double mtree_prediction_work(const mtree_plan_t *plan,
                             const mtree_prediction_load_t *load, double bytes)
{
    double part = plan->bytes > 0.0 ? bytes / plan->bytes : 1.0;

    return load->messages * (1.0 + TREE_WORK * plan->num_trees) *
               (is_stepwise(plan) ? 1.0 : part) +
           load->bits / 8.0 / SEGMENT_BYTES * part;
}

/* Seconds until the first chunks have been everywhere. */
static double first_trip(const mtree_plan_t *plan)
{
    double longest = 0.0;

    for (int t = 0; t < plan->num_trees; t++) {
        const mtree_tree_t *tree = &plan->trees[t];
        double hop =
            tree->rate > 0.0 ? 8.0 * (double)tree->chunk_bytes / tree->rate : 0.0;

        longest =
            fmax(longest, mtree_tree_delay(tree, plan->num_hosts, plan->collective) +
                              mtree_collective_passes(plan->collective) * hop *
                                  mtree_tree_height(tree, plan->num_hosts));
    }
    return longest;
}

/* The least bytes of a call over @a plan of which a part tells how long all takes. */
static double least_part(const mtree_plan_t *plan)
{
    double blocks = plan->num_trees > 0 ? plan->num_trees : plan->num_hosts;
    double least = LEAST_TRIPS * first_trip(plan) * plan->throughput / 8.0;

    return fmax(least, is_stepwise(plan) ? LEAST_BLOCK * blocks : 0.0) / HALF;
}

/* The bytes of a call over @a plan that are simulated with @a work; 0: none. */
static double simulated_bytes(const mtree_plan_t *plan,
                              const mtree_prediction_load_t *load, double work)
{
    const double whole = mtree_prediction_work(plan, load, plan->bytes);
    const double fixed = mtree_prediction_work(plan, load, 0.0);
    double bytes;

    if (mtree_plan_is_by_arrival(plan) || plan->num_hosts < 2 ||
        (double)plan->num_trees * plan->num_hosts > MOST_EDGES ||
        !(plan->throughput > 0.0)) {
        return 0.0;
    }
    if (whole <= work) {
        return plan->bytes;
    }
    bytes = floor(plan->bytes * (work / (1.0 + HALF) - fixed) / (whole - fixed));
    return bytes < least_part(plan) ? 0.0 : bytes;
}

/* Seconds that @a plan takes for @a bytes in the simulator. */
static mtree_status_t simulate(const mtree_prediction_t *on, const mtree_plan_t *plan,
                               double bytes, double *seconds_p)
{
    mtree_simulate_options_t options;
    mtree_simulate_result_t result;
    mtree_status_t status;

    mtree_simulate_default_options(&options);
    options.bytes = (size_t)bytes;
    options.root = on->request->root;
    options.network.routes = on->routes;
    status = mtree_simulate_plan(on->topology, on->hosts, on->num_hosts, plan,
                                 plan->collective, &options, &result);
    if (status == MTREE_OK) {
        *seconds_p = result.seconds;
        mtree_simulate_result_clear(&result);
    }
    return status;
}

mtree_status_t mtree_prediction_run(const mtree_prediction_t *on, mtree_plan_t *plan,
                                    const mtree_prediction_load_t *load, double work,
                                    double *work_p)
{
    double bytes = simulated_bytes(plan, load, work), seconds, half;
    mtree_status_t status;

    *work_p = mtree_prediction_work(plan, load, bytes);
    if (bytes <= 0.0) {
        return MTREE_OK;
    }
    status = simulate(on, plan, bytes, &seconds);
    if (status == MTREE_OK && bytes < plan->bytes) {
        status = simulate(on, plan, HALF * bytes, &half);
        seconds += status == MTREE_OK
                       ? (plan->bytes - bytes) * (seconds - half) / (bytes - HALF * bytes)
                       : 0.0;
        *work_p *= 1.0 + HALF;
    }
    if (status == MTREE_OK && isfinite(seconds)) {
        plan->seconds = seconds;
    }
    return status;
}

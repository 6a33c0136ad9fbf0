/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/forecast/prediction.h"

#include "simulate/forecast/forecast.h"
#include "simulate/simulate.h"

#include <math.h>

/*
 * A simulation takes about a microsecond for each SEGMENT_BYTES that cross an arc, and
 * some microseconds for each message, whose sender looks through the trees that lead to a
 * peer: each adds TREE_COST of a message.  Of a call that would take more than MOST_WORK
 * or MOST_MESSAGES of these, a part is simulated, and half of it, which tells how the
 * time grows; but no part of less than LEAST_BYTES.
 */
#define SEGMENT_BYTES 16384
#define MOST_WORK     1e5
#define MOST_MESSAGES 1.5e5
#define TREE_COST     0.01
#define LEAST_BYTES   ((double)(512 << 10))

/* Plans whose trees have more edges in all are not simulated: each edge is a stream of
 * both its ranks, which costs tens of microseconds however short the message is. */
#define MOST_EDGES 2e5

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

double mtree_prediction_bytes(const mtree_prediction_t *on, const mtree_plan_t *plan,
                              double bits)
{
    double messages, part;

    (void)mtree_plan_messages(plan, &messages);
    messages *= 1.0 + TREE_COST * plan->num_trees;
    part = fmin(MOST_WORK * SEGMENT_BYTES * 8.0 / bits, MOST_MESSAGES / messages);
    if (on->request->bytes <= MTREE_FORECAST_SHORT_BYTES ||
        mtree_plan_is_by_arrival(plan) ||
        (double)plan->num_trees * plan->num_hosts > MOST_EDGES || on->num_hosts < 2 ||
        !(plan->throughput > 0.0) || (part < 1.0 && plan->bytes * part < LEAST_BYTES)) {
        return 0.0;
    }
    return part < 1.0 ? floor(plan->bytes * part) : plan->bytes;
}

mtree_status_t mtree_prediction_run(const mtree_prediction_t *on, mtree_plan_t *plan,
                                    double bytes)
{
    double seconds, half;
    mtree_status_t status = simulate(on, plan, bytes, &seconds);

    if (status == MTREE_OK && bytes < plan->bytes) {
        status = simulate(on, plan, bytes / 2, &half);
        seconds += status == MTREE_OK
                       ? (plan->bytes - bytes) * (seconds - half) / (bytes / 2)
                       : 0.0;
    }
    if (status == MTREE_OK && isfinite(seconds)) {
        plan->seconds = seconds;
    }
    return status;
}

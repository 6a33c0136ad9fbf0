/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/forecast/choice_relays.h"

#include "planner/plan/predict.h"
#include "planner/relays/relays.h"
#include "simulate/forecast/prediction.h"

/* Trees through relays that carry this part of the bound need no others beside them. */
#define WELL_FILLED 0.9

/* Units of work of a simulation. */
#define SIMULATED_WORK 5e4

/* Bits that @a plan puts on arcs in all, for a message of its size. */
static double relayed_bits(const mtree_plan_t *plan)
{
    double bits = mtree_plan_message_bits(plan), sum = 0.0;

    for (int t = 0; t < plan->num_trees; t++) {
        for (int host = 0; host < plan->num_hosts; host++) {
            sum += plan->trees[t].parent[host] >= 0
                       ? plan->trees[t].share * bits *
                             mtree_collective_passes(plan->collective)
                       : 0.0;
        }
    }
    return sum;
}

/* A plan through relays with at most @a max_trees trees, and how long it takes; NULL:
 * none is needed. */
static mtree_status_t plan_relays(const mtree_prediction_t *on, int max_trees,
                                  mtree_plan_t **plan_p)
{
    mtree_plan_request_t request = *on->request;
    mtree_prediction_load_t load = {0};
    mtree_status_t status;
    double taken;

    request.max_trees = max_trees;
    status = mtree_relays_plan(on->topology, on->hosts, on->num_hosts, &request, plan_p);
    if (status != MTREE_OK || *plan_p == NULL || (*plan_p)->bytes <= 0.0) {
        return status;
    }
    load.bits = relayed_bits(*plan_p);
    (void)mtree_plan_messages(*plan_p, &load.messages);
    return mtree_prediction_run(on, *plan_p, &load, SIMULATED_WORK, &taken);
}

/* Do @a many trees through relays take clearly less time than @a few, or carry more? */
static bool is_faster(const mtree_plan_t *many, const mtree_plan_t *few)
{
    return few->bytes > 0.0
               ? many->seconds * (1.0 + MTREE_PREDICTION_CLOSE) < few->seconds
               : many->throughput > few->throughput * (1.0 + MTREE_PREDICTION_CLOSE);
}

/* Through relays lead far more ways than between the hosts alone.  Where few trees do not
 * fill them, *plan_p becomes one of more trees if that is faster.  A short message has
 * too few bytes for many. */
static mtree_status_t try_more_trees(const mtree_prediction_t *on, mtree_plan_t **plan_p)
{
    const mtree_plan_request_t *request = on->request;
    const mtree_plan_t *few = *plan_p;
    mtree_plan_t *many = NULL;
    mtree_status_t status;

    if (few == NULL ||
        (request->bytes > 0.0 && request->bytes <= MTREE_PREDICTION_SHORT) ||
        request->max_trees == 0 || few->throughput >= WELL_FILLED * few->bound) {
        return MTREE_OK;
    }
    status = plan_relays(on, MTREE_CHOICE_MORE_TREES * on->request->max_trees, &many);
    if (status == MTREE_OK && many != NULL && is_faster(many, few)) {
        mtree_plan_destroy(*plan_p);
        *plan_p = many;
    } else {
        mtree_plan_destroy(many);
    }
    return status;
}

mtree_status_t mtree_choice_relays(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, const mtree_plan_request_t *request,
                                   const mtree_plan_t *plan, mtree_plan_t **relayed_p)
{
    const mtree_prediction_t on = {
        .topology = topology, .hosts = hosts, .num_hosts = num_hosts, .request = request};
    mtree_plan_t *relayed = NULL;
    mtree_status_t status = MTREE_OK;

    *relayed_p = NULL;
    if (mtree_relays_unavailable(request, num_hosts) == NULL) {
        status = plan_relays(&on, request->max_trees, &relayed);
    }
    if (status == MTREE_OK) {
        status = try_more_trees(&on, &relayed);
    }
    if (status == MTREE_OK && relayed != NULL && mtree_relays_gain(relayed, plan)) {
        *relayed_p = relayed;
    } else {
        mtree_plan_destroy(relayed);
    }
    return status;
}

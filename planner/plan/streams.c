/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/streams.h"

#include "planner/plan/finish.h"
#include "planner/tuning.h"

#include <math.h>

bool mtree_streams_pay(mtree_collective_t collective, double bytes, double rate,
                       double latency, double widest, size_t chunk)
{
    double trip = 2 * latency, linkful = rate / 8 * trip;

    if (mtree_collective_is_prefix(collective) && chunk > MTREE_CHUNK_EAGER) {
        return trip >= MTREE_TUNED_LEAST_TRIP;
    }
    if (mtree_collective_is_personalized(collective) &&
        linkful * widest < MTREE_TUNED_LEAST_BLOCKS_LINKFUL) {
        return false;
    }
    return trip >= MTREE_TUNED_LEAST_TRIP &&
           bytes >= MTREE_TUNED_LEAST_LINKFULS * linkful;
}

bool mtree_plan_streams(const mtree_plan_t *plan)
{
    bool pay = plan->num_relays > 0;

    for (int t = 0; t < plan->num_trees && !pay; ++t) {
        const mtree_tree_t *tree = &plan->trees[t];
        double latency = 0.0;

        for (int host = 0; host < plan->num_hosts; ++host) {
            latency = fmax(latency, tree->latency[host]);
        }
        pay =
            mtree_streams_pay(plan->collective, plan->bytes, tree->rate, latency,
                              mtree_tree_widest(tree, plan->num_hosts, plan->collective),
                              tree->chunk_bytes);
    }
    return pay;
}

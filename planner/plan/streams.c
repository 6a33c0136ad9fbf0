/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/streams.h"

#include "planner/plan/finish.h"

#include <math.h>

/* Seconds of the shortest round trip that is long enough for a loss to matter. */
#define LEAST_TRIP 0.002

/* What a call has to move at least, in what the link holds: less of it is over before
 * congestion control has found the rate. */
#define LEAST_LINKFULS 4

/*
 * Bytes that a link holds at least of the blocks of one host for those behind another,
 * where calls are personalized.  Pairs of hosts share the links between sites.  Where
 * such a part is less, and goes over two connections, too few packets follow a lost one
 * to show it before TCP's timeout (notes/performance.md).
 */
#define LEAST_BLOCKS_LINKFUL 65536

bool mtree_streams_pay(mtree_collective_t collective, double bytes, double rate,
                       double latency, double widest, size_t chunk)
{
    double trip = 2 * latency, linkful = rate / 8 * trip;

    if (mtree_collective_is_prefix(collective) && chunk > MTREE_CHUNK_EAGER) {
        return trip >= LEAST_TRIP;
    }
    if (mtree_collective_is_personalized(collective) &&
        linkful * widest < LEAST_BLOCKS_LINKFUL) {
        return false;
    }
    return trip >= LEAST_TRIP && bytes >= LEAST_LINKFULS * linkful;
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

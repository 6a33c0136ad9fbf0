/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Public.  What a plan is asked for: the collective, its size and root, and the limits
 * that the trees must keep.
 */
#ifndef MTREE_PLANNER_PLAN_REQUEST_H
#define MTREE_PLANNER_PLAN_REQUEST_H

#include "planner/plan/plan.h"

typedef struct {
    mtree_collective_t collective;
    const char *algorithm; /* see mtree_algorithms_names(); NULL: "packing", and for
                              simulate/forecast/choice.h the fastest of several kinds */
    int root;              /* host number (position in hosts) where there is one */
    int max_trees;   /* K; 0: no limit.  For allgather and alltoall: trees per root */
    int max_height;  /* H in hops; 0: no limit */
    double min_rate; /* r-min in bits/s; 0: none */
    double bytes; /* message size (allgather: of the result; alltoall: of what each host
                     sends); 0: throughput alone */
    const int
        *relays; /* [num_relays] vertices of the topology that trees may pass through
                    besides the hosts, where that is faster, for
                    simulate/forecast/choice.h; mtree_planner_run() leaves them out */
    const char *const *relay_addresses; /* [num_relays] where they listen; NULL: as the
                                           topology says */
    int num_relays;
    const mtree_routes_t *routes; /* between the hosts, of who has them; NULL: they are
                                     found */
    unsigned seed;                /* for algorithms that draw at random */
    const mtree_plan_t *keep;     /* its trees are to stay and get the rates that are best
                                     now (planner/packing/reweight.h), whatever the algorithm;
                                     NULL: new trees */
} mtree_plan_request_t;

#endif

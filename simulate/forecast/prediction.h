/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator's prediction of how long a plan takes, within bounds of its own work: of
 * a long call a part is simulated.
 */
#ifndef MTREE_SIMULATE_FORECAST_PREDICTION_H
#define MTREE_SIMULATE_FORECAST_PREDICTION_H

#include "planner/planner.h"
#include "topo/routes.h"

/* The network and the request that plans are for; the caller's. */
typedef struct {
    const mtree_topology_t *topology;
    const int *hosts; /* [num_hosts] */
    int num_hosts;
    const mtree_plan_request_t *request;
    const mtree_routes_t *routes; /* between the hosts; NULL: plans have their own */
} mtree_prediction_t;

/* The bytes of a message of @a plan of which arcs carry @a bits in all that are simulated
 * at most; 0: that would take too long, or say nothing. */
double mtree_prediction_bytes(const mtree_prediction_t *on, const mtree_plan_t *plan,
                              double bits);

/* Have the simulator predict the seconds of @a plan, from the time of @a bytes at most.
 * Errors as of mtree_simulate_plan(). */
mtree_status_t mtree_prediction_run(const mtree_prediction_t *on, mtree_plan_t *plan,
                                    double bytes);

#endif

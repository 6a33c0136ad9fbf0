/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator's prediction of how long a plan takes, within a limit of its own work: of
 * a long call a part is simulated.
 */
#ifndef MTREE_SIMULATE_FORECAST_PREDICTION_H
#define MTREE_SIMULATE_FORECAST_PREDICTION_H

#include "planner/planner.h"
#include "topo/routes.h"

/* Up to so many bytes what messages cost processors adds to the time of the network.  For
 * longer calls the network hides it. */
#define MTREE_PREDICTION_SHORT (128 << 10)

/* Predictions that differ by no more than this part say the same. */
#define MTREE_PREDICTION_CLOSE 0.03

/* What a plan that `sends_whole` is taken to need, in what is predicted: such plans took
 * 1.2 to 2 times their prediction on eight equal hosts around a switch, and 1.75 times
 * over two cables. */
#define MTREE_PREDICTION_WHOLE 1.5

/* The network and the request that plans are for; the caller's. */
typedef struct {
    const mtree_topology_t *topology;
    const int *hosts; /* [num_hosts] */
    int num_hosts;
    const mtree_plan_request_t *request;
    const mtree_routes_t *routes; /* between the hosts; NULL: plans have their own */
} mtree_prediction_t;

/*
 * What a plan asks of links and processors.  Plans that cut what they send keep queues
 * short (schedule/chunks.h).  One that sends blocks whole overflows a queue that holds
 * fewer, and uses one of several cables at a time.  The simulator knows neither.
 */
typedef struct {
    double squares;  /* sum of the squares of the seconds for which each arc is busy; of a
                        plan for throughput alone, of the parts of its capacity */
    double bits;     /* that cross arcs in all */
    double messages; /* in all */
    double busiest;  /* seconds of the busiest host's processor */
    bool sends_whole; /* see above */
} mtree_prediction_load_t;

/* The load of a call over @a plan, which has no relays. */
mtree_prediction_load_t mtree_prediction_load(const mtree_prediction_t *on,
                                              const mtree_plan_t *plan);

/* Units of work, a few microseconds each, that the simulation of @a bytes of @a plan
 * takes, whose load is @a load. */
double mtree_prediction_work(const mtree_plan_t *plan,
                             const mtree_prediction_load_t *load, double bytes);

/*
 * Have the simulator predict the seconds of @a plan with at most about @a work units.  Of
 * a longer call it simulates a part, and half of it, which tells how the time grows.
 * *work_p: what it took; 0: the plan was not simulated, and its seconds stay, since so
 * small a part says nothing.  Errors as of mtree_simulate_plan().
 */
mtree_status_t mtree_prediction_run(const mtree_prediction_t *on, mtree_plan_t *plan,
                                    const mtree_prediction_load_t *load, double work,
                                    double *work_p);

#endif

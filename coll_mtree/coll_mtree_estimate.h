/*
 * Estimates: how long a plan would take, how long what Open MPI would do, and what that
 * says about which of them to use.
 */
#ifndef MCA_COLL_MTREE_ESTIMATE_H
#define MCA_COLL_MTREE_ESTIMATE_H

#include "planner/planner.h"

/* Up to so many bytes what each message costs adds to what the network takes; above, it
 * is hidden behind it. */
#define COLL_MTREE_SHORT_BYTES (128 << 10)

/* What is expected of mtree, next to the fallback. */
typedef enum {
    COLL_MTREE_FASTER,       /* clearly */
    COLL_MTREE_MAYBE_FASTER, /* so close that only a trial tells */
    COLL_MTREE_MAYBE_SLOWER,
    COLL_MTREE_SLOWER
} coll_mtree_forecast_t;

/* Seconds that @a plan, which predicts them for its bytes, takes when the busiest host's
 * messages are counted, too. */
double coll_mtree_estimate_plan(const mtree_plan_t *plan);

/*
 * Seconds that Open MPI's default algorithm takes in the simulator (simulate/baseline.h)
 * for the collective, root and bytes of @a request between @a num_hosts hosts at @a
 * vertices, with @a ranks_per_host ranks each; negative when it cannot be told.
 */
double coll_mtree_estimate_fallback(const mtree_topology_t *topology, const int *vertices,
                                    int num_hosts, int ranks_per_host,
                                    const mtree_plan_request_t *request);

/* What follows from the estimates of both, in seconds; @a fallback may be negative, not
 * known. */
coll_mtree_forecast_t coll_mtree_estimate_forecast(double trees, double fallback);

#endif

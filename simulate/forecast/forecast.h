/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Estimates: how long a plan would take, how long what Open MPI would do, and what that
 * says about which of them to use.
 */
#ifndef MTREE_SIMULATE_FORECAST_FORECAST_H
#define MTREE_SIMULATE_FORECAST_FORECAST_H

#include "planner/planner.h"

/* Up to so many bytes what each message costs adds to what the network takes; above, it
 * is hidden behind it. */
#define MTREE_FORECAST_SHORT_BYTES (128 << 10)

/* What is expected of mtree, next to the fallback. */
typedef enum {
    MTREE_FORECAST_FASTER,       /* clearly */
    MTREE_FORECAST_MAYBE_FASTER, /* so close that only a trial tells */
    MTREE_FORECAST_MAYBE_SLOWER,
    MTREE_FORECAST_SLOWER
} mtree_confidence_t;

/*
 * Base algorithms: algorithms of Open MPI (ompi/mca/coll/base) that are tried besides the
 * one that it takes by default.  Those of one collective are numbered from 1; 0 is none.
 * Where counts and datatypes may differ between ranks, none of them cuts messages by
 * count: such an algorithm is right only where these do not differ.
 */
enum {
    MTREE_BASE_ALLREDUCE_DOUBLING = 1,
    MTREE_BASE_ALLREDUCE_RING,
    MTREE_BASE_ALLREDUCE_RABENSEIFNER
};
enum {
    MTREE_BASE_REDUCE_LINEAR = 1,
    MTREE_BASE_REDUCE_BINOMIAL,
    MTREE_BASE_REDUCE_PIPELINE,
    MTREE_BASE_REDUCE_RABENSEIFNER
};
enum { MTREE_BASE_BCAST_LINEAR = 1, MTREE_BASE_BCAST_BINOMIAL, MTREE_BASE_BCAST_KNOMIAL };
enum {
    MTREE_BASE_ALLGATHER_BRUCK = 1,
    MTREE_BASE_ALLGATHER_RING,
    MTREE_BASE_ALLGATHER_DOUBLING
};
enum {
    MTREE_BASE_REDUCE_SCATTER_HALVING = 1,
    MTREE_BASE_REDUCE_SCATTER_BUTTERFLY,
    MTREE_BASE_REDUCE_SCATTER_RING
};

/* The most that a collective has. */
#define MTREE_BASE_ALGORITHMS 4

/* The bytes by which those that are pipelines cut messages. */
#define MTREE_BASE_ALGORITHM_SEGMENT 65536

/* The name of a collective's base_algorithm, as in simulate/baseline/baseline.h; NULL:
 * there is none with this number. */
const char *mtree_base_algorithm_name(mtree_collective_t collective, int base_algorithm);

/* Is there one with this number that Open MPI does not take by default for @a bytes among
 * @a ranks ranks? */
bool mtree_base_algorithm_is_other(mtree_collective_t collective, int base_algorithm,
                                   int ranks, size_t bytes);

/* With what is expected of Open MPI's other algorithms. */
typedef struct {
    mtree_confidence_t confidence;
    unsigned base_algorithms; /* bit r: base_algorithm r may be faster than both */
} mtree_forecast_t;

/* No others may be faster. */
static inline mtree_forecast_t mtree_forecast_of(mtree_confidence_t confidence)
{
    return (mtree_forecast_t){confidence, 0};
}

/* A forecast as a number that is sent, and back. */
int mtree_forecast_encode(mtree_forecast_t forecast);
mtree_forecast_t mtree_forecast_decode(int number);

/* Seconds that @a plan promises for @a bytes: what it says, else by its throughput. */
double mtree_forecast_promised_seconds(const mtree_plan_t *plan, double bytes);

/* Seconds that @a plan, which predicts them for its bytes, takes when the busiest host's
 * messages are counted, too. */
double mtree_forecast_plan_seconds(const mtree_plan_t *plan);

/*
 * Seconds that Open MPI's default algorithm takes in the simulator
 * (simulate/baseline/baseline.h) for the collective, root and bytes of @a request between
 * @a num_hosts hosts at @a vertices, with @a ranks_per_host ranks each; negative when it
 * cannot be told.
 */
double mtree_forecast_fallback_seconds(const mtree_topology_t *topology,
                                       const int *vertices, int num_hosts,
                                       int ranks_per_host,
                                       const mtree_plan_request_t *request);

/* Seconds that base_algorithm @a base_algorithm takes, told in the same way; negative
 * when there is none.
 */
double mtree_forecast_base_algorithm_seconds(const mtree_topology_t *topology,
                                             const int *vertices, int num_hosts,
                                             int ranks_per_host,
                                             const mtree_plan_request_t *request,
                                             int base_algorithm);

/*
 * What follows from the estimates, in seconds, of trees, the fallback (negative: not
 * known) and @a others [1..MTREE_BASE_ALGORITHMS] (negative: not to be tried).
 */
mtree_forecast_t mtree_forecast_make(double trees, double fallback,
                                     const double others[MTREE_BASE_ALGORITHMS + 1]);

#endif

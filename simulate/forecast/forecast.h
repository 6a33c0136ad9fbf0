/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forecasts: the expected time of a plan and of Open MPI's algorithms, and which of them
 * are worth a trial.  Pure decisions; times are in seconds.
 */
#ifndef MTREE_SIMULATE_FORECAST_FORECAST_H
#define MTREE_SIMULATE_FORECAST_FORECAST_H

#include "planner/planner.h"

/* Up to so many bytes the cost of each message adds to the time of the network.  For
 * longer messages the network hides it. */
#define MTREE_FORECAST_SHORT_BYTES (128 << 10)

/* The expectation of a plan compared with the fallback. */
typedef enum {
    MTREE_FORECAST_FASTER,       /* clearly */
    MTREE_FORECAST_MAYBE_FASTER, /* too close to decide without a trial */
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

enum { MTREE_BASE_GATHER_LINEAR = 1, MTREE_BASE_GATHER_BINOMIAL };
enum { MTREE_BASE_SCATTER_LINEAR = 1, MTREE_BASE_SCATTER_BINOMIAL };
enum {
    MTREE_BASE_ALLTOALL_LINEAR = 1,
    MTREE_BASE_ALLTOALL_PAIRWISE,
    MTREE_BASE_ALLTOALL_BRUCK
};

enum { MTREE_BASE_SCAN_LINEAR = 1, MTREE_BASE_SCAN_DOUBLING };

/* The most that a collective has. */
#define MTREE_BASE_ALGORITHMS 4

/* The bytes of a segment of those that are pipelines. */
#define MTREE_BASE_ALGORITHM_SEGMENT 65536

/* The name of base algorithm @a base_algorithm of a collective, as in
 * simulate/baseline/baseline.h; NULL: there is none with this number. */
const char *mtree_base_algorithm_name(mtree_collective_t collective, int base_algorithm);

/* Is there one with this number that is not Open MPI's default for @a bytes among @a
 * ranks ranks? */
bool mtree_base_algorithm_is_other(mtree_collective_t collective, int base_algorithm,
                                   int ranks, size_t bytes);

/* The same, with the base algorithms that are worth a trial. */
typedef struct {
    mtree_confidence_t confidence;
    unsigned base_algorithms; /* bit r: base algorithm r may be faster than both */
    double seconds;  /* that the plan is expected to take; 0: nothing is compared */
    double fallback; /* the same of the fallback; 0: not known */
} mtree_forecast_t;

/* A forecast without base algorithms. */
static inline mtree_forecast_t mtree_forecast_of(mtree_confidence_t confidence)
{
    return (mtree_forecast_t){.confidence = confidence};
}

/* Seconds that @a plan predicts for @a bytes, or that follow from its throughput. */
double mtree_forecast_promised_seconds(const mtree_plan_t *plan, double bytes);

/* Seconds that @a plan predicts for its bytes, with the cost of the messages of the
 * busiest host. */
double mtree_forecast_plan_seconds(const mtree_plan_t *plan);

/*
 * Seconds that Open MPI's default algorithm takes in the simulator for the collective,
 * root and bytes of @a request between @a num_hosts hosts, the vertices @a vertices, with
 * @a ranks_per_host ranks each; negative: not known, as with more than 1,024 hosts
 * (most of alltoall: 256).
 */
double mtree_forecast_fallback_seconds(const mtree_topology_t *topology,
                                       const int *vertices, int num_hosts,
                                       int ranks_per_host,
                                       const mtree_plan_request_t *request);

/* The same for base algorithm @a base_algorithm; negative: not known, as with more than
 * 64 ranks, or there is none. */
double mtree_forecast_base_algorithm_seconds(const mtree_topology_t *topology,
                                             const int *vertices, int num_hosts,
                                             int ranks_per_host,
                                             const mtree_plan_request_t *request,
                                             int base_algorithm);

/*
 * The forecast from the expected seconds of the trees, of the fallback (negative: not
 * known) and of base algorithms @a others [1..MTREE_BASE_ALGORITHMS] (negative: not to be
 * tried).
 */
mtree_forecast_t mtree_forecast_make(double trees, double fallback,
                                     const double others[MTREE_BASE_ALGORITHMS + 1]);

#endif

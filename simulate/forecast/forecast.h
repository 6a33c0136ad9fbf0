/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Forecasts: the expected time of a plan and of Open MPI's default algorithm, and which
 * of the two serves.  Pure decisions; times are in seconds.
 */
#ifndef MTREE_SIMULATE_FORECAST_FORECAST_H
#define MTREE_SIMULATE_FORECAST_FORECAST_H

#include "planner/planner.h"
#include "simulate/baseline/baseline.h"

/* What is expected of calls over a plan. */
typedef struct {
    bool pays;       /* mtree serves them; else the fallback does */
    double seconds;  /* that they are expected to take; 0: nothing is compared */
    double fallback; /* the same of the fallback; 0: not known */
} mtree_forecast_t;

/* A forecast that compares nothing. */
static inline mtree_forecast_t mtree_forecast_of(bool pays)
{
    return (mtree_forecast_t){.pays = pays};
}

/*
 * Seconds that the default algorithm of @a openmpi takes in the simulator for the
 * collective, root and bytes of @a request between @a num_hosts hosts, the vertices @a
 * vertices, with @a ranks_per_host ranks each; negative: not known, as with more than
 * 1,024 hosts (most of alltoall: 256).
 */
double mtree_forecast_fallback_seconds(mtree_openmpi_t openmpi,
                                       const mtree_topology_t *topology,
                                       const int *vertices, int num_hosts,
                                       int ranks_per_host,
                                       const mtree_plan_request_t *request);

/* The forecast from the expected seconds of a plan and of the fallback (negative: not
 * known).  What is not known is not left to the fallback. */
mtree_forecast_t mtree_forecast_make(double plan, double fallback);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Arrival samples: when a rank arrived at a blocking call, as one rank observed it, and
 * when the hosts arrived, as rank 0 solves it from the samples of all ranks
 * (schedule/arrival_times.h).  No Open MPI header is used.
 */
#ifndef COLL_MTREE_ADAPT_ARRIVAL_SAMPLE_H
#define COLL_MTREE_ADAPT_ARRIVAL_SAMPLE_H

#include "coll_mtree/adapt/observation.h"

#include "schedule/arrival_times.h"

/* What this rank contributes of the call of @a observation. */
void coll_mtree_arrival_sample_take(const coll_mtree_observation_t *observation,
                                    mtree_arrival_time_t *sample_p);

/*
 * When the last rank of each host arrived at a call over @a plan, in seconds since the
 * first rank of all: @a arrivals [hosts] of zeros, raised; @a host and @a samples are
 * [num_ranks].  False: that does not follow from the samples, or no memory.
 */
bool coll_mtree_arrival_sample_solve(const mtree_plan_t *plan, const int *host,
                                     int num_ranks, const mtree_arrival_time_t *samples,
                                     double *arrivals);

/* Seconds between the first and the last of @a arrivals [num_hosts].  Hosts that arrive
 * before the root of a broadcast (@a root; negative: not a broadcast) count as arriving
 * with it, since they wait for it anyway. */
double coll_mtree_arrival_sample_spread(const double *arrivals, int num_hosts, int root);

#endif

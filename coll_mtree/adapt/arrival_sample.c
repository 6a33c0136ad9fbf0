/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/arrival_sample.h"

#include <math.h>
#include <stdlib.h>

/*
 * In an arrival-ordered call each rank is one edge away from the coordinator, which noted
 * the moment of each rank's report.  A coordinator may have left before some reports,
 * with a copy for these ranks: they arrive now at the earliest.
 */
static void take_by_arrival(const coll_mtree_observation_t *observation,
                            mtree_arrival_time_t *sample)
{
    const double *times = observation->arrival_times;
    int self = observation->rank, coordinator = 0;

    while (coordinator < observation->num_ranks - 1 &&
           (times[coordinator] < 0 || times[coordinator] > 0)) {
        coordinator++;
    }
    mtree_arrival_time_init(sample, self, times[self] < 0 ? coordinator : self, 0);
    for (int rank = 0; rank < observation->num_ranks; rank++) {
        if (rank != self && times[self] >= 0) {
            mtree_arrival_time_add(sample, rank,
                                   times[rank] < 0 ? observation->seconds : times[rank]);
        }
    }
}

/* In a tree neighbours share the moment at which their first chunk passes. */
static void take_by_tree(const coll_mtree_observation_t *observation,
                         mtree_arrival_time_t *sample)
{
    const mtree_stream_t *stream = observation->first_stream;
    double met = mtree_goodput_had_contact(observation->goodput, stream->parent);

    if (stream->parent < 0) {
        mtree_arrival_time_init(sample, observation->rank, observation->rank, 0);
    } else if (met >= 0) {
        mtree_arrival_time_init(sample, observation->rank, stream->parent, met);
    }
    for (int i = 0; i < stream->num_children; i++) {
        met = mtree_goodput_had_contact(observation->goodput, stream->children[i]);
        if (met >= 0) {
            mtree_arrival_time_add(sample, stream->children[i], met);
        }
    }
}

void coll_mtree_arrival_sample_take(const coll_mtree_observation_t *observation,
                                    mtree_arrival_time_t *sample_p)
{
    mtree_arrival_time_init(sample_p, observation->rank, -1, 0);
    if (observation->arrival_times != NULL) {
        take_by_arrival(observation, sample_p);
    } else if (observation->goodput != NULL && observation->first_stream != NULL) {
        take_by_tree(observation, sample_p);
    }
}

/* Seconds that a chunk takes from each rank's neighbour, see mtree_arrival_times_solve().
 */
static void fill_latencies(const mtree_plan_t *plan, const int *host, int num_ranks,
                           const mtree_arrival_time_t *samples, double *latency)
{
    double sign = mtree_collective_reduces(plan->collective) ? -1 : 1;

    for (int rank = 0; rank < num_ranks; rank++) {
        int toward = samples[rank].parent;

        latency[rank] = toward < 0 || toward >= num_ranks || host[toward] == host[rank] ||
                                mtree_plan_is_by_arrival(plan)
                            ? 0
                            : sign * plan->trees[0].latency[host[rank]];
    }
}

bool coll_mtree_arrival_sample_solve(const mtree_plan_t *plan, const int *host,
                                     int num_ranks, const mtree_arrival_time_t *samples,
                                     double *arrivals)
{
    double *seconds = calloc(2 * (size_t)num_ranks, sizeof(*seconds));
    double *latency = seconds + num_ranks;
    bool solved;

    if (seconds == NULL) {
        return false;
    }
    fill_latencies(plan, host, num_ranks, samples, latency);
    solved = mtree_arrival_times_solve(samples, num_ranks, latency, seconds);
    for (int rank = 0; solved && rank < num_ranks; rank++) {
        arrivals[host[rank]] = fmax(arrivals[host[rank]], seconds[rank]);
    }
    free(seconds);
    return solved;
}

double coll_mtree_arrival_sample_spread(const double *arrivals, int num_hosts, int root)
{
    double first = INFINITY, last = 0;

    for (int h = 0; h < num_hosts; h++) {
        double arrival = root < 0 ? arrivals[h] : fmax(arrivals[h], arrivals[root]);

        first = fmin(first, arrival);
        last = fmax(last, arrival);
    }
    return last - first;
}

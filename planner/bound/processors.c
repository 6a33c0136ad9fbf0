/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/bound/processors.h"

#include <stdlib.h>

/* The end of a message from each of so many hosts. */
typedef struct {
    double at; /* seconds */
    double from;
} told_t;

double mtree_processors_telling(const mtree_processor_costs_t *costs, int num_hosts,
                                double latency)
{
    const double trip = 2.0 * costs->overhead + latency;
    const double ranks = costs->ranks_per_host > 1 ? costs->ranks_per_host : 1;
    told_t *told = calloc((size_t)num_hosts, sizeof(*told));
    int num = 1, by_new = 0, by_old = 0;
    double known = 1.0 + ranks, seconds;

    if (told == NULL || num_hosts < 2 || costs->overhead <= 0.0) {
        free(told);
        return 0.0;
    }
    told[0] = (told_t){trip, 1.0};
    /* Who sent a message sends the next; who got it, its first.  Both in their order, so
     * that the next to be told is the sooner one. */
    while (known < num_hosts) {
        const told_t *old = &told[by_old], *new = &told[by_new];

        if (old->at + costs->overhead <= new->at + trip) {
            told[num] = (told_t){old->at + costs->overhead, old->from};
            by_old++;
        } else {
            told[num] = (told_t){new->at + trip, new->from *ranks};
            by_new++;
        }
        known += told[num++].from * ranks;
    }
    seconds = told[num - 1].at;
    free(told);
    return seconds;
}

double mtree_processors_adding(const mtree_processor_costs_t *costs,
                               mtree_collective_t collective, double bytes, int num_ranks,
                               int num_relays)
{
    if (!mtree_collective_reduces(collective) || costs->fold_rate <= 0.0) {
        return 0.0;
    }
    return bytes / costs->fold_rate * (num_ranks - 1) / (num_ranks + num_relays);
}

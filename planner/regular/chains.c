/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/regular/chains.h"

#include "base/log.h"

#include <math.h>
#include <stdlib.h>

/* Cutting two or three objects gives a chain of as many again. */
#define LEAST_TO_CUT 4

static double transfer_time(const mtree_chains_link_t *link)
{
    return 8 * link->bytes / link->bandwidth;
}

double mtree_chains_time_1d(int num_objects, const mtree_chains_link_t *link)
{
    return transfer_time(link) + (num_objects - 1) * link->latency;
}

double mtree_chains_time_2d(int num_objects, const mtree_chains_link_t *link)
{
    return 2 * (transfer_time(link) + (sqrt(num_objects) - 1) * link->latency);
}

bool mtree_chains_use_2d(int num_objects, const mtree_chains_link_t *link)
{
    return num_objects * link->latency > transfer_time(link);
}

double mtree_chains_switch_bytes(int num_objects, double bandwidth, double latency)
{
    double hops = sqrt(num_objects) - 1;

    return bandwidth * latency * hops * hops / 8;
}

/*
 * Chain the @a count participants in @a order towards the last, which is returned: it is
 * the only one that is left without a parent.  @a results is scratch for @a count
 * participants more.
 */
static int chain(const int *order, int count, const mtree_chains_link_t *link,
                 int *parent, int *results)
{
    int parts = (int)ceil(sqrt(count));
    int i;

    if (count < LEAST_TO_CUT || !mtree_chains_use_2d(count, link)) {
        for (i = 0; i + 1 < count; i++) {
            parent[order[i]] = order[i + 1];
        }
        return order[count - 1];
    }
    for (i = 0; i < parts; i++) {
        int first = (int)((long)i * count / parts);
        int end = (int)((long)(i + 1) * count / parts);

        results[i] = chain(&order[first], end - first, link, parent, results + parts);
    }
    return chain(results, parts, link, parent, results + parts);
}

mtree_status_t mtree_chains_build(const int *arrivals, int num_objects, int receiver,
                                  const mtree_chains_link_t *link, int *parent_p)
{
    /* A cut of n takes sqrt(n) places, and what it cuts further takes less than as many
     * again. */
    int *results = malloc((2 * (size_t)num_objects + LEAST_TO_CUT) * sizeof(*results));

    if (results == NULL) {
        mtree_error("chains: no memory for %d objects; use fewer", num_objects);
        return MTREE_ERR_NO_MEMORY;
    }
    parent_p[receiver] = -1;
    if (num_objects > 0) {
        parent_p[chain(arrivals, num_objects, link, parent_p, results)] = receiver;
    }
    free(results);
    return MTREE_OK;
}

int mtree_chains_depth(const int *parent, int num_participants)
{
    int deepest = 0;
    int i;

    for (i = 0; i < num_participants; i++) {
        int hops = 0;
        int at;

        for (at = i; parent[at] >= 0; at = parent[at]) {
            hops++;
        }
        deepest = hops > deepest ? hops : deepest;
    }
    return deepest;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/chain_times.h"

#include <math.h>

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

double mtree_chains_switch_bytes(int num_objects, double bandwidth, double latency)
{
    double hops = sqrt(num_objects) - 1;

    return bandwidth * latency * hops * hops / 8;
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

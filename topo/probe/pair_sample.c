/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/pair_sample.h"

#include "base/random.h"

#include <math.h>

#define RANDOM_PAIRS 2 /* of each host, and one more with every doubling of the hosts */

static mtree_status_t all_pairs(int num_hosts, mtree_probe_pair_func_t func, void *data)
{
    mtree_status_t status = MTREE_OK;

    for (int from = 0; from < num_hosts; ++from) {
        for (int to = 0; status == MTREE_OK && to < num_hosts; ++to) {
            status = (from == to) ? MTREE_OK : func(data, from, to);
        }
    }
    return status;
}

mtree_status_t mtree_probe_pair_sample(int num_hosts, uint64_t seed,
                                       mtree_probe_pair_func_t func, void *data)
{
    int count = RANDOM_PAIRS + (int)ceil(log2(num_hosts));
    mtree_status_t status = MTREE_OK;
    mtree_random_t random;
    int to;

    if (num_hosts <= MTREE_PROBE_SAMPLE_ALL) {
        return all_pairs(num_hosts, func, data);
    }
    mtree_random_init(&random, seed);
    for (int from = 0; from < num_hosts; ++from) {
        for (int i = 0; status == MTREE_OK && i <= count; ++i) {
            to = (i == 0) ? (from + 1) % num_hosts
                          : (int)mtree_random_below(&random, (uint64_t)num_hosts);
            if (to != from) {
                status = func(data, from, to);
            }
            if (to != from && status == MTREE_OK) {
                status = func(data, to, from);
            }
        }
    }
    return status;
}

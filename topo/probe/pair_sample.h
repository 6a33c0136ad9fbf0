/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The pairs of hosts whose routes are traced.
 */
#ifndef MTREE_TOPO_PROBE_PAIR_SAMPLE_H
#define MTREE_TOPO_PROBE_PAIR_SAMPLE_H

#include "base/status.h"

#include <stdint.h>

/* Up to this number of hosts all routes are traced. */
#define MTREE_PROBE_SAMPLE_ALL 128

/* A pair, in this direction. */
typedef mtree_status_t (*mtree_probe_pair_func_t)(void *data, int from, int to);

/*
 * Call @a func with the pairs of @a num_hosts hosts whose routes are to be traced, until
 * it fails; returns its status.  These are all pairs of up to MTREE_PROBE_SAMPLE_ALL
 * hosts; of more, each host with the next one and with 2 + log2(num_hosts) random ones,
 * in both directions, because the path back shows other addresses of the same routers.  A
 * pair may come twice.
 */
mtree_status_t mtree_probe_pair_sample(int num_hosts, uint64_t seed,
                                       mtree_probe_pair_func_t func, void *data);

#endif

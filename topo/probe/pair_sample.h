/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which pairs of hosts stand for all of them.
 */
#ifndef MTREE_TOPO_PROBE_PAIR_SAMPLE_H
#define MTREE_TOPO_PROBE_PAIR_SAMPLE_H

#include "base/status.h"

#include <stdint.h>

/* Up to so many hosts all routes are traced. */
#define MTREE_PROBE_SAMPLE_ALL 128

/* A pair, in this direction. */
typedef mtree_status_t (*mtree_probe_pair_func_t)(void *data, int from, int to);

/*
 * Call @a func with the pairs of @a num_hosts hosts whose routes are to be traced, until
 * it fails; its status then.  All of them up to MTREE_PROBE_SAMPLE_ALL hosts; beyond,
 * each host to the next one and to 2 + log2(num_hosts) drawn at random, and back, for the
 * way back shows other addresses of the same routers.  A pair may come twice.
 */
mtree_status_t mtree_probe_pair_sample(int num_hosts, uint64_t seed,
                                       mtree_probe_pair_func_t func, void *data);

#endif

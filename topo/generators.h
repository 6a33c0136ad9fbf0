/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regular and random topologies, and capacities and latencies drawn at random for any
 * topology.
 */
#ifndef MTREE_TOPO_GENERATORS_H
#define MTREE_TOPO_GENERATORS_H

#include "topo/topology.h"

#include <stdint.h>

typedef struct {
    double capacity; /* bits/s of each link, each direction */
    double latency;  /* seconds of each link */
    uint64_t seed;   /* of random:HOSTS:LINKS */
} mtree_generate_request_t;

/*
 * Make the topology that @a shape names:
 *
 *   torus:AxB[xC]      hosts on a grid, each dimension a ring
 *   mesh:AxB[xC]       hosts on a grid
 *   ring:N             N hosts
 *   star:N             N hosts around a switch
 *   fattree:K          3 levels of K-port switches, K^3/4 hosts (K even)
 *   fattree:LxH        L leaf switches of H hosts and H spine switches, one link from
 *                      each leaf to each; two leaves are joined directly by one link of H
 *                      times the capacity
 *   bigraph:MxN        M upper and M lower switches, each joined to all of the other
 *                      stage, M*N hosts spread evenly; the links between the stages have
 *                      the capacity of the hosts' in all (EFLOPS' BiGraph,
 *                      papers/multitree: 4x8 and 4x16)
 *   tree:AxB[xC]       a switch, A switches below it and B hosts below each of these, or
 *                      B switches and C hosts below each of them
 *   random:N:L         N hosts and L links, connected: a random tree, then random pairs
 *
 * Owned by the caller.  MTREE_ERR_INVALID and MTREE_ERR_LIMIT are logged.
 */
mtree_status_t mtree_generate(const char *shape, const mtree_generate_request_t *request,
                              mtree_topology_t **topology_p);

/*
 * Draw every link's capacity as papers/mtree IV-A does (mean 200 Mb/s there): a whole
 * multiple of @a mean / 20, uniform in mean * [1 - skew/2, 1 + skew/2], the same in both
 * directions.  @a skew is in [0, 1].
 */
void mtree_generate_capacities(mtree_topology_t *topology, double mean, double skew,
                               uint64_t seed);

/*
 * Give every link a latency between @a least and @a most seconds that falls with the
 * inverse of its capacity as papers/mtree IV-A and IV-C do: 1 / capacity scaled such that
 * @a low bits/s gives @a most and @a high gives @a least, in whole microseconds.
 * Capacities outside get the nearer end.
 */
void mtree_generate_latencies(mtree_topology_t *topology, double low, double high,
                              double least, double most);

#endif

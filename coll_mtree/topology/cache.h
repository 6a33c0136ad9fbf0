/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache of topologies (topo/dot/cache.h) for the hosts of a communicator.
 */
#ifndef COLL_MTREE_TOPOLOGY_CACHE_H
#define COLL_MTREE_TOPOLOGY_CACHE_H

#include "coll_mtree/control/host.h"

#include "topo/dot/cache.h"
#include "topo/topology.h"

/* The cache for @a hosts; to be cleaned up.  It names the fabric that carries messages.
 * No hosts: names are coll_mtree_hosts's, of which nothing is kept. */
void coll_mtree_topology_cache_init(mtree_cache_t *cache,
                                    const coll_mtree_hosts_t *hosts);

/* Where @a cache has a topology of its hosts, write @a topology, which it turned out to
 * be while the job ran, as old as that. */
void coll_mtree_topology_cache_correct(mtree_cache_t *cache,
                                       const mtree_topology_t *topology);

#endif

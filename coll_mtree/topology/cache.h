/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The cache of topologies (topo/dot/cache.h) for the hosts of a communicator.
 */
#ifndef COLL_MTREE_TOPOLOGY_CACHE_H
#define COLL_MTREE_TOPOLOGY_CACHE_H

#include "coll_mtree/control/host.h"

/*
 * What the cache has for the hosts of @a contribution [ranks]; @a host [ranks] is the
 * number of each rank's host.  Malloc'ed; NULL when there is nothing or, with one line,
 * when it does not fit.  Hosts whose names a test gives are not looked for.
 */
char *coll_mtree_topology_cache_read(const coll_mtree_host_t *contribution, int ranks,
                                     const int *host, int num_hosts);

/* Write @a text, a topology, for them. */
void coll_mtree_topology_cache_write(const coll_mtree_host_t *contribution, int ranks,
                                     const int *host, int num_hosts, const char *text);

#endif

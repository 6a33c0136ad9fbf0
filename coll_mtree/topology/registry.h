/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The topologies that this process has: the user's, and those that it has learned, from
 * the probe or from the cache, for all communicators.  They stay until the end of the
 * job.
 */
#ifndef COLL_MTREE_TOPOLOGY_REGISTRY_H
#define COLL_MTREE_TOPOLOGY_REGISTRY_H

#include "coll_mtree/control/host.h"

#include "topo/topology.h"

/* That of coll_mtree_topology; NULL, which is logged once, when it cannot be used.  One
 * thread at a time may call. */
const mtree_topology_t *coll_mtree_topology_registry_user(void);

/* No round trip between two hosts takes longer by coll_mtree_topology, seconds; 0: each
 * link is short, or names its ends, or there is no such file. */
double coll_mtree_topology_registry_user_trip(void);

/* Keep the topology that @a text of @a length bytes describes; @a origin is its name in
 * messages ("the probe").  NULL, which is logged, when it cannot be read. */
const mtree_topology_t *coll_mtree_topology_registry_add(const char *text, size_t length,
                                                         const char *origin);

/* The newest topology with all hosts of @a contribution [ranks], or NULL. */
const mtree_topology_t *
coll_mtree_topology_registry_find(const coll_mtree_host_t *contribution, int ranks);

/* Free all. */
void coll_mtree_topology_registry_close(void);

#endif

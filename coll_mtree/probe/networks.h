/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0's side of trying networks (coll_mtree/probe/cables.h).
 */
#ifndef COLL_MTREE_PROBE_NETWORKS_H
#define COLL_MTREE_PROBE_NETWORKS_H

#include "coll_mtree/control/host.h"
#include "coll_mtree/probe/coordinator.h"

/* Find the networks between the hosts of @a coordinator, which are known by @a
 * contributions, and try them.  @a networks, all zero, is to be cleaned up in any
 * case. */
mtree_status_t coll_mtree_probe_networks(coll_mtree_probe_coordinator_t *coordinator,
                                         const coll_mtree_host_t *contributions,
                                         mtree_networks_t *networks);

#endif

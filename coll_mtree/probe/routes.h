/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routes between the hosts, as the network's routers reveal them
 * (topo/probe/traceroute_search.h).
 */
#ifndef COLL_MTREE_PROBE_ROUTES_H
#define COLL_MTREE_PROBE_ROUTES_H

#include "coll_mtree/control/host.h"
#include "coll_mtree/probe/coordinator.h"

#include "topo/probe/traceroute_search.h"

/*
 * Search for the routes between @a hosts [coordinator->num_hosts] for about @a seconds.
 * That routers reveal nothing is no error.  Free *search_p, in any case, with
 * mtree_traceroute_search_destroy().
 */
mtree_status_t coll_mtree_probe_search(coll_mtree_probe_coordinator_t *coordinator,
                                       const coll_mtree_host_t *hosts, double seconds,
                                       mtree_traceroute_search_t **search_p);

/* Add the routes that were found to @a probe. */
mtree_status_t coll_mtree_probe_add_routes(const mtree_traceroute_search_t *search,
                                           int num_hosts, mtree_probe_t *probe);

#endif

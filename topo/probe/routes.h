/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The routes that hop-limited probes saw, and the network they show.
 */
#ifndef MTREE_TOPO_PROBE_ROUTES_H
#define MTREE_TOPO_PROBE_ROUTES_H

#include "topo/probe/graph.h"

typedef struct mtree_probe_routes mtree_probe_routes_t;

/* No routes between @a num_hosts hosts whose addresses are @a addresses (copied). */
mtree_status_t mtree_probe_routes_create(const char *const *addresses, int num_hosts,
                                         mtree_probe_routes_t **routes_p);
void mtree_probe_routes_destroy(mtree_probe_routes_t *routes);

/* As mtree_probe_add_address() and mtree_probe_add_route(). */
mtree_status_t mtree_probe_routes_add_address(mtree_probe_routes_t *routes, int host,
                                              const char *address);
mtree_status_t mtree_probe_routes_add(mtree_probe_routes_t *routes, int from, int to,
                                      const char *const *hops, int num_hops);

/* Routes added; of the same two hosts the last one counts. */
int mtree_probe_routes_count(const mtree_probe_routes_t *routes);

/* Is a route from @a from to @a to there? */
bool mtree_probe_routes_known(const mtree_probe_routes_t *routes, int from, int to);

/*
 * The network that the routes show, indexed; addresses that are one router's are one
 * vertex, and routers that do not answer are told apart by their neighbours
 * (docs/probe.md, "Routes").  The caller clears *graph_p.
 */
mtree_status_t mtree_probe_routes_resolve(mtree_probe_routes_t *routes,
                                          mtree_probe_graph_t *graph_p);

#endif

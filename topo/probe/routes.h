/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The traced routes, and the network that they show.
 */
#ifndef MTREE_TOPO_PROBE_ROUTES_H
#define MTREE_TOPO_PROBE_ROUTES_H

#include "topo/probe/graph.h"

#define MTREE_PROBE_MAX_HOPS 30 /* of one route, its end included */

typedef struct mtree_probe_routes mtree_probe_routes_t;

/* A set without routes, between @a num_hosts hosts with @a addresses (copied), which
 * differ. */
mtree_probe_routes_t *mtree_probe_routes_create(const char *const *addresses,
                                                int num_hosts);
void mtree_probe_routes_destroy(mtree_probe_routes_t *routes);

/* As mtree_probe_add_address(). */
void mtree_probe_routes_add_address(mtree_probe_routes_t *routes, int host,
                                    const char *address);

/*
 * Routes are added in the order of (from, to), each pair once.  Packets from @a from to
 * @a to pass @a hops in this order, no vertex twice.  The two ends are no hops: num_hops
 * is 0 between hosts of one Ethernet.  A hop with a host's address is that host; any
 * other address is a router; "" is a router that did not answer.
 */
void mtree_probe_routes_add(mtree_probe_routes_t *routes, int from, int to,
                            const char *const *hops, int num_hops);

/* The number of routes. */
int mtree_probe_routes_count(const mtree_probe_routes_t *routes);

/*
 * The network that the routes show, indexed.  All addresses of a router are one vertex;
 * routers that do not answer are identified by their neighbours (docs/probe.md,
 * "Routes"). The caller clears @a graph.
 */
void mtree_probe_routes_resolve(const mtree_probe_routes_t *routes,
                                mtree_probe_graph_t *graph);

#endif

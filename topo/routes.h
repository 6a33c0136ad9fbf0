/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes: the arcs that traffic between two hosts takes.
 *
 * Every vertex next to the destination sends over its own link to it.  Others use the
 * path of least latency, ties broken by fewer links; between equal next vertices the
 * destination's index decides, as the tables of fat trees do, so that routes spread.
 * Every rank and netlab agree on it, and the next vertex depends on the destination
 * alone, as in a network's own tables.  A route may pass through hosts as well as
 * switches (a host that forwards, as WAN sites do).
 */
#ifndef MTREE_TOPO_ROUTES_H
#define MTREE_TOPO_ROUTES_H

#include "topo/topology.h"

/* Routes between more hosts than this are refused: there are as many routes as pairs. */
#define MTREE_ROUTES_MAX_HOSTS 4096

typedef struct mtree_routes mtree_routes_t;

/*
 * Compute the routes between the @a num_hosts vertices in @a hosts.  The topology must
 * outlive the routes.  MTREE_ERR_UNREACHABLE when two of them are not connected,
 * MTREE_ERR_LIMIT for too many hosts, MTREE_ERR_NO_MEMORY (all logged).
 */
mtree_status_t mtree_routes_create(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, mtree_routes_t **routes_p);

/* Free; NULL is allowed. */
void mtree_routes_destroy(mtree_routes_t *routes);

/*
 * The arcs from host number @a from to host number @a to (positions in the `hosts` given
 * at creation), in order.  *num_arcs_p is their number, 0 when from == to.  The array
 * belongs to the routes.
 */
const int *mtree_routes_get(const mtree_routes_t *routes, int from, int to,
                            int *num_arcs_p);

/* Sum of the latencies on that route, seconds. */
double mtree_routes_latency(const mtree_routes_t *routes, int from, int to);

/* True when the route passes through none of the other hosts given at creation: such
 * pairs are worth being edges of trees; the others are paths of them. */
bool mtree_routes_adjacent(const mtree_routes_t *routes, int from, int to);

#endif

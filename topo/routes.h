/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Routes: the arcs that traffic between two hosts takes.
 *
 * Each vertex next to the destination uses its own link to it.  Others use the path of
 * least latency, and among equal ones that of fewest links; between equal next vertices
 * the widest link decides that names its ends, then the destination's index, as in the
 * tables of fat trees, so that routes spread.
 * The next vertex depends on the destination alone, as in the tables of routers, so the
 * routes to it are a tree; all ranks and netlab compute the same.  A route may pass
 * through hosts as well as switches, as in WANs whose sites forward.
 */
#ifndef MTREE_TOPO_ROUTES_H
#define MTREE_TOPO_ROUTES_H

#include "topo/topology.h"

/* The most hosts: each has a table of the vertices. */
#define MTREE_ROUTES_MAX_HOSTS 4096

typedef struct mtree_routes mtree_routes_t;

/*
 * Compute the routes between the @a num_hosts vertices in @a hosts; NULL: between all
 * hosts, in the order of the vertices, and @a num_hosts is not looked at.  The topology
 * must outlive the routes.  MTREE_ERR_UNREACHABLE when two of them are not connected,
 * MTREE_ERR_LIMIT for too many hosts (both logged).
 */
mtree_status_t mtree_routes_create(const mtree_topology_t *topology, const int *hosts,
                                   int num_hosts, mtree_routes_t **routes_p);

/* Free; NULL is allowed. */
void mtree_routes_destroy(mtree_routes_t *routes);

/*
 * The first arc from host number @a from to host number @a to (positions in the `hosts`
 * given at creation), and the one after @a arc; -1: there is none.
 */
int mtree_routes_first(const mtree_routes_t *routes, int from, int to);
int mtree_routes_next(const mtree_routes_t *routes, int arc, int to);

/* Let @a _arc be each arc of a route in turn. */
#define MTREE_ROUTE_ARCS(_arc, _routes, _from, _to)                                      \
    for (int _arc = mtree_routes_first((_routes), (_from), (_to)); _arc >= 0;            \
         _arc = mtree_routes_next((_routes), _arc, (_to)))

/* The number of arcs of that route; 0 when from == to. */
int mtree_routes_links(const mtree_routes_t *routes, int from, int to);

/* Write them to @a arcs, which has room for mtree_routes_links(); returns their number.
 */
int mtree_routes_list(const mtree_routes_t *routes, int from, int to, int *arcs);

/* Does the route from @a from to @a to consist of those to host @a over and on? */
bool mtree_routes_join(const mtree_routes_t *routes, int from, int over, int to);

/* Sum of the latencies on that route, seconds, each rounded to picoseconds. */
double mtree_routes_latency(const mtree_routes_t *routes, int from, int to);

/* The capacity of the narrowest arc of that route, bits/s; infinite when from == to. */
double mtree_routes_capacity(const mtree_routes_t *routes, int from, int to);

/* True when the route passes through no other host given at creation.  Only such pairs
 * need to be edges of trees; other routes consist of several edges. */
bool mtree_routes_adjacent(const mtree_routes_t *routes, int from, int to);

/* All hosts into @a order: from @a first on each is followed by the nearest that is left.
 */
void mtree_routes_order(const mtree_routes_t *routes, int first, int *order);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology as JSON, for programs (docs/topology-file.md).
 */
#ifndef MTREE_TOOLS_TOPOLOGY_JSON_H
#define MTREE_TOOLS_TOPOLOGY_JSON_H

#include "topo/routes.h"

#include <jansson.h>

/* The routes between all hosts of @a topology, numbered in the order of its vertices; the
 * caller's.  Errors are logged. */
mtree_status_t topology_routes(const mtree_topology_t *topology,
                               mtree_routes_t **routes_p);

/*
 * {name, source, hosts: [{name, host}], switches: [{name}], links: [{from, to,
 * capacity_bps: [there, back], latency_s}]}, and, unless @a routes is NULL, routes:
 * [{from, to, via: [names, both ends included], latency_s}], those of topology_routes().
 * NULL when memory runs out; otherwise the caller's.
 */
json_t *topology_json(const mtree_topology_t *topology, const mtree_routes_t *routes);

#endif

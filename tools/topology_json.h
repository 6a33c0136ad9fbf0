/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology as JSON, for programs (docs/topology-file.md).
 */
#ifndef MTREE_TOOLS_TOPOLOGY_JSON_H
#define MTREE_TOOLS_TOPOLOGY_JSON_H

#include "topo/routes.h"

#include <jansson.h>

/*
 * {name, source, hosts: [{name, host}], switches: [{name}], links: [{from, to,
 * capacity_bps: [there, back], latency_s}]}, and, unless @a routes is NULL, routes:
 * [{from, to, via: [names, both ends included], latency_s}]; they are those between all
 * hosts. NULL when memory runs out; otherwise the caller's.
 */
json_t *topology_json(const mtree_topology_t *topology, const mtree_routes_t *routes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology as JSON, for programs (docs/topology-file.md).
 */
#ifndef MTREE_TOOLS_TOPOLOGY_JSON_H
#define MTREE_TOOLS_TOPOLOGY_JSON_H

#include "planner/plan/plan.h"
#include "topo/routes.h"

#include <jansson.h>

/*
 * {name, source, hosts: [{name, host}], switches: [{name}], links: [{from, to,
 * capacity_bps: [there, back], latency_s}]}, and, unless @a routes is NULL, routes:
 * [{from, to, via: [names, both ends included], latency_s}]; they are those between all
 * hosts. NULL when memory runs out; otherwise the caller's.
 */
json_t *topology_json(const mtree_topology_t *topology, const mtree_routes_t *routes);

/* The same as reports and pictures have it: as docs/report.md says, without `origin`. */
json_t *network_json(const mtree_topology_t *topology);

/*
 * Mark the vertices of @a network that are relays of @a plan as "relay", and give each
 * tree of its JSON object @a json (planner/plan/json.h) its "arcs": the numbers of those
 * that it crosses, arc 2 l being link l from its `from` to its `to`, 2 l + 1 the other
 * way.  @a hosts are the plan's, relays included, as in @a routes.
 */
void network_json_mark(const mtree_plan_t *plan, const int *hosts,
                       const mtree_routes_t *routes, const json_t *network, json_t *json);

#endif

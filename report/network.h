/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology as JSON, as reports and pictures have it, and where a plan lies on it.
 */
#ifndef MTREE_REPORT_NETWORK_H
#define MTREE_REPORT_NETWORK_H

#include "planner/plan/plan.h"

#include <jansson.h>

/* The value of "format" of a report; another number means that names have changed. */
#define MTREE_REPORT_FORMAT "mtree-report 4"

/* The topology as docs/report.md describes it, without `origin`.  The caller's. */
json_t *mtree_report_network(const mtree_topology_t *topology);

/*
 * Mark the vertices of @a network that are relays of @a plan as "relay", and give each
 * tree of its JSON object @a json (planner/plan/json.h) its "arcs": the numbers of those
 * that it crosses, arc 2 l being link l from its `from` to its `to`, 2 l + 1 the other
 * way.  @a hosts are the plan's, relays included, as in @a routes.
 */
void mtree_report_mark(const mtree_plan_t *plan, const int *hosts,
                       const mtree_routes_t *routes, const json_t *network, json_t *json);

#endif

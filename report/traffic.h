/*
 * Traffic: what calls put on the links of a topology, for the report.
 */
#ifndef MTREE_REPORT_TRAFFIC_H
#define MTREE_REPORT_TRAFFIC_H

#include "planner/plan.h"

#include <jansson.h>

/*
 * Add to @a bytes, [2 x links of the topology], what calls of @a message bytes together
 * put on each arc over @a plan's trees: each edge of a tree carries the tree's share, of
 * an allgather or reduce_scatter its root's part of it, which is taken for the same for
 * all.
 * @a routes must number the hosts as the plan does.
 */
void mtree_traffic_add(const mtree_plan_t *plan, const mtree_routes_t *routes,
                       double message, double *bytes);

/*
 * Give each tree of the plan's JSON object @a json (planner/plan_json.h) its "arcs": the
 * numbers of those that it crosses, arc 2 l being link l from its `from` to its `to`, 2 l
 * + 1 the other way.
 */
void mtree_traffic_mark(const mtree_plan_t *plan, const mtree_routes_t *routes,
                        int num_links, json_t *json);

/*
 * The topology with its traffic as docs/report.md describes it: @a bytes [2 x links] in
 * @a seconds of calls; @a origin tells where the topology came from.  NULL: no memory.
 */
json_t *mtree_traffic_json(const mtree_topology_t *topology, const char *origin,
                           const double *bytes, double seconds);

#endif

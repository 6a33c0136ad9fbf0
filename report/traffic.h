/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Traffic: what calls put on the links of a topology, for the report.
 */
#ifndef MTREE_REPORT_TRAFFIC_H
#define MTREE_REPORT_TRAFFIC_H

#include "planner/plan/plan.h"

#include <jansson.h>

/*
 * Add to @a bytes, [2 x links of the topology], what calls of @a message bytes together
 * put on each arc over @a plan's trees: each edge of a tree carries the tree's share, of
 * an allgather or reduce_scatter its root's part of it, which is taken for the same for
 * all.
 * @a routes must number the hosts as the plan does, its relays included.
 */
void mtree_traffic_add(const mtree_plan_t *plan, const mtree_routes_t *routes,
                       double message, double *bytes);

/*
 * Give each tree of the plan's JSON object @a json (planner/plan/json.h) its "arcs": the
 * numbers of those that it crosses, arc 2 l being link l from its `from` to its `to`, 2 l
 * + 1 the other way.
 */
void mtree_traffic_mark(const mtree_plan_t *plan, const mtree_routes_t *routes,
                        int num_links, json_t *json);

/* What went from one host to another (schedule/goodput.h), numbers as of the routes. */
typedef struct {
    int from, to;
    double rate;            /* bits/s over all of the time */
    double backlogged;      /* part of the time in which the path had a backlog, 0 to 1 */
    double backlogged_rate; /* bits/s in that time */
} mtree_traffic_path_t;

/* What one direction of a link gave. */
typedef struct {
    double rate;       /* bits/s while paths over it had a backlog; other paths
                          at their mean */
    double backlogged; /* the greatest part of the time that one had; 0: never, so what
                          the link can give is not known */
    bool narrowest;    /* a path with a backlog has no fuller link */
} mtree_traffic_gave_t;

/*
 * Find what each arc gave, @a gave [2 x links of @a topology, zeroed at first], from what
 * was measured between hosts.  A backlog in less than a fifth of the time does not count.
 * Several calls, for several groups of hosts, add up.
 */
void mtree_traffic_measure(const mtree_topology_t *topology, const mtree_routes_t *routes,
                           const mtree_traffic_path_t *paths, size_t num_paths,
                           mtree_traffic_gave_t *gave);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The maps of a report: the topologies that calls were planned on, each with the bytes
 * that the calls put on its links and the rates that its links gave.
 */
#ifndef COLL_MTREE_REPORT_REPORT_MAPS_H
#define COLL_MTREE_REPORT_REPORT_MAPS_H

#include "planner/plan/plan.h"
#include "report/traffic.h"

#include <stdbool.h>

typedef struct {
    const mtree_topology_t *topology;
    const char *origin;         /* the topology's name in messages */
    double *bytes;              /* [2 * links] that mtree's calls put on each arc */
    double seconds;             /* that these calls took */
    mtree_traffic_gave_t *gave; /* [2 * links] */
    bool *is_relay;             /* [vertices] calls passed through a relay there */
} coll_mtree_report_map_t;

/* All zero: none. */
typedef struct {
    coll_mtree_report_map_t *maps; /* [count] */
    int count, capacity;
} coll_mtree_report_maps_t;

/* The number of the map of @a topology, which @a origin names; -1: no memory.  Groups
 * follow the network in copies of a topology, which are one map. */
int coll_mtree_report_maps_get(coll_mtree_report_maps_t *maps,
                               const mtree_topology_t *topology, const char *origin);

/* Routes between @a hosts, [@a num_hosts] vertices of the map, and the relays of @a plan
 * behind them, which are relays on the map from now on.  NULL: no memory. */
mtree_routes_t *coll_mtree_report_map_pass_relays(coll_mtree_report_map_t *map,
                                                  const int *hosts, int num_hosts,
                                                  const mtree_plan_t *plan);

/* Add the traffic of calls that moved @a bytes together over the trees of @a plan, with
 * @a routes between its hosts. */
void coll_mtree_report_map_add_trees(coll_mtree_report_map_t *map,
                                     const mtree_routes_t *routes,
                                     const mtree_plan_t *plan, double bytes);

/* The same over the ring of the hosts of @a plan; without memory nothing is added. */
void coll_mtree_report_map_add_ring(coll_mtree_report_map_t *map,
                                    const mtree_routes_t *routes,
                                    const mtree_plan_t *plan, double bytes);

/* All maps as a JSON array, in the order of their numbers. */
json_t *coll_mtree_report_maps_json(const coll_mtree_report_maps_t *maps);

void coll_mtree_report_maps_cleanup(coll_mtree_report_maps_t *maps);

#endif

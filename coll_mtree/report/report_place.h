/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group whose calls are being written into a report, and where it lies on a map.
 */
#ifndef COLL_MTREE_REPORT_REPORT_PLACE_H
#define COLL_MTREE_REPORT_REPORT_PLACE_H

#include "coll_mtree/report/report_data.h"
#include "coll_mtree/report/report_maps.h"

#include <jansson.h>

typedef struct {
    const coll_mtree_group_t *group;
    int map_number;
    coll_mtree_report_map_t *map; /* NULL: no topology */
    mtree_routes_t *routes;       /* between its hosts; NULL with map */
    const int *vertices;
    int num_hosts;
    int first_plan; /* the number of the group's first plan in the report */
} coll_mtree_report_place_t;

/* On the map of @a maps that @a group's topology is; without a topology, or memory, it
 * has no map. */
void coll_mtree_report_place_init(coll_mtree_report_place_t *place,
                                  coll_mtree_report_maps_t *maps,
                                  const coll_mtree_group_t *group);
void coll_mtree_report_place_cleanup(coll_mtree_report_place_t *place);

/* The plan of @a class that the report has; NULL: none. */
const mtree_plan_t *coll_mtree_report_shown_plan(const coll_mtree_group_class_t *class);

/* The class of @a call_class, and the number of its plan, if any, in the report. */
const coll_mtree_group_class_t *
coll_mtree_report_place_class(const coll_mtree_report_place_t *place,
                              const coll_mtree_call_class_t *call_class, int *number_p);

/* Give the trees of @a plan in @a json the arcs that they cross. */
void coll_mtree_report_place_mark(const coll_mtree_report_place_t *place,
                                  const mtree_plan_t *plan, json_t *json);

/* Add the traffic of the calls of @a record to the map; of the bytes of a message @a
 * share is a host's. */
void coll_mtree_report_place_add_traffic(const coll_mtree_report_place_t *place,
                                         const coll_mtree_group_class_t *class,
                                         const coll_mtree_record_t *record, double share);

#endif

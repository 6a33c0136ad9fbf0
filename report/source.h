/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The topologies of a report and the plans of its calls, as objects.
 */
#ifndef MTREE_REPORT_SOURCE_H
#define MTREE_REPORT_SOURCE_H

#include "planner/plan/plan.h"

#include <jansson.h>

/* What one direction of a link gave. */
typedef struct {
    double rate;       /* bits/s while paths over it had a backlog; other paths
                          at their mean */
    double backlogged; /* the greatest part of the time that one had; 0: never, so what
                          the link can give is not known */
    bool narrowest;    /* a path with a backlog has no fuller link */
} mtree_report_gave_t;

/* A topology of the report. */
typedef struct {
    json_t *json;
    mtree_topology_t *topology;
    double *bytes;             /* [2 x links] that mtree's calls put on each arc */
    mtree_report_gave_t *gave; /* [2 x links] */
    double seconds;            /* that these calls took */
    bool disagrees;            /* with what the calls found */
} mtree_report_map_t;

/* A plan of the report. */
typedef struct {
    mtree_plan_t *plan;
    mtree_report_map_t *map; /* NULL: it is on none */
    int *hosts;              /* [plan->num_hosts] their vertices; NULL with map */
    mtree_routes_t *routes;  /* between its hosts; NULL with map */
} mtree_report_plan_t;

typedef struct {
    mtree_report_map_t *maps; /* [num_maps] */
    size_t num_maps;
    mtree_report_plan_t *plans; /* [num_plans] */
    size_t num_plans;
} mtree_report_source_t;

/*
 * Read @a report into *source_p, in which nothing is counted yet; to be cleaned up in any
 * case.  Vertices of @a report that are relays of a plan, and the arcs that trees cross,
 * are marked there.  MTREE_ERR_NO_MEMORY, MTREE_ERR_INVALID; both are logged.
 */
mtree_status_t mtree_report_source_read(json_t *report, mtree_report_source_t *source_p);
void mtree_report_source_cleanup(mtree_report_source_t *source);

/*
 * Mark the vertices of @a network (report/network.h) that are relays of @a plan as
 * "relay", and give each tree of its JSON object @a json (planner/plan/json.h) its
 * "arcs": the numbers of those that it crosses, arc 2 l being link l from its `from` to
 * its `to`, 2 l + 1 the other way.  @a hosts are the plan's, relays included, as in @a
 * routes.
 */
void mtree_report_mark(const mtree_plan_t *plan, const int *hosts,
                       const mtree_routes_t *routes, const json_t *network, json_t *json);

/* The map that @a object is on; NULL: none. */
mtree_report_map_t *mtree_report_source_map(const mtree_report_source_t *source,
                                            const json_t *object);

/* The plan that member @a key of @a object has the number of; NULL: none. */
mtree_report_plan_t *mtree_report_source_plan(const mtree_report_source_t *source,
                                              const json_t *object, const char *key);

/* The number in @a value if it is below @a count, else -1. */
int mtree_report_index(const json_t *value, size_t count);

/* Log that @a what of the report does not fit its topology; MTREE_ERR_INVALID. */
mtree_status_t mtree_report_contradicts(const char *what);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/derive.h"

#include "planner/bound/least_time.h"
#include "report/members.h"
#include "report/source.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What mtree served of @a calls; NULL: nothing. */
static const json_t *served_by_trees(const json_t *calls)
{
    size_t i;
    json_t *served;

    json_array_foreach (json_object_get(calls, "served"), i, served) {
        if (strcmp(mtree_report_text(served, "by"), "trees") == 0) {
            return served;
        }
    }
    return NULL;
}

static void write_bound(double seconds, mtree_bound_t by, const char *limit,
                        json_t *calls)
{
    json_object_set_new(calls, "bound_seconds", json_real(seconds));
    json_object_set_new(calls, "bound_by", json_string(mtree_bound_name(by)));
    if (limit != NULL) {
        json_object_set_new(calls, "bound_limit", json_string(limit));
    }
}

/*
 * Add to @a calls the least time of a call of @a bytes, as the plan counts them, over @a
 * plan's network: `bound_seconds`, `bound_by` and `bound_limit`; nothing where the plan
 * is on no map.  MTREE_ERR_NO_MEMORY is logged.
 *
 * Where all ranks depend on each other it is that of planner/bound/least_time.h.  No
 * matter who comes first, what two of them spend in a call is at least what bits need to
 * get from each of them to the other, so the mean of the slowest rank is no shorter. With
 * a root, and in a scan, one call may begin while the last one is under way, and what any
 * rank spends in it tells of the cut alone.
 */
static mtree_status_t add_bound(const mtree_report_plan_t *placed, double bytes,
                                json_t *calls)
{
    const mtree_plan_t *plan = placed->plan;
    const mtree_least_time_call_t call = {.collective = plan->collective,
                                          .bytes = bytes,
                                          .cut = plan->bound,
                                          .limit = plan->limit,
                                          .num_relays = plan->num_relays};
    mtree_least_time_t time = {0};
    mtree_status_t status = MTREE_OK;

    if (placed->map == NULL || bytes <= 0) {
        return MTREE_OK;
    }
    if (mtree_collective_has_root(plan->collective) ||
        mtree_collective_is_prefix(plan->collective)) {
        if (plan->bound > 0) {
            write_bound(8 * bytes / plan->bound, MTREE_BOUND_CUT, plan->limit, calls);
        }
        return MTREE_OK;
    }
    status = mtree_least_time(placed->map->topology, placed->hosts,
                              mtree_plan_num_active(plan), &call, &time);
    if (status == MTREE_OK && time.seconds > 0) {
        write_bound(time.seconds, time.by, time.limit, calls);
    }
    mtree_least_time_clear(&time);
    return status;
}

/* Add what part of the slowest rank's mean that is.  Returns it; 0: it is not known. */
static double add_share_of_bound(json_t *calls)
{
    double bound = mtree_report_number(calls, "bound_seconds");
    double seconds = mtree_report_number(served_by_trees(calls), "slowest_rank_s");

    if (bound <= 0 || seconds <= 0) {
        return 0;
    }
    json_object_set_new(calls, "share_of_bound", json_real(bound / seconds));
    return bound / seconds;
}

/* The factor by which a map and the calls may differ. */
#define DISAGREES 2.0

/* The vertices of the hosts of @a communicator, malloc'ed; NULL, logged: they are none.
 */
static int *read_vertices(const json_t *communicator, const mtree_report_map_t *map,
                          int *count_p)
{
    const json_t *list = json_object_get(communicator, "vertices");
    size_t count = json_array_size(list);
    int *vertices = malloc((count + 1) * sizeof(*vertices));
    bool is_right = vertices != NULL;

    for (size_t i = 0; i < count && is_right; i++) {
        vertices[i] = mtree_report_index(json_array_get(list, i),
                                         (size_t)map->topology->num_vertices);
        is_right = vertices[i] >= 0;
    }
    if (!is_right) {
        (void)mtree_report_contradicts("communicator");
        free(vertices);
        return NULL;
    }
    *count_p = (int)count;
    return vertices;
}

/* The part of the time below which a backlog is not evidence: what arrived in that time
 * was under way before, so a short one seems to have carried more than the link can. */
#define LEAST_BACKLOGGED 0.2

/* What went from one host to another (schedule/goodput.h), numbers as of the routes. */
typedef struct {
    int from, to;
    double rate;            /* bits/s over all of the time */
    double backlogged;      /* part of the time in which the path had a backlog, 0 to 1 */
    double backlogged_rate; /* bits/s in that time */
} path_t;

/* A path of the report between two of @a num_hosts hosts; false: it is none. */
static bool read_path(const json_t *json, int num_hosts, path_t *path)
{
    *path =
        (path_t){.from = mtree_report_index(json_array_get(json, 0), (size_t)num_hosts),
                 .to = mtree_report_index(json_array_get(json, 1), (size_t)num_hosts),
                 .rate = json_number_value(json_array_get(json, 2)),
                 .backlogged = json_number_value(json_array_get(json, 3)),
                 .backlogged_rate = json_number_value(json_array_get(json, 4))};
    return path->from >= 0 && path->to >= 0;
}

/* The part of its capacity that an arc gave. */
static double fullness(const mtree_report_map_t *map, int arc)
{
    double capacity = mtree_arc_capacity(map->topology, arc);

    return capacity > 0 ? map->gave[arc].rate / capacity : 0;
}

/* Find what each arc gave from what was measured between hosts.  Several calls, for
 * several groups of hosts, add up. */
static void measure_paths(const mtree_report_map_t *map, const mtree_routes_t *routes,
                          const path_t *paths, size_t num_paths)
{
    mtree_report_gave_t *gave = map->gave;

    for (size_t p = 0; p < num_paths; p++) {
        const path_t *path = &paths[p];
        bool backlogged = path->backlogged >= LEAST_BACKLOGGED;

        MTREE_ROUTE_ARCS (a, routes, path->from, path->to) {
            mtree_report_gave_t *arc = &gave[a];

            arc->rate += backlogged ? path->backlogged_rate : path->rate;
            arc->backlogged = fmax(arc->backlogged, backlogged ? path->backlogged : 0);
        }
    }
    for (size_t p = 0; p < num_paths; p++) {
        int narrowest = -1;

        MTREE_ROUTE_ARCS (arc, routes, paths[p].from, paths[p].to) {
            if (narrowest < 0 || fullness(map, arc) > fullness(map, narrowest)) {
                narrowest = arc;
            }
        }
        if (narrowest >= 0 && paths[p].backlogged >= LEAST_BACKLOGGED) {
            gave[narrowest].narrowest = true;
        }
    }
}

/* Find what the links of @a map gave by the paths of @a communicator. */
static mtree_status_t measure(const json_t *communicator, mtree_report_map_t *map)
{
    const json_t *list = json_object_get(communicator, "paths");
    size_t count = json_array_size(list);
    path_t *paths = calloc(count + 1, sizeof(*paths));
    int num_hosts, *vertices = read_vertices(communicator, map, &num_hosts);
    mtree_status_t status = MTREE_ERR_INVALID;
    mtree_routes_t *routes;

    if (paths != NULL && vertices != NULL) {
        status = MTREE_OK;
        for (size_t i = 0; i < count && status == MTREE_OK; i++) {
            status = read_path(json_array_get(list, i), num_hosts, &paths[i])
                         ? MTREE_OK
                         : mtree_report_contradicts("communicator");
        }
    }
    if (status == MTREE_OK && count > 0) {
        status = mtree_routes_create(map->topology, vertices, num_hosts, &routes);
        if (status == MTREE_OK) {
            measure_paths(map, routes, paths, count);
            mtree_routes_destroy(routes);
        }
    }
    free(vertices);
    free(paths);
    return status;
}

/* Add the sum of member @a key over all that served @a calls to them. */
static void add_sum(json_t *calls, const char *key)
{
    double sum = 0;
    size_t i;
    json_t *served;

    json_array_foreach (json_object_get(calls, "served"), i, served) {
        sum += mtree_report_number(served, key);
    }
    json_object_set_new(calls, key, json_real(sum));
}

/* Put on the map what calls of @a bytes together, as the plan counts them, sent over each
 * arc: each edge of a tree carries the tree's share, of an allgather or reduce_scatter
 * its root's part of it, which is taken for the same for all. */
static void add_traffic(const mtree_report_plan_t *placed, double bytes)
{
    const mtree_plan_t *plan = placed->plan;
    double part =
        mtree_collective_root_bytes(plan->collective, bytes, mtree_plan_num_active(plan));

    if (placed->routes == NULL || bytes <= 0) {
        return;
    }
    if (plan->order != NULL) {
        mtree_plan_program_load(plan, placed->routes, bytes, placed->map->bytes);
    }
    for (int t = 0; t < plan->num_trees; t++) {
        mtree_plan_tree_load(plan, t, placed->routes, plan->trees[t].share * part,
                             placed->map->bytes);
    }
}

/* Put the traffic of @a calls over @a plan, and those that did not pass through its
 * relays over @a direct (NULL: there were none), on the map. */
static void add_calls_traffic(const mtree_report_plan_t *plan,
                              const mtree_report_plan_t *direct, const json_t *calls)
{
    const json_t *trees = served_by_trees(calls);
    double share = mtree_report_number(calls, "host_share");
    double relayed = direct == NULL ? 0 : mtree_report_number(calls, "relayed_bytes");
    double rest = mtree_report_number(trees, "bytes") - relayed;

    add_traffic(plan, share * relayed);
    add_traffic(direct == NULL ? plan : direct, share * rest);
    plan->map->seconds += mtree_report_number(trees, "shared_s");
}

/*
 * Add what calls of @a bytes on a mean were expected to take when they were planned.
 * Calls of one line differ in size by a factor of two at most: Open MPI's time is taken
 * to grow as that of the plan.
 */
static void add_forecast(const mtree_plan_t *plan, double bytes, json_t *calls)
{
    double planned = mtree_report_number(calls, "planned_s"), forecast = planned;
    double openmpi = mtree_report_number(calls, "planned_openmpi_s");

    if (planned > 0 && plan->throughput > 0) {
        forecast += fmax(8 * (bytes - plan->bytes) / plan->throughput, -planned / 2);
        json_object_set_new(calls, "forecast_s", json_real(forecast));
    }
    if (planned > 0 && openmpi > 0) {
        json_object_set_new(calls, "openmpi_forecast_s",
                            json_real(openmpi * forecast / planned));
    }
}

static mtree_status_t derive_calls(const mtree_report_source_t *source, json_t *calls)
{
    const mtree_report_plan_t *plan = mtree_report_source_plan(source, calls, "plan");
    mtree_status_t status;
    bool disagrees;
    double bytes;

    add_sum(calls, "calls");
    add_sum(calls, "bytes");
    add_sum(calls, "shared_s");
    if (plan == NULL) {
        return MTREE_OK;
    }
    bytes = mtree_report_number(calls, "bytes") /
            fmax(mtree_report_number(calls, "calls"), 1) *
            mtree_report_number(calls, "host_share");
    add_forecast(plan->plan, bytes, calls);
    status = add_bound(plan, bytes, calls);
    disagrees = add_share_of_bound(calls) > DISAGREES;
    json_object_set_new(calls, "disagrees", json_boolean(disagrees));
    if (plan->map != NULL) {
        plan->map->disagrees = plan->map->disagrees || disagrees;
        add_calls_traffic(plan, mtree_report_source_plan(source, calls, "direct_plan"),
                          calls);
    }
    return status;
}

static mtree_status_t derive_communicator(const mtree_report_source_t *source,
                                          json_t *communicator)
{
    mtree_report_map_t *map = mtree_report_source_map(source, communicator);
    mtree_status_t status = map == NULL ? MTREE_OK : measure(communicator, map);
    size_t i;
    json_t *calls;

    json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
        if (status == MTREE_OK) {
            status = derive_calls(source, calls);
        }
    }
    return status;
}

/* The part of its capacity that an arc carried. */
static double use_of(double bytes, double capacity, double seconds)
{
    return capacity > 0 && seconds > 0 ? 8 * bytes / (capacity * seconds) : 0;
}

/* Seconds for which rank 0 opened connections. */
static double connecting_seconds(const json_t *report)
{
    double seconds = 0;
    size_t i;
    json_t *times;

    json_array_foreach (json_object_get(report, "times"), i, times) {
        seconds += mtree_report_number(times, "rank") == 0
                       ? mtree_report_number(times, "connecting_s")
                       : 0;
    }
    return seconds;
}

/*
 * Bits/s that the calls found on arc @a arc, which @a on_map gives otherwise by more than
 * a factor of two; 0: they agree.  A link that limits what is sent gives what it can;
 * another one at least what it carried.
 */
static double found_rate(const mtree_report_map_t *map, int arc, double on_map)
{
    const mtree_report_gave_t *gave = &map->gave[arc];
    double carried = map->seconds > 0 ? 8 * map->bytes[arc] / map->seconds : 0;
    double found = fmax(
        gave->narrowest ? gave->rate : mtree_arc_capacity(map->topology, arc), carried);

    return found > DISAGREES * on_map || found < on_map / DISAGREES ? found : 0;
}

/* The same of both directions of link number @a link, whose object is @a json. */
static json_t *found_rates(mtree_report_map_t *map, int link, const json_t *json)
{
    const char *key =
        json_object_get(json, "map_bps") != NULL ? "map_bps" : "capacity_bps";
    double there = found_rate(map, 2 * link, mtree_report_direction(json, key, 0));
    double back = found_rate(map, 2 * link + 1, mtree_report_direction(json, key, 1));

    map->disagrees = map->disagrees || there > 0 || back > 0;
    return json_pack("[f, f]", there, back);
}

/* Write what was found of the map.  Where connections were opened for @a connecting
 * seconds, data may have passed over others. */
static void write_map(mtree_report_map_t *map, double connecting)
{
    size_t l;
    json_t *json;

    map->seconds += map->seconds > 0 ? connecting : 0;
    json_object_set_new(map->json, "seconds", json_real(map->seconds));
    json_array_foreach (json_object_get(map->json, "links"), l, json) {
        const mtree_link_t *link = &map->topology->links[l];
        const mtree_report_gave_t *gave = &map->gave[2 * l];
        const double *bytes = &map->bytes[2 * l];
        json_t *found = json_pack("{s:[f, f], s:[f, f], s:[f, f], s:[f, f], s:[b, b]}",
                                  "bytes", bytes[0], bytes[1], "use",
                                  use_of(bytes[0], link->capacity[0], map->seconds),
                                  use_of(bytes[1], link->capacity[1], map->seconds),
                                  "gave_bps", gave[0].backlogged > 0 ? gave[0].rate : 0,
                                  gave[1].backlogged > 0 ? gave[1].rate : 0, "pressed",
                                  gave[0].backlogged, gave[1].backlogged, "narrowest",
                                  (int)gave[0].narrowest, (int)gave[1].narrowest);

        json_object_set_new(found, "found_bps", found_rates(map, (int)l, json));
        json_object_update(json, found);
        json_decref(found);
    }
    json_object_set_new(map->json, "disagrees", json_boolean(map->disagrees));
}

mtree_status_t mtree_report_derive(json_t *report)
{
    mtree_report_source_t source;
    mtree_status_t status = mtree_report_source_read(report, &source);
    size_t c;
    json_t *communicator;

    json_array_foreach (json_object_get(report, "communicators"), c, communicator) {
        if (status == MTREE_OK) {
            status = derive_communicator(&source, communicator);
        }
    }
    for (size_t m = 0; m < source.num_maps && status == MTREE_OK; m++) {
        write_map(&source.maps[m], connecting_seconds(report));
    }
    mtree_report_source_cleanup(&source);
    return status;
}

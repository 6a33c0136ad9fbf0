/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/source.h"

#include "base/log.h"
#include "planner/plan/json.h"
#include "report/network.h"

#include <stdlib.h>
#include <string.h>

mtree_status_t mtree_report_contradicts(const char *what)
{
    mtree_error("the report's %s contradicts its topology; was it edited?", what);
    return MTREE_ERR_INVALID;
}

int mtree_report_index(const json_t *value, size_t count)
{
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;

    return number >= 0 && (size_t)number < count ? (int)number : -1;
}

mtree_report_map_t *mtree_report_source_map(const mtree_report_source_t *source,
                                            const json_t *object)
{
    int number =
        mtree_report_index(json_object_get(object, "topology"), source->num_maps);

    return number < 0 ? NULL : &source->maps[number];
}

mtree_report_plan_t *mtree_report_source_plan(const mtree_report_source_t *source,
                                              const json_t *object, const char *key)
{
    int number = mtree_report_index(json_object_get(object, key), source->num_plans);

    return number < 0 ? NULL : &source->plans[number];
}

static mtree_status_t read_map(json_t *json, mtree_report_map_t *map)
{
    mtree_status_t status = mtree_report_network_read(json, &map->topology);
    size_t arcs;

    if (status != MTREE_OK) {
        map->topology = NULL;
        return status;
    }
    arcs = 2 * (size_t)map->topology->num_links + 1;
    map->json = json;
    map->bytes = calloc(arcs, sizeof(*map->bytes));
    map->gave = calloc(arcs, sizeof(*map->gave));
    return map->bytes == NULL || map->gave == NULL ? mtree_no_memory("the report's map")
                                                   : MTREE_OK;
}

void mtree_report_mark(const mtree_plan_t *plan, const int *hosts,
                       const mtree_routes_t *routes, const json_t *network, json_t *json)
{
    const json_t *vertices = json_object_get(network, "vertices");
    const json_t *trees = json_object_get(json, "trees");
    size_t num_arcs = 2 * json_array_size(json_object_get(network, "links"));
    double *crossed = malloc((num_arcs + 1) * sizeof(*crossed));

    for (int h = mtree_plan_num_active(plan); h < plan->num_hosts; h++) {
        json_object_set_new(json_array_get(vertices, (size_t)hosts[h]), "relay",
                            json_true());
    }
    for (int t = 0; crossed != NULL && t < plan->num_trees; t++) {
        json_t *arcs = json_array();

        for (size_t arc = 0; arc < num_arcs; arc++) {
            crossed[arc] = 0;
        }
        mtree_plan_tree_load(plan, t, routes, 1, crossed);
        for (size_t arc = 0; arc < num_arcs; arc++) {
            if (crossed[arc] > 0) {
                json_array_append_new(arcs, json_integer((json_int_t)arc));
            }
        }
        json_object_set_new(json_array_get(trees, (size_t)t), "arcs", arcs);
    }
    free(crossed);
}

/* Find the hosts of @a placed, whose JSON object is @a json, on its map, and mark both.
 */
static mtree_status_t place(mtree_report_plan_t *placed, json_t *json)
{
    const mtree_plan_t *plan = placed->plan;
    const mtree_topology_t *topology = placed->map->topology;
    int *hosts = malloc((size_t)plan->num_hosts * sizeof(*hosts));
    mtree_status_t status = hosts == NULL ? mtree_no_memory("the report") : MTREE_OK;

    placed->hosts = hosts;
    for (int h = 0; h < plan->num_hosts && status == MTREE_OK; h++) {
        hosts[h] = mtree_topology_find_host(topology, plan->hosts[h]);
        status = hosts[h] < 0 ? mtree_report_contradicts("plan") : MTREE_OK;
    }
    if (status == MTREE_OK) {
        status = mtree_routes_create(topology, hosts, plan->num_hosts, &placed->routes);
    }
    if (status == MTREE_OK) {
        mtree_report_mark(plan, hosts, placed->routes, placed->map->json, json);
    } else {
        placed->routes = NULL;
    }
    return status;
}

static mtree_status_t read_plan(const mtree_report_source_t *source, json_t *json,
                                mtree_report_plan_t *placed)
{
    char *text = json_dumps(json, 0);
    mtree_status_t status;

    if (text == NULL) {
        return mtree_no_memory("the report's plans");
    }
    status = mtree_plan_from_json(text, strlen(text), "the report", &placed->plan);
    free(text);
    if (status != MTREE_OK) {
        placed->plan = NULL;
        return status;
    }
    placed->map = mtree_report_source_map(source, json);
    return placed->map == NULL ? MTREE_OK : place(placed, json);
}

void mtree_report_source_cleanup(mtree_report_source_t *source)
{
    for (size_t p = 0; source->plans != NULL && p < source->num_plans; p++) {
        mtree_routes_destroy(source->plans[p].routes);
        free(source->plans[p].hosts);
        mtree_plan_destroy(source->plans[p].plan);
    }
    for (size_t m = 0; source->maps != NULL && m < source->num_maps; m++) {
        mtree_topology_destroy(source->maps[m].topology);
        free(source->maps[m].bytes);
        free(source->maps[m].gave);
    }
    free(source->plans);
    free(source->maps);
}

mtree_status_t mtree_report_source_read(json_t *report, mtree_report_source_t *source)
{
    const json_t *maps = json_object_get(report, "topologies");
    const json_t *plans = json_object_get(report, "plans");
    mtree_status_t status = MTREE_OK;

    *source = (mtree_report_source_t){0};
    source->num_maps = json_array_size(maps);
    source->num_plans = json_array_size(plans);
    source->maps = calloc(source->num_maps + 1, sizeof(*source->maps));
    source->plans = calloc(source->num_plans + 1, sizeof(*source->plans));
    if (source->maps == NULL || source->plans == NULL) {
        return mtree_no_memory("the report");
    }
    for (size_t m = 0; m < source->num_maps && status == MTREE_OK; m++) {
        status = read_map(json_array_get(maps, m), &source->maps[m]);
    }
    for (size_t p = 0; p < source->num_plans && status == MTREE_OK; p++) {
        status = read_plan(source, json_array_get(plans, p), &source->plans[p]);
    }
    return status;
}

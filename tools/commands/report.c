/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree report: what the collectives of a job did.  Here are the options, and what needs
 * the planner: where plans and paths lie on topologies, and the least times of calls.
 * Python derives the rest and shows it: the folder reporter (derive.py).
 */
#include "tools/options.h"
#include "tools/topology_json.h"

#include "base/file.h"
#include "base/log.h"
#include "base/memory.h"
#include "planner/bound/least_time.h"
#include "planner/plan/json.h"
#include "report/format.h"
#include "topo/dot/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A plan of the report. */
typedef struct {
    mtree_plan_t *plan;
    const mtree_topology_t *topology; /* NULL: it is on none */
    int *hosts; /* [plan->num_hosts] their vertices; NULL with topology */
} placed_t;

typedef struct {
    json_t *report;
    mtree_topology_t **topologies; /* [num_topologies] as they were last measured */
    size_t num_topologies;
    placed_t *plans; /* [num_plans] */
    size_t num_plans;
} source_t;

static void must_agree(bool agrees, const char *what)
{
    if (!agrees) {
        command_fail("%s contradicts its topology; was it edited?", what);
    }
}

/* The number in @a value if it is below @a count, else -1. */
static int index_in(const json_t *value, size_t count)
{
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : -1;

    return number >= 0 && (size_t)number < count ? (int)number : -1;
}

/* The topology that @a object is on; NULL: none. */
static const mtree_topology_t *topology_of(const source_t *source, const json_t *object,
                                           const json_t **network_p)
{
    const json_t *number = json_object_get(object, "topology");
    int index = index_in(number, source->num_topologies);

    *network_p = json_array_get(json_object_get(source->report, "topologies"),
                                (size_t)json_integer_value(number));
    return index < 0 ? NULL : source->topologies[index];
}

/* Link number @a number of @a topology, and its JSON object @a json, have the capacities
 * @a there, from the end @a from, and @a back. */
static void set_capacity(const mtree_topology_t *topology, int number, const char *from,
                         double there, double back, json_t *json)
{
    mtree_link_t *link = &topology->links[number];
    bool turned = strcmp(from, topology->vertices[link->u].name) != 0;

    link->capacity[turned] = there;
    link->capacity[!turned] = back;
    json_object_set(json, "map_bps", json_object_get(json, "capacity_bps"));
    json_object_set_new(json, "capacity_bps",
                        json_pack("[f, f]", link->capacity[0], link->capacity[1]));
}

/* Give the links of @a topology, and those of its JSON object @a network, what was
 * measured of them. */
static void read_measured(const json_t *network, const mtree_topology_t *topology)
{
    size_t i;
    json_t *measured;

    json_array_foreach (json_object_get(network, "measured"), i, measured) {
        int number = index_in(json_array_get(measured, 0), (size_t)topology->num_links);
        const char *from = json_string_value(json_array_get(measured, 1));
        double there = json_number_value(json_array_get(measured, 2));
        double back = json_number_value(json_array_get(measured, 3));

        must_agree(number >= 0 && from != NULL && there >= 0 && back >= 0,
                   "what was measured");
        set_capacity(topology, number, from, there, back,
                     json_array_get(json_object_get(network, "links"), (size_t)number));
    }
}

static void read_topology(source_t *source, size_t number, json_t *json)
{
    const char *text = json_string_value(json_object_get(json, "dot"));
    mtree_topology_t **topology_p = &source->topologies[number];
    json_t *network;
    char name[32];

    (void)snprintf(name, sizeof(name), "topology %zu", number);
    text = text == NULL ? "" : text;
    command_must(mtree_topology_parse(text, strlen(text), name, topology_p));
    network = network_json(*topology_p);
    json_object_update(json, network);
    json_decref(network);
    read_measured(json, *topology_p);
}

/* Give @a json, the object of @a plan, what each of @a num_arcs arcs carries per byte of
 * a call.  Of an allgather or reduce_scatter the roots' parts are taken for the same. */
static void add_load(const mtree_plan_t *plan, const mtree_routes_t *routes,
                     size_t num_arcs, json_t *json)
{
    double *load = mtree_calloc(num_arcs, sizeof(*load));
    json_t *list = json_array();

    mtree_plan_call_load(plan, routes, 1, load);
    for (size_t arc = 0; arc < num_arcs; arc++) {
        json_array_append_new(list, json_real(load[arc]));
    }
    json_object_set_new(json, "load", list);
    free(load);
}

/* Find the hosts of @a placed on its topology, whose object is @a network, and mark both
 * there and in its own object @a json what lies where. */
static void place(placed_t *placed, const json_t *network, json_t *json)
{
    const mtree_plan_t *plan = placed->plan;
    const mtree_topology_t *topology = placed->topology;
    int *hosts = mtree_malloc((size_t)plan->num_hosts * sizeof(*hosts));
    mtree_routes_t *routes;

    placed->hosts = hosts;
    for (int h = 0; h < plan->num_hosts; h++) {
        hosts[h] = mtree_topology_find_host(topology, plan->hosts[h]);
        must_agree(hosts[h] >= 0, "a plan");
    }
    command_must(mtree_routes_create(topology, hosts, plan->num_hosts, &routes));
    network_json_mark(plan, hosts, routes, network, json);
    add_load(plan, routes, 2 * (size_t)topology->num_links, json);
    mtree_routes_destroy(routes);
}

static void read_plan(const source_t *source, size_t number, json_t *json)
{
    placed_t *placed = &source->plans[number];
    char *text = mtree_existing(json_dumps(json, 0)), name[32];
    const json_t *network;

    (void)snprintf(name, sizeof(name), "plan %zu", number);
    command_must(mtree_plan_from_json(text, strlen(text), name, &placed->plan));
    free(text);
    placed->topology = topology_of(source, json, &network);
    if (placed->topology != NULL) {
        place(placed, network, json);
    }
}

/* The vertices of the hosts of @a communicator, malloc'ed. */
static int *read_vertices(const json_t *communicator, const mtree_topology_t *topology,
                          size_t *count_p)
{
    const json_t *list = json_object_get(communicator, "vertices");
    size_t count = json_array_size(list);
    int *vertices = mtree_malloc(count * sizeof(*vertices));

    for (size_t i = 0; i < count; i++) {
        vertices[i] = index_in(json_array_get(list, i), (size_t)topology->num_vertices);
        must_agree(vertices[i] >= 0, "a communicator");
    }
    *count_p = count;
    return vertices;
}

/* The arcs of each of @a paths between @a num_hosts hosts. */
static json_t *path_arcs(const json_t *paths, size_t num_hosts,
                         const mtree_routes_t *routes)
{
    json_t *list = json_array(), *path;
    size_t i;

    json_array_foreach (paths, i, path) {
        int from = index_in(json_array_get(path, 0), num_hosts);
        int to = index_in(json_array_get(path, 1), num_hosts);
        json_t *arcs = json_array();

        must_agree(from >= 0 && to >= 0, "a communicator");
        MTREE_ROUTE_ARCS (arc, routes, from, to) {
            json_array_append_new(arcs, json_integer(arc));
        }
        json_array_append_new(list, arcs);
    }
    return list;
}

static void add_path_arcs(const source_t *source, json_t *communicator)
{
    const json_t *paths = json_object_get(communicator, "paths"), *network;
    const mtree_topology_t *topology = topology_of(source, communicator, &network);
    mtree_routes_t *routes;
    size_t num_hosts;
    int *vertices;

    if (topology == NULL) {
        return;
    }
    vertices = read_vertices(communicator, topology, &num_hosts);
    if (json_array_size(paths) > 0) {
        command_must(mtree_routes_create(topology, vertices, (int)num_hosts, &routes));
        json_object_set_new(communicator, "path_arcs",
                            path_arcs(paths, num_hosts, routes));
        mtree_routes_destroy(routes);
    }
    free(vertices);
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

/* The mean size of @a calls, as the plan counts it. */
static double mean_bytes(const json_t *calls)
{
    double number = 0, bytes = 0;
    size_t i;
    json_t *served;

    json_array_foreach (json_object_get(calls, "served"), i, served) {
        number += json_number_value(json_object_get(served, "calls"));
        bytes += json_number_value(json_object_get(served, "bytes"));
    }
    return bytes / fmax(number, 1) *
           json_number_value(json_object_get(calls, "host_share"));
}

/*
 * Where all ranks depend on each other the bound is that of planner/bound/least_time.h.
 * No matter who comes first, what two of them spend in a call is at least what bits need
 * to get from each of them to the other, so the mean of the slowest rank is no shorter.
 * With a root, and in a scan, one call may begin while the last one is under way, and
 * what any rank spends in it tells of the cut alone.
 */
static void add_bound(const source_t *source, json_t *calls)
{
    int number = index_in(json_object_get(calls, "plan"), source->num_plans);
    const placed_t *placed = number < 0 ? NULL : &source->plans[number];
    const mtree_plan_t *plan = number < 0 ? NULL : placed->plan;
    double bytes = mean_bytes(calls);
    mtree_least_time_t time = {0};

    if (plan == NULL || placed->topology == NULL || bytes <= 0) {
        return;
    }
    if (mtree_collective_has_root(plan->collective) ||
        mtree_collective_is_prefix(plan->collective)) {
        if (plan->bound > 0) {
            write_bound(8 * bytes / plan->bound, MTREE_BOUND_CUT, plan->limit, calls);
        }
        return;
    }
    command_must(
        mtree_least_time(placed->topology, placed->hosts, mtree_plan_num_active(plan),
                         &(mtree_least_time_call_t){.collective = plan->collective,
                                                    .bytes = bytes,
                                                    .cut = plan->bound,
                                                    .limit = plan->limit,
                                                    .num_relays = plan->num_relays},
                         &time));
    if (time.seconds > 0) {
        write_bound(time.seconds, time.by, time.limit, calls);
    }
    mtree_least_time_clear(&time);
}

/*
 * Add to @a report what needs the planner:
 * - to topologies the members of network_json(), and to links "map_bps" where another
 *   capacity was measured than they have on the map;
 * - to plans the marks of tools/topology_json.h, and "load": what each arc carries per
 * byte of a call, each edge of a tree carrying the tree's share;
 * - to communicators "path_arcs": the arcs of each of their "paths";
 * - to calls "bound_seconds", "bound_by" and "bound_limit", for their mean size.
 * Plans and communicators that are on no topology get none.
 */
static void derive(json_t *report)
{
    const json_t *topologies = json_object_get(report, "topologies");
    const json_t *plans = json_object_get(report, "plans");
    source_t source = {.report = report,
                       .num_topologies = json_array_size(topologies),
                       .num_plans = json_array_size(plans)};
    json_t *json, *calls;
    size_t i, c;

    source.topologies = mtree_calloc(source.num_topologies, sizeof(*source.topologies));
    source.plans = mtree_calloc(source.num_plans, sizeof(*source.plans));
    json_array_foreach (topologies, i, json) {
        read_topology(&source, i, json);
    }
    json_array_foreach (plans, i, json) {
        read_plan(&source, i, json);
    }
    json_array_foreach (json_object_get(report, "communicators"), i, json) {
        add_path_arcs(&source, json);
        json_array_foreach (json_object_get(json, "calls"), c, calls) {
            add_bound(&source, calls);
        }
    }
}

/* Lists that every report has. */
static const char *const lists[] = {"topologies", "plans", "communicators", "times"};

static void check_form(const json_t *report)
{
    const char *format = json_string_value(json_object_get(report, "format"));

    if (format == NULL || strcmp(format, MTREE_REPORT_FORMAT) != 0) {
        command_fail("\"format\" is '%s', not '%s'; write the report with the mtree that "
                     "reads it",
                     format == NULL ? "" : format, MTREE_REPORT_FORMAT);
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        if (!json_is_array(json_object_get(report, lists[i]))) {
            command_fail("there is no list \"%s\"; was the report written whole?",
                         lists[i]);
        }
    }
}

/* The report in @a text with what follows from it.  @a name stands for its file in
 * messages. */
static json_t *parse(const char *text, const char *name)
{
    json_error_t error;
    json_t *report = json_loads(text, 0, &error);

    if (report == NULL) {
        command_fail("%s:%d: not a report: %s; write one with coll_mtree_report", name,
                     error.line, error.text);
    }
    mtree_log_about(name, NULL);
    check_form(report);
    derive(report);
    mtree_log_about(NULL, NULL);
    return report;
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"html", 'H', OPTION_FLAG,
         .help = "a page for browsers that needs nothing else: the map, the trees and "
                 "the tables"},
        {"json", 'j', OPTION_FLAG,
         .help = "the report itself, and what follows from it (docs/report.md)"},
        {"openmetrics", 'm', OPTION_FLAG,
         .help = "its numbers as OpenMetrics text, for Prometheus"},
        {"output", 'o', OPTION_TEXT, .argument = "FILE",
         .help = "write there instead of standard output"},
        {0}};
    const char *words[2 + sizeof(options) / sizeof(options[0])] = {"report"};
    const option_group_t groups[] = {{options, .texts = words + 2}, {0}};
    size_t length;
    char *text;

    options_parse(&command_report, groups, argc, argv);
    words[1] = strcmp(argv[optind], "-") == 0 ? "standard input" : argv[optind];
    command_must(mtree_file_read(argv[optind], &text, &length));
    command_give("report", parse(text, words[1]));
    return command_become("report", "reporter", words);
}

const command_t command_report = {
    .name = "report",
    .summary = "show what the collectives of a job did and took",
    .usage = "[OPTION]... FILE",
    .help = "Print the page of a report, which a job writes with --mca coll_mtree_report "
            "FILE.\n"
            "Times are those of rank 0, and measured; forecasts are called so.\n",
    .examples = {"mtree report report.json",
                 "mtree report --html report.json -o report.html"},
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one report file is needed",
    .run = run,
};

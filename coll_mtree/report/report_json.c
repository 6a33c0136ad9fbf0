/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_json.h"

#include "coll_mtree/base/counters.h"

#include "base/array.h"
#include "base/memory.h"
#include "base/printable.h"
#include "planner/plan/json.h"
#include "report/derive.h"
#include "topo/dot/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is being written. */
typedef struct {
    const coll_mtree_report_t *report;
    json_t *topologies, *plans, *communicators;
    const mtree_topology_t *map; /* the last one, and its number; NULL: none yet */
    int map_number;
    const mtree_plan_t **written; /* [num_written] the plans */
    int num_written, room;
} builder_t;

/* The map that a context had at first, as a file, and what was measured of it since: per
 * link its number, the name of one end, and the capacities from there and back. */
static json_t *topology_json(const coll_mtree_planning_context_t *context)
{
    const mtree_topology_t *map = context->map, *now = context->hosts.topology;
    json_t *measured = json_array(), *json;
    size_t length;
    char *text;
    FILE *out = mtree_text_begin(&text, &length);

    mtree_require(mtree_topology_write(map, out));
    mtree_text_end(out);
    for (int l = 0; l < map->num_links; l++) {
        const double *capacity = now->links[l].capacity;

        if (capacity[0] != map->links[l].capacity[0] ||
            capacity[1] != map->links[l].capacity[1]) {
            json_array_append_new(measured, json_pack("[i, s, f, f]", l,
                                                      map->vertices[map->links[l].u].name,
                                                      capacity[0], capacity[1]));
        }
    }
    json = json_pack("{s:s, s:s, s:o}", "origin", map->source, "dot", text, "measured",
                     measured);
    free(text);
    return json;
}

/* The number of a topology in the report.  Groups follow the network in copies of a
 * topology, which are one there. */
static int topology_number(builder_t *builder,
                           const coll_mtree_planning_context_t *context)
{
    json_t *json, *other;
    size_t number;

    /* Most groups share one map, which need not be written for each. */
    if (builder->map == context->map) {
        return builder->map_number;
    }
    json = topology_json(context);
    json_array_foreach (builder->topologies, number, other) {
        if (json_equal(json_object_get(other, "dot"), json_object_get(json, "dot"))) {
            break;
        }
    }
    if (number == json_array_size(builder->topologies)) {
        json_array_append(builder->topologies, json);
    }
    json_decref(json);
    builder->map = context->map;
    builder->map_number = (int)number;
    return builder->map_number;
}

/* Give @a json the member @a key with the number of @a plan, of the topology of number @a
 * topology (-1: none), in the report; none without memory. */
static void add_plan(builder_t *builder, const mtree_plan_t *plan, int topology,
                     const char *key, json_t *json)
{
    int number = 0;
    json_t *written;
    char *text;

    while (number < builder->num_written && builder->written[number] != plan) {
        number++;
    }
    if (number == builder->num_written) {
        if (mtree_array_reserve(&builder->written, &builder->room, number + 1,
                                sizeof(*builder->written)) != MTREE_OK ||
            mtree_plan_to_json(plan, &text) != MTREE_OK) {
            return;
        }
        written = json_loads(text, 0, NULL);
        free(text);
        if (topology >= 0) {
            json_object_set_new(written, "topology", json_integer(topology));
        }
        json_array_append_new(builder->plans, written);
        builder->written[builder->num_written++] = plan;
    }
    json_object_set_new(json, key, json_integer(number));
}

/* What was planned for the calls of @a record, which are on the topology of number @a
 * topology. */
static void add_planned(builder_t *builder, const coll_mtree_record_t *record,
                        int topology, json_t *json)
{
    const coll_mtree_group_class_t *class =
        coll_mtree_class_table_find(&record->group->classes, &record->call_class);

    if (class == NULL || class->plan == NULL) {
        return;
    }
    if (record->relayed > 0 && class->relayed != NULL) {
        add_plan(builder, class->relayed, topology, "plan", json);
        add_plan(builder, class->plan, topology, "direct_plan", json);
        json_object_set_new(json, "relayed", json_integer((json_int_t)record->relayed));
        json_object_set_new(json, "relayed_bytes", json_real(record->relayed_bytes));
    } else {
        add_plan(builder, class->plan, topology, "plan", json);
    }
    json_object_set_new(json, "host_share",
                        json_real(coll_mtree_call_class_host_share(
                            class->plan->collective, record->group->num_ranks,
                            mtree_plan_num_active(class->plan))));
    json_object_set_new(
        json, "planned_s",
        json_real(class->expected > 0 ? class->expected : class->plan->seconds));
    if (class->openmpi > 0) {
        json_object_set_new(json, "planned_openmpi_s", json_real(class->openmpi));
    }
}

static void append_path(json_t *list, int from, int to, double rate, double backlogged,
                        double backlogged_rate)
{
    json_array_append_new(
        list, json_pack("[i, i, f, f, f]", from, to, rate, backlogged, backlogged_rate));
}

/* What the ranks of a running job reported last. */
static void append_latest(json_t *list, const coll_mtree_group_t *group)
{
    const mtree_path_sample_t *samples = group->context->samples;

    for (int i = 0; i < group->context->num_samples; i++) {
        if (samples[i].rate > 0) {
            append_path(list, samples[i].from, samples[i].to, samples[i].rate,
                        samples[i].backlogged, samples[i].backlogged_rate);
        }
    }
}

/* What the ranks that were gathered sent in all calls. */
static void append_gathered(json_t *list, const coll_mtree_rank_report_t *gathered,
                            const coll_mtree_group_t *group)
{
    for (int i = 0; i < gathered->num_rows; i++) {
        const coll_mtree_rank_row_t *row = &gathered->rows[i];
        const mtree_path_total_t *total = &row->path.total;
        const int *host = group->context->numbers.host;

        if (row->kind == COLL_MTREE_ROW_PATH && row->identity == group->identity &&
            host[row->path.from] != host[row->path.to] && total->seconds > 0) {
            append_path(list, host[row->path.from], host[row->path.to],
                        8 * total->bytes / total->seconds,
                        total->backlogged_seconds / total->seconds,
                        mtree_path_backlogged_rate(total));
        }
    }
}

static json_t *paths_json(const coll_mtree_report_t *report,
                          const coll_mtree_group_t *group)
{
    json_t *list = json_array();

    if (!report->is_complete) {
        append_latest(list, group);
    }
    if (json_array_size(list) == 0) {
        append_gathered(list, &report->gathered, group);
    }
    return list;
}

static const char *const backend_names[] = {"trees", "openmpi"};

/* Does @a row have the times of the calls of @a record that @a backend served? */
static bool is_of(const coll_mtree_rank_row_t *row, const coll_mtree_record_t *record,
                  int backend)
{
    const coll_mtree_call_class_t *call_class = &record->call_class;

    return row->kind == COLL_MTREE_ROW_TIMES &&
           row->identity == record->group->identity && row->times.backend == backend &&
           row->times.root == call_class->root &&
           row->times.size_class == call_class->size_class &&
           row->times.relayed == call_class->relayed &&
           strcmp(row->times.function, record->function) == 0;
}

/* The means of all ranks whose times are there; this one timed some. */
static void add_means(const coll_mtree_report_t *report,
                      const coll_mtree_record_t *record, int backend, json_t *json)
{
    double slowest = 0, sum = 0;
    int ranks = 0;

    for (int i = 0; i < report->gathered.num_rows; i++) {
        const coll_mtree_rank_row_t *row = &report->gathered.rows[i];

        if (is_of(row, record, backend)) {
            double mean = row->times.seconds / (double)row->times.timed;

            sum += mean;
            slowest = fmax(slowest, mean);
            ranks++;
        }
    }
    json_object_set_new(json, "ranks", json_integer(ranks));
    json_object_set_new(json, "mean_of_ranks_s", json_real(sum / ranks));
    json_object_set_new(json, "slowest_rank_s", json_real(slowest));
}

static json_t *backend_json(const coll_mtree_report_t *report,
                            const coll_mtree_record_t *record, int backend)
{
    const coll_mtree_durations_t *durations = &record->by[backend];
    json_t *json = json_pack("{s:s, s:I, s:f, s:I}", "by", backend_names[backend],
                             "calls", (json_int_t)durations->calls, "bytes",
                             durations->bytes, "timed", (json_int_t)durations->timed);

    if (durations->timed > 0) {
        json_object_set_new(json, "seconds", json_real(durations->seconds));
        json_object_set_new(json, "shared_s", json_real(durations->shares));
        json_object_set_new(json, "median_s",
                            json_real(coll_mtree_durations_median(durations)));
        json_object_set_new(json, "least_s", json_real(durations->least));
        json_object_set_new(json, "most_s", json_real(durations->most));
        add_means(report, record, backend, json);
    }
    return json;
}

/* The calls and times of each backend that served some. */
static json_t *served_json(const coll_mtree_report_t *report,
                           const coll_mtree_record_t *record)
{
    json_t *list = json_array();

    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        if (record->by[backend].calls > 0) {
            json_array_append_new(list, backend_json(report, record, backend));
        }
    }
    return list;
}

/* Each reason for which the fallback served calls, with their number. */
static json_t *fallbacks_json(const coll_mtree_record_t *record)
{
    json_t *list = json_array();

    for (int r = 0; r < COLL_MTREE_REASONS; r++) {
        coll_mtree_fallback_reason_t reason = (coll_mtree_fallback_reason_t)r;

        if (record->reason[r] > 0) {
            json_array_append_new(list, json_pack("{s:s, s:s, s:I}", "why",
                                                  coll_mtree_reason_name(reason), "text",
                                                  coll_mtree_reason_text(reason), "calls",
                                                  (json_int_t)record->reason[r]));
        }
    }
    return list;
}

/* The rate of each tree of the plan, bits/s of message. */
static json_t *tree_rates_json(const coll_mtree_record_t *record)
{
    json_t *list = json_array();

    for (int t = 0; t < record->num_trees; t++) {
        json_array_append_new(list,
                              json_real(coll_mtree_goodput_rate(&record->trees[t])));
    }
    return list;
}

/* What calls of @a record were, what served them and why, and what that took. */
static json_t *calls_json(const coll_mtree_report_t *report,
                          const coll_mtree_record_t *record)
{
    int size_class = record->call_class.size_class;
    double low = size_class == 0 ? 0 : ldexp(1, size_class);
    json_t *json =
        json_pack("{s:s, s:f, s:f, s:o, s:o}", "function", record->function, "bytes_from",
                  low <= 1024 ? 0.0 : low, "bytes_to", 2 * low, "served",
                  served_json(report, record), "fallbacks", fallbacks_json(record));

    if (record->call_class.root >= 0) {
        json_object_set_new(json, "root", json_integer(record->call_class.root));
    }
    if (record->num_trees > 0 && record->relayed == 0) {
        json_object_set_new(json, "trees_bps", tree_rates_json(record));
    }
    return json;
}

/* The name of a communicator, any bytes, which the user gives it. */
static json_t *name_json(const char *name)
{
    char text[MPI_MAX_OBJECT_NAME];

    (void)snprintf(text, sizeof(text), "%s", name);
    mtree_make_utf8(text);
    return json_string(text);
}

static json_t *group_json(builder_t *builder, const coll_mtree_group_t *group)
{
    json_t *calls = json_array(), *vertices = json_array();
    json_t *json = json_pack("{s:o, s:i, s:i, s:i, s:o}", "name", name_json(group->name),
                             "ranks", group->num_ranks, "leader", group->leader,
                             "communicators", group->communicators, "calls", calls);
    int topology = -1;

    if (group->context != NULL) {
        const coll_mtree_plan_hosts_t *hosts = &group->context->hosts;

        topology = topology_number(builder, group->context);
        for (int host = 0; host < hosts->num_hosts; host++) {
            json_array_append_new(vertices, json_integer(hosts->vertices[host]));
        }
        json_object_set_new(json, "topology", json_integer(topology));
        json_object_set_new(json, "hosts", json_integer(hosts->num_hosts));
        json_object_set(json, "vertices", vertices);
        json_object_set_new(json, "paths", paths_json(builder->report, group));
    }
    json_decref(vertices);
    for (const coll_mtree_record_t *r = group->records; r != NULL; r = r->next) {
        json_t *record = calls_json(builder->report, r);

        add_planned(builder, r, topology, record);
        json_array_append_new(calls, record);
    }
    return json;
}

/* The numbers of the group of @a record and of the record in it. */
static void find_record(const coll_mtree_group_t *groups,
                        const coll_mtree_record_t *record, int *group_p, int *number_p)
{
    *group_p = *number_p = 0;
    while (groups != NULL && groups != record->group) {
        groups = groups->next;
        ++*group_p;
    }
    for (const coll_mtree_record_t *r = record->group->records; r != record;
         r = r->next) {
        ++*number_p;
    }
}

/* The calls that newer ones have replaced in the ring. */
static uint64_t timeline_lost(const coll_mtree_report_t *report)
{
    return report->calls < COLL_MTREE_TIMELINE ? 0 : report->calls - COLL_MTREE_TIMELINE;
}

static json_t *timeline_json(const coll_mtree_report_t *report,
                             const coll_mtree_group_t *groups)
{
    json_t *list = json_array();

    for (uint64_t call = timeline_lost(report); call < report->calls; call++) {
        const coll_mtree_timeline_event_t *event =
            &report->timeline[call % COLL_MTREE_TIMELINE];
        int group, number;

        if (event->record == NULL) {
            continue;
        }
        find_record(groups, event->record, &group, &number);
        json_array_append_new(list, json_pack("[f, f, f, i, i, i]", event->began,
                                              event->seconds, event->bytes,
                                              (int)event->backend, group, number));
    }
    return list;
}

static json_t *totals_json(const coll_mtree_report_t *report)
{
    static const struct {
        const char *name;
        coll_mtree_counter_t counter;
    } counters[] = {{"chunks", COLL_MTREE_COUNT_CHUNKS},
                    {"chunk_bytes", COLL_MTREE_COUNT_CHUNK_BYTES},
                    {"plans", COLL_MTREE_COUNT_PLANS},
                    {"probe_bytes", COLL_MTREE_COUNT_PROBE_BYTES},
                    {"most_scratch_bytes", COLL_MTREE_COUNT_MOST_SCRATCH}};
    json_t *json = json_pack("{s:I, s:I}", "timeline_calls", (json_int_t)report->calls,
                             "timeline_lost", (json_int_t)timeline_lost(report));

    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        json_object_set_new(
            json, counters[i].name,
            json_integer((json_int_t)coll_mtree_counter_get(counters[i].counter)));
    }
    return json;
}

static json_t *times_json(const coll_mtree_rank_report_t *gathered)
{
    json_t *list = json_array();

    for (int i = 0; i < gathered->num_rows; i++) {
        const coll_mtree_rank_row_t *row = &gathered->rows[i];
        const coll_mtree_clock_times_t *times = &row->clock;

        if (row->kind == COLL_MTREE_ROW_CLOCK) {
            json_array_append_new(
                list, json_pack("{s:i, s:f, s:f, s:f, s:f}", "rank", row->rank, "mtree_s",
                                times->running, "openmpi_s", times->openmpi, "planning_s",
                                times->planning, "connecting_s", times->connecting));
        }
    }
    return list;
}

static json_t *report_json(builder_t *builder, const coll_mtree_group_t *groups)
{
    const coll_mtree_report_t *report = builder->report;
    char date[32], version[32];
    time_t started = (time_t)report->started;
    struct tm utc;
    json_t *json;

    for (const coll_mtree_group_t *group = groups; group != NULL; group = group->next) {
        json_array_append_new(builder->communicators, group_json(builder, group));
    }
    snprintf(version, sizeof(version), "%d.%d.%d", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
             OMPI_RELEASE_VERSION);
    gmtime_r(&started, &utc);
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
    json = json_pack(
        "{s:s, s:s, s:s, s:b, s:s, s:f, s:i, s:i, s:o, s:o, s:O, s:O, s:O, s:o}",
        "format", MTREE_REPORT_FORMAT, "mtree", MTREE_VERSION, "open_mpi", version,
        "complete", (int)report->is_complete, "started", date, "elapsed_s",
        report->seconds, "ranks", report->ranks, "ranks_heard", report->gathered.ranks,
        "times", times_json(&report->gathered), "totals", totals_json(report),
        "topologies", builder->topologies, "plans", builder->plans, "communicators",
        builder->communicators, "timeline", timeline_json(report, groups));
    if (report->obstacle != NULL) {
        json_object_set_new(json, "obstacle", json_string(report->obstacle));
    }
    return json;
}

char *coll_mtree_report_json(const coll_mtree_report_t *report,
                             const coll_mtree_group_t *groups)
{
    builder_t builder = {.report = report,
                         .topologies = json_array(),
                         .plans = json_array(),
                         .communicators = json_array()};
    json_t *json = report_json(&builder, groups);
    char *text = NULL;

    if (json != NULL) {
        text = json_dumps(json, JSON_REAL_PRECISION(9));
    }
    json_decref(json);
    json_decref(builder.topologies);
    json_decref(builder.plans);
    json_decref(builder.communicators);
    free(builder.written);
    return text;
}

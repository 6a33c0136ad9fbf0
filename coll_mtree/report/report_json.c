/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_json.h"

#include "coll_mtree/base/counters.h"
#include "coll_mtree/base/tuning.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/printable.h"
#include "planner/plan/json.h"
#include "report/format.h"
#include "topo/dot/read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* What is being written. */
typedef struct {
    const coll_mtree_report_t *report;
    json_t *topologies, *plans, *communicators;
} builder_t;

/* The number of @a json, which this takes, in @a list: of one that is the same by its
 * member @a key (NULL: by all) if there is one. */
static json_t *number_in(json_t *list, json_t *json, const char *key)
{
    const json_t *what = key == NULL ? json : json_object_get(json, key);
    json_t *other;
    size_t number;

    json_array_foreach (list, number, other) {
        if (json_equal(key == NULL ? other : json_object_get(other, key), what)) {
            json_decref(json);
            return json_integer((json_int_t)number);
        }
    }
    json_array_append_new(list, json);
    return json_integer((json_int_t)number);
}

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

/* The number of @a plan, of the topology of number @a topology (NULL: none), in the
 * report. */
static json_t *plan_number(builder_t *builder, const mtree_plan_t *plan, json_t *topology)
{
    json_t *json;
    char *text;

    mtree_require(mtree_plan_to_json(plan, &text));
    json = json_loads(text, 0, NULL);
    free(text);
    json_object_set(json, "topology", topology);
    return number_in(builder->plans, json, NULL);
}

/* What was planned for the calls of @a record, which are on the topology of number @a
 * topology (NULL: none). */
static void add_planned(builder_t *builder, const coll_mtree_record_t *record,
                        json_t *topology, json_t *json)
{
    if (record->plan == NULL) {
        return;
    }
    if (record->relay_calls > 0 && record->relay_plan != NULL) {
        json_object_set_new(json, "plan",
                            plan_number(builder, record->relay_plan, topology));
        json_object_set_new(json, "direct_plan",
                            plan_number(builder, record->plan, topology));
        json_object_set_new(json, "relayed",
                            json_integer((json_int_t)record->relay_calls));
        json_object_set_new(json, "relayed_bytes", json_real(record->relay_bytes));
    } else {
        json_object_set_new(json, "plan", plan_number(builder, record->plan, topology));
    }
    json_object_set_new(json, "host_share",
                        json_real(coll_mtree_call_class_host_share(
                            record->plan->collective, record->group->num_ranks,
                            mtree_plan_num_active(record->plan))));
    json_object_set_new(
        json, "planned_s",
        json_real(record->expected > 0 ? record->expected : record->plan->seconds));
    if (record->openmpi > 0) {
        json_object_set_new(json, "planned_openmpi_s", json_real(record->openmpi));
    }
}

/* What the ranks of a running job reported last. */
static json_t *latest_paths(const coll_mtree_planning_context_t *context)
{
    json_t *list = json_array();

    for (int i = 0; i < context->num_samples; i++) {
        const mtree_path_sample_t *sample = &context->samples[i];

        if (sample->rate > 0) {
            json_array_append_new(
                list, json_pack("[i, i, f, f, f]", sample->from, sample->to, sample->rate,
                                sample->backlogged, sample->backlogged_rate));
        }
    }
    return list;
}

/* What the ranks that are heard sent to other hosts in all calls. */
static json_t *heard_paths(const json_t *times, const coll_mtree_group_t *group)
{
    const int *host = group->context->numbers.host;
    json_t *list = json_array(), *of_rank, *path;
    size_t rank, i;

    json_array_foreach (times, rank, of_rank) {
        json_array_foreach (
            json_object_get(json_object_get(of_rank, "paths"), group->key), i, path) {
            int from = host[json_integer_value(json_array_get(path, 0))];
            int to = host[json_integer_value(json_array_get(path, 1))];

            if (from != to) {
                json_array_set_new(path, 0, json_integer(from));
                json_array_set_new(path, 1, json_integer(to));
                json_array_append(list, path);
            }
        }
    }
    return list;
}

static json_t *paths_json(const builder_t *builder, const coll_mtree_group_t *group)
{
    return builder->report->is_complete || group->context->num_samples == 0
               ? heard_paths(builder->report->times, group)
               : latest_paths(group->context);
}

static json_t *backend_json(const coll_mtree_record_t *record, int backend)
{
    static const char *const names[] = {"trees", "openmpi"};
    const coll_mtree_durations_t *durations = &record->by[backend];
    json_t *json = json_pack("{s:s, s:I, s:f, s:I}", "by", names[backend], "calls",
                             (json_int_t)durations->calls, "bytes", durations->bytes,
                             "timed", (json_int_t)durations->timed);

    if (durations->timed > 0) {
        json_object_set_new(json, "seconds", json_real(durations->seconds));
        json_object_set_new(json, "shared_s", json_real(durations->shares));
        json_object_set_new(json, "median_s",
                            json_real(coll_mtree_durations_median(durations)));
        json_object_set_new(json, "least_s", json_real(durations->least));
        json_object_set_new(json, "most_s", json_real(durations->most));
    }
    return json;
}

/* The calls and times of each backend that served some. */
static json_t *served_json(const coll_mtree_record_t *record)
{
    json_t *list = json_array();

    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        if (record->by[backend].calls > 0) {
            json_array_append_new(list, backend_json(record, backend));
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
        const coll_mtree_tree_sample_t *tree = &record->trees[t];

        json_array_append_new(
            list, json_real(tree->seconds > 0 ? 8 * tree->bytes / tree->seconds : 0));
    }
    return list;
}

/* What calls of @a record were, what served them and why, and what that took. */
static json_t *calls_json(const coll_mtree_record_t *record)
{
    int size_class = record->call_class.size_class;
    double low = size_class == 0 ? 0 : ldexp(1, size_class);
    json_t *json = json_pack(
        "{s:s, s:s, s:f, s:f, s:o, s:o}", "function", record->function, "key",
        record->key, "bytes_from", low <= COLL_MTREE_SHORT_BYTES ? 0.0 : low, "bytes_to",
        2 * low, "served", served_json(record), "fallbacks", fallbacks_json(record));

    if (record->call_class.root >= 0) {
        json_object_set_new(json, "root", json_integer(record->call_class.root));
    }
    if (record->num_trees > 0 && record->relay_calls == 0) {
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
    json_t *calls = json_array();
    json_t *json = json_pack("{s:o, s:i, s:i, s:i, s:o}", "name", name_json(group->name),
                             "ranks", group->num_ranks, "leader", group->leader,
                             "communicators", group->communicators, "calls", calls);

    if (group->context != NULL) {
        const coll_mtree_plan_hosts_t *hosts = &group->context->hosts;
        json_t *vertices = json_array();

        for (int host = 0; host < hosts->num_hosts; host++) {
            json_array_append_new(vertices, json_integer(hosts->vertices[host]));
        }
        /* Groups follow the network in copies of a topology, which are one here. */
        json_object_set_new(
            json, "topology",
            number_in(builder->topologies, topology_json(group->context), "dot"));
        json_object_set_new(json, "hosts", json_integer(hosts->num_hosts));
        json_object_set_new(json, "vertices", vertices);
        json_object_set_new(json, "paths", paths_json(builder, group));
    }
    for (const coll_mtree_record_t *r = group->records; r != NULL; r = r->next) {
        json_t *record = calls_json(r);

        add_planned(builder, r, json_object_get(json, "topology"), record);
        json_array_append_new(calls, record);
    }
    return json;
}

static json_t *totals_json(void)
{
    static const struct {
        const char *name;
        coll_mtree_counter_t counter;
    } counters[] = {{"chunks", COLL_MTREE_COUNT_CHUNKS},
                    {"chunk_bytes", COLL_MTREE_COUNT_CHUNK_BYTES},
                    {"plans", COLL_MTREE_COUNT_PLANS},
                    {"probe_bytes", COLL_MTREE_COUNT_PROBE_BYTES},
                    {"most_scratch_bytes", COLL_MTREE_COUNT_MOST_SCRATCH}};
    json_t *json = json_object();

    for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++) {
        json_object_set_new(
            json, counters[i].name,
            json_integer((json_int_t)coll_mtree_counter_get(counters[i].counter)));
    }
    return json;
}

static json_t *report_json(builder_t *builder, const coll_mtree_group_t *groups)
{
    const coll_mtree_report_t *report = builder->report;
    char date[32], version[32];
    time_t started = (time_t)report->started;
    struct tm utc;
    json_t *json, *of_rank;
    size_t rank;

    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        json_array_append_new(builder->communicators, group_json(builder, g));
    }
    json_array_foreach (report->times, rank, of_rank) {
        json_object_del(of_rank, "paths");
    }
    snprintf(version, sizeof(version), "%d.%d.%d", OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
             OMPI_RELEASE_VERSION);
    gmtime_r(&started, &utc);
    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &utc);
    json = json_pack("{s:s, s:s, s:s, s:b, s:s, s:f, s:i, s:i, s:O, s:o, s:o, s:o, s:o}",
                     "format", MTREE_REPORT_FORMAT, "mtree", MTREE_VERSION, "open_mpi",
                     version, "complete", (int)report->is_complete, "started", date,
                     "elapsed_s", mtree_clock_seconds() - report->began, "ranks",
                     report->ranks, "ranks_heard", (int)json_array_size(report->times),
                     "times", report->times, "totals", totals_json(), "topologies",
                     builder->topologies, "plans", builder->plans, "communicators",
                     builder->communicators);
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
    json_t *json = mtree_existing(report_json(&builder, groups));
    char *text = mtree_existing(json_dumps(json, JSON_REAL_PRECISION(9)));

    json_decref(json);
    return text;
}

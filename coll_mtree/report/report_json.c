/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_json.h"

#include "coll_mtree/report/report_maps.h"
#include "coll_mtree/report/report_place.h"
#include "coll_mtree/report/report_ranks.h"
#include "coll_mtree/report/report_served.h"

#include "planner/plan/json.h"
#include "report/report.h"
#include "simulate/forecast/forecast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Up to this size latency decides, and the bound says nothing. */
#define SHORT_BYTES 2048

typedef struct {
    const coll_mtree_report_t *report;
    coll_mtree_report_maps_t maps;
    json_t *plans, *communicators;
    double openmpi;   /* seconds that Open MPI would have taken */
    double saved;     /* seconds */
    bool is_measured; /* all that is saved is measured */
} builder_t;

/* Add the group's plans to the report, with the arcs that each tree crosses. */
static void append_plans(builder_t *builder, coll_mtree_report_place_t *place)
{
    const coll_mtree_group_class_t *class;
    mtree_list_t *link;

    place->first_plan = (int)json_array_size(builder->plans);
    COLL_MTREE_CLASS_TABLE_FOR_EACH(class, link, &place->group->classes)
    {
        const mtree_plan_t *plan = coll_mtree_report_shown_plan(class);
        json_t *json;
        char *text;

        if (plan == NULL || mtree_plan_to_json(plan, &text) != MTREE_OK) {
            continue;
        }
        json = json_loads(text, 0, NULL);
        free(text);
        if (place->map != NULL) {
            json_object_set_new(json, "topology", json_integer(place->map_number));
            coll_mtree_report_place_mark(place, plan, json);
        }
        json_array_append_new(builder->plans, json);
    }
}

/* Seconds that a call of @a bytes is predicted to take with Open MPI; negative: there is
 * no prediction. */
static double predicted_openmpi_seconds(const coll_mtree_report_place_t *place,
                                        const coll_mtree_record_t *record, double bytes)
{
    mtree_plan_request_t request = {.collective = record->call_class.collective,
                                    .bytes = bytes};

    if (place->map == NULL) {
        return -1;
    }
    request.bytes *= coll_mtree_call_class_host_share(
        request.collective, place->group->num_ranks, place->num_hosts);
    if (record->call_class.root >= 0) {
        request.root = coll_mtree_planning_context_host_of(
            place->group->context)[record->call_class.root];
    }
    return mtree_forecast_fallback_seconds(
        place->map->topology, place->vertices, place->num_hosts,
        (place->group->num_ranks - 1) / place->num_hosts + 1, &request);
}

/* Seconds that a call of @a bytes took or would take with Open MPI; *how_p: measured,
 * predicted or unknown, which is 0 seconds. */
static double openmpi_seconds(const coll_mtree_report_place_t *place,
                              const coll_mtree_record_t *record, double bytes,
                              const char **how_p)
{
    const coll_mtree_durations_t *fallback = &record->by[COLL_MTREE_FALLBACK];
    double seconds;

    *how_p = "measured";
    if (record->measured[COLL_MTREE_FALLBACK] > 0) {
        return record->measured[COLL_MTREE_FALLBACK];
    }
    if (fallback->timed > 0) {
        return coll_mtree_durations_median(fallback);
    }
    seconds = predicted_openmpi_seconds(place, record, bytes);
    *how_p = seconds < 0 ? "unknown" : "predicted";
    return fmax(seconds, 0);
}

/* What the plan promises for calls of @a bytes, next to the @a seconds that they took (0:
 * mtree served none). */
static void write_promise(json_t *json, const mtree_plan_t *plan, double bytes,
                          double seconds)
{
    double bound = plan->bound > 0 && bytes > SHORT_BYTES ? 8 * bytes / plan->bound : 0;
    double predicted = mtree_forecast_plan_seconds(plan);

    if (predicted > 0 && plan->throughput > 0) {
        predicted += fmax(8 * (bytes - plan->bytes) / plan->throughput, -predicted / 2);
        json_object_set_new(json, "predicted_s", json_real(predicted));
    }
    if (bound > 0) {
        json_object_set_new(json, "bound_s", json_real(bound));
    }
    if (bound > 0 && seconds > 0) {
        json_object_set_new(json, "share_of_bound", json_real(bound / seconds));
    }
}

/* The time that Open MPI would have taken, and what mtree's calls saved. */
static void write_savings(json_t *json, builder_t *builder,
                          const coll_mtree_report_place_t *place,
                          const coll_mtree_record_t *record, double bytes)
{
    const char *how;
    double openmpi = openmpi_seconds(place, record, bytes, &how);
    double timed = 0, taken = 0;

    json_object_set_new(json, "openmpi_how", json_string(how));
    if (openmpi <= 0) {
        return;
    }
    json_object_set_new(json, "openmpi_s", json_real(openmpi));
    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        if (backend != COLL_MTREE_FALLBACK) {
            timed += (double)record->by[backend].timed;
            taken += coll_mtree_report_sum_seconds(builder->report, record, backend);
        }
    }
    json_object_set_new(json, "saved_s", json_real(timed * openmpi - taken));
    builder->openmpi += timed * openmpi;
    builder->saved += timed * openmpi - taken;
    builder->is_measured =
        builder->is_measured && (timed == 0 || strcmp(how, "measured") == 0);
}

static void write_plan(json_t *json, const coll_mtree_report_place_t *place,
                       const coll_mtree_record_t *record, double bytes, double seconds)
{
    int number;
    const coll_mtree_group_class_t *class =
        coll_mtree_report_place_class(place, &record->call_class, &number);
    double share;

    if (class == NULL || class->plan == NULL) {
        return;
    }
    share = coll_mtree_call_class_host_share(
        class->plan->collective, place->group->num_ranks, class->plan->num_hosts);
    if (place->map != NULL) {
        coll_mtree_report_place_add_traffic(place, class, record, share);
    }
    json_object_set_new(json, "plan", json_integer(number));
    if (record->relayed > 0) {
        json_object_set_new(json, "relayed", json_integer((json_int_t)record->relayed));
    }
    write_promise(json, coll_mtree_report_shown_plan(class), share * bytes, seconds);
}

/* The sums of the calls of one record over all backends. */
typedef struct {
    double calls, bytes, seconds;
} sums_t;

static sums_t sum_backends(const coll_mtree_record_t *record)
{
    sums_t sums = {0};

    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        const coll_mtree_durations_t *durations = &record->by[backend];

        sums.calls += (double)durations->calls;
        sums.bytes += durations->bytes;
        sums.seconds += durations->seconds;
    }
    return sums;
}

static json_t *record_json(builder_t *builder, coll_mtree_report_place_t *place,
                           const coll_mtree_record_t *record)
{
    int size_class = record->call_class.size_class;
    double low = size_class == 0 ? 0 : ldexp(1, size_class);
    sums_t sums = sum_backends(record);
    double bytes = sums.calls > 0 ? sums.bytes / sums.calls : 0;
    json_t *json = json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:o, s:o}", "function",
                             record->function, "bytes_from", low <= 1024 ? 0.0 : low,
                             "bytes_to", 2 * low, "calls", sums.calls, "bytes",
                             sums.bytes, "seconds", sums.seconds, "served",
                             coll_mtree_report_served(builder->report, record),
                             "fallbacks", coll_mtree_report_fallbacks(record));

    if (record->call_class.root >= 0) {
        json_object_set_new(json, "root", json_integer(record->call_class.root));
    }
    if (record->num_trees > 0 && record->relayed == 0) {
        json_object_set_new(json, "trees_bps", coll_mtree_report_tree_rates(record));
    }
    if (place->map != NULL) {
        place->map->seconds +=
            record->by[COLL_MTREE_TREES].seconds + record->by[COLL_MTREE_RING].seconds;
    }
    write_plan(json, place, record, bytes,
               coll_mtree_report_seconds(builder->report, record, COLL_MTREE_TREES));
    write_savings(json, builder, place, record, bytes);
    return json;
}

static json_t *group_json(builder_t *builder, const coll_mtree_group_t *group)
{
    json_t *calls = json_array();
    json_t *json = json_pack("{s:s, s:i, s:i, s:i, s:o}", "name", group->name, "ranks",
                             group->num_ranks, "leader", group->leader, "communicators",
                             group->communicators, "calls", calls);
    coll_mtree_report_place_t place;

    coll_mtree_report_place_init(&place, &builder->maps, group);
    if (place.map != NULL) {
        json_object_set_new(json, "topology", json_integer(place.map_number));
        json_object_set_new(json, "hosts", json_integer(place.num_hosts));
        coll_mtree_report_measure(builder->report, group, place.map->topology,
                                  place.routes, place.map->gave);
    }
    append_plans(builder, &place);
    for (const coll_mtree_record_t *record = group->records; record != NULL;
         record = record->next) {
        json_array_append_new(calls, record_json(builder, &place, record));
    }
    coll_mtree_report_place_cleanup(&place);
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

static json_t *timeline_json(const coll_mtree_report_t *report,
                             const coll_mtree_group_t *groups)
{
    json_t *list = json_array();

    for (size_t i = 0; i < report->num_timeline_events; i++) {
        const coll_mtree_timeline_event_t *timeline_event =
            &report->timeline_events[(report->first_timeline_event + i) %
                                     report->num_timeline_events];
        int group, number;

        if (timeline_event->record == NULL) {
            continue;
        }
        find_record(groups, timeline_event->record, &group, &number);
        json_array_append_new(list,
                              json_pack("[f, f, f, i, i, i]", timeline_event->began,
                                        timeline_event->seconds, timeline_event->bytes,
                                        (int)timeline_event->backend, group, number));
    }
    return list;
}

static json_t *totals_json(const builder_t *builder)
{
    const coll_mtree_report_t *report = builder->report;
    const coll_mtree_totals_t *totals = &report->totals;

    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:b}", "chunks",
                     (json_int_t)totals->counters.chunks, "chunk_bytes",
                     (json_int_t)totals->counters.chunk_bytes, "plans",
                     (json_int_t)totals->plans, "probe_bytes",
                     (json_int_t)totals->counters.probe_bytes, "most_scratch_bytes",
                     (json_int_t)totals->counters.most_scratch, "timeline_calls",
                     (json_int_t)report->calls, "timeline_lost",
                     (json_int_t)(report->calls - report->num_timeline_events),
                     "openmpi_s", builder->openmpi, "saved_s", builder->saved,
                     "saved_is_measured", (int)builder->is_measured);
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
    json = json_pack("{s:s, s:s, s:s, s:b, s:s, s:f, s:i, s:i, s:o, s:o, s:O, s:O, s:o}",
                     "format", MTREE_REPORT_FORMAT, "mtree", MTREE_VERSION, "open_mpi",
                     version, "complete", (int)report->is_complete, "started", date,
                     "elapsed_s", report->seconds, "ranks", report->ranks, "ranks_heard",
                     report->gathered.ranks, "totals", totals_json(builder), "topologies",
                     coll_mtree_report_maps_json(&builder->maps), "plans", builder->plans,
                     "communicators", builder->communicators, "timeline",
                     timeline_json(report, groups));
    if (report->obstacle != NULL) {
        json_object_set_new(json, "obstacle", json_string(report->obstacle));
    }
    return json;
}

char *coll_mtree_report_json(const coll_mtree_report_t *report,
                             const coll_mtree_group_t *groups)
{
    builder_t builder = {.report = report,
                         .is_measured = true,
                         .plans = json_array(),
                         .communicators = json_array()};
    json_t *json = report_json(&builder, groups);
    char *text = NULL;

    if (json != NULL) {
        text = json_dumps(json, JSON_REAL_PRECISION(9));
    }
    json_decref(json);
    json_decref(builder.plans);
    json_decref(builder.communicators);
    coll_mtree_report_maps_cleanup(&builder.maps);
    return text;
}

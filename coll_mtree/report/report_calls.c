/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_calls.h"

#include <math.h>
#include <string.h>

static const char *const backend_names[] = {"trees", "openmpi"};

/* Does @a of_rank have the times of the calls of @a record that @a backend served? */
static bool is_of(const coll_mtree_rank_report_time_t *of_rank,
                  const coll_mtree_record_t *record, int backend)
{
    const coll_mtree_call_class_t *call_class = &record->call_class;

    return of_rank->identity == record->group->identity && of_rank->backend == backend &&
           of_rank->root == call_class->root &&
           of_rank->size_class == call_class->size_class &&
           of_rank->relayed == call_class->relayed &&
           strcmp(of_rank->function, record->function) == 0;
}

/* The means of all ranks whose times are there, this one included; it timed some. */
static void add_means(const coll_mtree_report_t *report,
                      const coll_mtree_record_t *record, int backend, json_t *json)
{
    const coll_mtree_durations_t *durations = &record->by[backend];
    double slowest = durations->seconds / (double)durations->timed, sum = slowest;
    int ranks = 1;

    for (size_t i = 0; i < report->gathered.num_times; i++) {
        const coll_mtree_rank_report_time_t *of_rank = &report->gathered.times[i];

        if (is_of(of_rank, record, backend)) {
            double mean = of_rank->seconds / (double)of_rank->timed;

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

json_t *coll_mtree_report_calls(const coll_mtree_report_t *report,
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

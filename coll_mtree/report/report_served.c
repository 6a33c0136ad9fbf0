/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_served.h"

#include "coll_mtree/report/report_ranks.h"

static const char *const backend_names[] = {"trees", "ring", "openmpi", "rival"};

static json_t *backend_json(const coll_mtree_report_t *report,
                            const coll_mtree_record_t *record, int backend)
{
    const coll_mtree_durations_t *durations = &record->by[backend];
    coll_mtree_ranks_t all;
    json_t *json = json_pack("{s:s, s:I, s:f, s:I}", "by", backend_names[backend],
                             "calls", (json_int_t)durations->calls, "bytes",
                             durations->bytes, "timed", (json_int_t)durations->timed);

    if (durations->timed > 0) {
        json_object_set_new(json, "seconds", json_real(durations->seconds));
        json_object_set_new(json, "mean_s",
                            json_real(durations->seconds / (double)durations->timed));
        json_object_set_new(json, "median_s",
                            json_real(coll_mtree_durations_median(durations)));
        json_object_set_new(json, "least_s", json_real(durations->least));
        json_object_set_new(json, "most_s", json_real(durations->most));
        all = coll_mtree_report_ranks(report, record, backend);
        json_object_set_new(json, "ranks", json_integer(all.ranks));
        json_object_set_new(json, "mean_of_ranks_s", json_real(all.mean));
        json_object_set_new(json, "slowest_rank_s", json_real(all.slowest));
    }
    return json;
}

json_t *coll_mtree_report_served(const coll_mtree_report_t *report,
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

json_t *coll_mtree_report_tree_rates(const coll_mtree_record_t *record)
{
    json_t *list = json_array();

    for (int t = 0; t < record->num_trees; t++) {
        json_array_append_new(list,
                              json_real(coll_mtree_goodput_rate(&record->trees[t])));
    }
    return list;
}

json_t *coll_mtree_report_fallbacks(const coll_mtree_record_t *record)
{
    json_t *list = json_array();

    for (int reason = 0; reason < COLL_MTREE_REASONS; reason++) {
        if (record->reason[reason] > 0) {
            json_array_append_new(
                list,
                json_pack("{s:s, s:s, s:I}", "why",
                          coll_mtree_reason_name((coll_mtree_fallback_reason_t)reason),
                          "text",
                          coll_mtree_reason_text((coll_mtree_fallback_reason_t)reason),
                          "calls", (json_int_t)record->reason[reason]));
        }
    }
    return list;
}

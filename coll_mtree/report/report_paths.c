/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_paths.h"

static void append(json_t *list, int from, int to, double rate, double backlogged,
                   double backlogged_rate)
{
    json_array_append_new(
        list, json_pack("[i, i, f, f, f]", from, to, rate, backlogged, backlogged_rate));
}

/* What the ranks of a running job reported last. */
static void append_latest(json_t *list, const coll_mtree_group_t *group)
{
    int num_samples;
    const mtree_path_sample_t *samples =
        coll_mtree_planning_context_path_samples(group->context, &num_samples);

    for (int i = 0; i < num_samples; i++) {
        if (samples[i].rate > 0) {
            append(list, samples[i].from, samples[i].to, samples[i].rate,
                   samples[i].backlogged, samples[i].backlogged_rate);
        }
    }
}

/* What the ranks that were gathered sent in all calls. */
static void append_gathered(json_t *list, const coll_mtree_rank_report_t *gathered,
                            const coll_mtree_group_t *group)
{
    const int *host = coll_mtree_planning_context_host_of(group->context);

    for (size_t i = 0; i < gathered->num_paths; i++) {
        const coll_mtree_rank_report_path_t *one = &gathered->paths[i];
        double seconds = one->path.seconds;

        if (one->identity == group->identity && host[one->from] != host[one->to] &&
            seconds > 0) {
            append(list, host[one->from], host[one->to], 8 * one->path.bytes / seconds,
                   one->path.backlogged_seconds / seconds,
                   coll_mtree_goodput_backlogged_rate(&one->path));
        }
    }
}

json_t *coll_mtree_report_paths(const coll_mtree_report_t *report,
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

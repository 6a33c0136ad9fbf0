/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the ranks of a running job reported last, malloc'ed. */
static mtree_traffic_path_t *latest_paths(const coll_mtree_group_t *group, size_t *num_p)
{
    int num_samples;
    const mtree_path_sample_t *samples =
        coll_mtree_planning_context_path_samples(group->context, &num_samples);
    mtree_traffic_path_t *paths = calloc((size_t)num_samples + 1, sizeof(*paths));

    *num_p = 0;
    for (int i = 0; i < num_samples && paths != NULL; i++) {
        if (samples[i].rate > 0) {
            paths[(*num_p)++] =
                (mtree_traffic_path_t){.from = samples[i].from,
                                       .to = samples[i].to,
                                       .rate = samples[i].rate,
                                       .backlogged = samples[i].backlogged,
                                       .backlogged_rate = samples[i].backlogged_rate};
        }
    }
    return paths;
}

/* What the ranks that were gathered sent in all calls, malloc'ed. */
static mtree_traffic_path_t *gathered_paths(const coll_mtree_rank_report_t *gathered,
                                            const coll_mtree_group_t *group,
                                            size_t *num_p)
{
    const int *host = coll_mtree_planning_context_host_of(group->context);
    mtree_traffic_path_t *paths = calloc(gathered->num_paths + 1, sizeof(*paths));

    *num_p = 0;
    for (size_t i = 0; i < gathered->num_paths && paths != NULL; i++) {
        const coll_mtree_rank_report_path_t *one = &gathered->paths[i];
        double seconds = one->path.seconds;

        if (one->identity == group->identity && host[one->from] != host[one->to] &&
            seconds > 0) {
            paths[(*num_p)++] = (mtree_traffic_path_t){
                .from = host[one->from],
                .to = host[one->to],
                .rate = 8 * one->path.bytes / seconds,
                .backlogged = one->path.backlogged_seconds / seconds,
                .backlogged_rate = coll_mtree_goodput_backlogged_rate(&one->path)};
        }
    }
    return paths;
}

void coll_mtree_report_measure(const coll_mtree_report_t *report,
                               const coll_mtree_group_t *group,
                               const mtree_topology_t *topology,
                               const mtree_routes_t *routes, mtree_traffic_gave_t *gave)
{
    size_t num_paths = 0;
    mtree_traffic_path_t *paths =
        report->is_complete ? NULL : latest_paths(group, &num_paths);

    if (num_paths == 0) {
        free(paths);
        paths = gathered_paths(&report->gathered, group, &num_paths);
    }
    if (paths != NULL) {
        mtree_traffic_measure(topology, routes, paths, num_paths, gave);
    }
    free(paths);
}

coll_mtree_ranks_t coll_mtree_report_ranks(const coll_mtree_report_t *report,
                                           const coll_mtree_record_t *record, int backend)
{
    const coll_mtree_durations_t *durations = &record->by[backend];
    double own = durations->seconds / (double)durations->timed, sum = own;
    coll_mtree_ranks_t all = {.ranks = 1, .slowest = own};

    for (size_t i = 0; i < report->gathered.num_times; i++) {
        const coll_mtree_rank_report_time_t *of_rank = &report->gathered.times[i];

        if (of_rank->identity == record->group->identity && of_rank->backend == backend &&
            of_rank->root == record->call_class.root &&
            of_rank->size_class == record->call_class.size_class &&
            of_rank->by_arrival == record->call_class.by_arrival &&
            of_rank->relayed == record->call_class.relayed &&
            strcmp(of_rank->function, record->function) == 0) {
            double mean = of_rank->seconds / (double)of_rank->timed;

            sum += mean;
            all.slowest = fmax(all.slowest, mean);
            all.ranks++;
        }
    }
    all.mean = sum / all.ranks;
    return all;
}

double coll_mtree_report_seconds(const coll_mtree_report_t *report,
                                 const coll_mtree_record_t *record, int backend)
{
    if (record->by[backend].timed == 0) {
        return 0;
    }
    return record->call_class.root < 0
               ? coll_mtree_durations_median(&record->by[backend])
               : coll_mtree_report_ranks(report, record, backend).slowest;
}

double coll_mtree_report_sum_seconds(const coll_mtree_report_t *report,
                                     const coll_mtree_record_t *record, int backend)
{
    const coll_mtree_durations_t *durations = &record->by[backend];

    return record->call_class.root < 0
               ? durations->seconds
               : (double)durations->timed *
                     coll_mtree_report_seconds(report, record, backend);
}

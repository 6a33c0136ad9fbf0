#include "coll_mtree/report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The latest word of all ranks of a running job. */
static mtree_traffic_path_t *latest_ways(const coll_mtree_group_t *group, size_t *num_p)
{
    int num_paces;
    mtree_path_sample_t *paces =
        coll_mtree_planning_context_path_samples(group->network, &num_paces);
    mtree_traffic_path_t *ways = calloc((size_t)num_paces + 1, sizeof(*ways));

    *num_p = 0;
    for (int i = 0; i < num_paces && ways != NULL; i++) {
        if (paces[i].rate > 0) {
            ways[(*num_p)++] =
                (mtree_traffic_path_t){.from = paces[i].from,
                                       .to = paces[i].to,
                                       .rate = paces[i].rate,
                                       .pressed = paces[i].pressed,
                                       .pressed_rate = paces[i].pressed_rate};
        }
    }
    free(paces);
    return ways;
}

/* What all calls gave, of the ranks that were heard. */
static mtree_traffic_path_t *heard_ways(const coll_mtree_rank_report_t *heard,
                                        const coll_mtree_group_t *group, size_t *num_p)
{
    const int *host = coll_mtree_planning_context_hosts(group->network);
    mtree_traffic_path_t *ways = calloc(heard->num_ways + 1, sizeof(*ways));

    *num_p = 0;
    for (size_t i = 0; i < heard->num_ways && ways != NULL; i++) {
        const coll_mtree_rank_report_path_t *one = &heard->ways[i];
        double seconds = one->way.seconds;

        if (one->identity == group->identity && host[one->from] != host[one->to] &&
            seconds > 0) {
            ways[(*num_p)++] = (mtree_traffic_path_t){
                .from = host[one->from],
                .to = host[one->to],
                .rate = 8 * one->way.bytes / seconds,
                .pressed = one->way.pressed_seconds / seconds,
                .pressed_rate = coll_mtree_goodput_backlogged_rate(&one->way)};
        }
    }
    return ways;
}

void coll_mtree_report_measure(const coll_mtree_report_t *report,
                               const coll_mtree_group_t *group,
                               const mtree_topology_t *topology,
                               const mtree_routes_t *routes, mtree_traffic_gave_t *gave)
{
    size_t num_ways = 0;
    mtree_traffic_path_t *ways =
        report->is_complete ? NULL : latest_ways(group, &num_ways);

    if (num_ways == 0) {
        free(ways);
        ways = heard_ways(&report->heard, group, &num_ways);
    }
    if (ways != NULL) {
        mtree_traffic_measure(topology, routes, ways, num_ways, gave);
    }
    free(ways);
}

coll_mtree_ranks_t coll_mtree_report_ranks(const coll_mtree_report_t *report,
                                           const coll_mtree_record_t *record, int server)
{
    const coll_mtree_durations_t *tally = &record->by[server];
    double own = tally->seconds / (double)tally->timed, sum = own;
    coll_mtree_ranks_t all = {.ranks = 1, .slowest = own};

    for (size_t i = 0; i < report->heard.num_times; i++) {
        const coll_mtree_rank_report_time_t *heard = &report->heard.times[i];

        if (heard->identity == record->group->identity && heard->server == server &&
            heard->root == record->kind.root &&
            heard->size_class == record->kind.size_class &&
            heard->by_arrival == record->kind.by_arrival &&
            strcmp(heard->function, record->function) == 0) {
            double mean = heard->seconds / (double)heard->timed;

            sum += mean;
            all.slowest = fmax(all.slowest, mean);
            all.ranks++;
        }
    }
    all.mean = sum / all.ranks;
    return all;
}

double coll_mtree_report_seconds(const coll_mtree_report_t *report,
                                 const coll_mtree_record_t *record, int server)
{
    if (record->by[server].timed == 0) {
        return 0;
    }
    return record->kind.root < 0
               ? coll_mtree_durations_median(&record->by[server])
               : coll_mtree_report_ranks(report, record, server).slowest;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/replan_schedule.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

coll_mtree_traffic_t *coll_mtree_traffic_create(size_t num_hosts)
{
    return mtree_calloc(1, sizeof(coll_mtree_traffic_t) +
                               num_hosts * sizeof(mtree_path_total_t));
}

void coll_mtree_traffic_add_call(coll_mtree_traffic_t *traffic,
                                 const mtree_goodput_t *goodput, double scale,
                                 const int *host, int self)
{
    if (goodput == NULL) {
        return;
    }
    traffic->seconds += mtree_goodput_seconds(goodput);
    for (int i = 0; i < goodput->num_links; i++) {
        const mtree_goodput_link_t *link = &goodput->links[i];
        const int to = host[link->rank];

        if (to != host[self]) {
            mtree_goodput_add(goodput, link, scale, &traffic->paths[to]);
        }
    }
}

static int sample_compare(const void *left, const void *right)
{
    const mtree_path_sample_t *a = left, *b = right;

    return a->link != b->link
               ? (a->link < b->link) - (a->link > b->link)
               : (a->backlogged < b->backlogged) - (a->backlogged > b->backlogged);
}

void coll_mtree_traffic_pack(const mtree_placement_t *placement, int rank,
                             const coll_mtree_traffic_t *traffic,
                             const mtree_link_state_t *links,
                             mtree_path_sample_t *samples)
{
    size_t hosts = (size_t)placement->num_hosts;
    double seconds = traffic->seconds > 0 ? traffic->seconds : INFINITY;
    mtree_path_sample_t *all = mtree_calloc(hosts, sizeof(*all));

    memset(samples, 0, COLL_MTREE_MOST_PATHS * sizeof(*samples));
    for (size_t to = 0; to < hosts; to++) {
        const mtree_path_total_t *path = &traffic->paths[to];

        all[to].from = placement->host[rank];
        all[to].to = (int)to;
        all[to].link = links == NULL ? MTREE_LINK_CARRIES : links[to];
        all[to].rate = (float)(8 * path->bytes / seconds);
        all[to].backlogged = (float)(path->backlogged_seconds / seconds);
        all[to].backlogged_rate = (float)mtree_path_backlogged_rate(path);
    }
    qsort(all, hosts, sizeof(*all), sample_compare);
    memcpy(samples, all,
           sizeof(*all) *
               (hosts < COLL_MTREE_MOST_PATHS ? hosts : COLL_MTREE_MOST_PATHS));
    free(all);
}

bool coll_mtree_replan_is_monitored(const coll_mtree_call_class_t *call_class,
                                    bool enabled, bool deterministic)
{
    return enabled && call_class->bytes >= COLL_MTREE_MEASURABLE_BYTES &&
           !(deterministic && mtree_collective_reduces(call_class->collective));
}

double coll_mtree_replan_promised_seconds(const mtree_plan_part_t *part, double bytes)
{
    return part->seconds > 0 ? part->seconds : 8 * bytes / part->throughput;
}

bool coll_mtree_replan_shows_rates(const mtree_plan_part_t *part, double bytes)
{
    double latency = 0;

    for (int t = 0; t < part->num_trees; t++) {
        latency = fmax(latency, part->trees[t].latency);
    }
    return coll_mtree_replan_promised_seconds(part, bytes) >=
           COLL_MTREE_MEASURABLE_ROUND_TRIPS * 2 * latency;
}

bool coll_mtree_replan_query_is_due(double bytes, double seconds, int num_ranks)
{
    return bytes >= (double)COLL_MTREE_BYTES_PER_RANK * num_ranks &&
           seconds >= COLL_MTREE_RATE_SECONDS;
}

double coll_mtree_replan_least_gain(bool keeps_order, bool has_changed)
{
    return !keeps_order ? 0 : has_changed ? INFINITY : COLL_MTREE_LEAST_ORDER_GAIN;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/traffic.h"

#include "coll_mtree/base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

coll_mtree_traffic_t *coll_mtree_traffic_create(size_t num_hosts)
{
    return coll_mtree_calloc(1, sizeof(coll_mtree_traffic_t) +
                                    num_hosts * sizeof(mtree_bandwidth_monitor_path_t));
}

void coll_mtree_traffic_add_call(coll_mtree_traffic_t *traffic,
                                 const coll_mtree_observation_t *observation,
                                 const int *host)
{
    const mtree_goodput_t *goodput = observation->goodput;
    double scale = observation->goodput_scale;

    if (goodput == NULL) {
        return;
    }
    traffic->sum.seconds += mtree_goodput_seconds(goodput);
    for (int i = 0; i < goodput->num_links; i++) {
        const mtree_goodput_link_t *link = &goodput->links[i];
        mtree_bandwidth_monitor_path_t *path = &traffic->paths[host[link->rank]];

        if (host[link->rank] != host[observation->rank]) {
            path->bytes += scale * link->bytes;
            path->backlogged_bytes += scale * link->backlogged_bytes;
            path->backlogged_seconds += link->backlogged_seconds;
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
    double seconds = traffic->sum.seconds > 0 ? traffic->sum.seconds : INFINITY;
    mtree_path_sample_t *all = coll_mtree_calloc(hosts, sizeof(*all));

    memset(samples, 0, COLL_MTREE_MOST_PATHS * sizeof(*samples));
    for (size_t to = 0; to < hosts; to++) {
        double backlogged = traffic->paths[to].backlogged_seconds;

        all[to].from = placement->host[rank];
        all[to].to = (int)to;
        all[to].link = links == NULL ? MTREE_LINK_CARRIES : links[to];
        all[to].rate = (float)(8 * traffic->paths[to].bytes / seconds);
        all[to].backlogged = (float)(backlogged / seconds);
        all[to].backlogged_rate =
            backlogged > 0 ? (float)(8 * traffic->paths[to].backlogged_bytes / backlogged)
                           : 0;
    }
    qsort(all, hosts, sizeof(*all), sample_compare);
    memcpy(samples, all,
           sizeof(*all) *
               (hosts < COLL_MTREE_MOST_PATHS ? hosts : COLL_MTREE_MOST_PATHS));
    free(all);
}

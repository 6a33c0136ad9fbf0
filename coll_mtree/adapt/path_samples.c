/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/adapt/path_samples.h"

#include <stdlib.h>
#include <string.h>

static int sample_compare(const void *left, const void *right)
{
    const mtree_path_sample_t *a = left, *b = right;

    return (a->backlogged < b->backlogged) - (a->backlogged > b->backlogged);
}

void coll_mtree_path_samples_pack(const mtree_placement_t *placement, int rank,
                                  const coll_mtree_traffic_t *traffic,
                                  mtree_path_sample_t *samples)
{
    size_t hosts = (size_t)placement->num_hosts;
    mtree_path_sample_t *all = calloc(hosts, sizeof(*all));
    double seconds = traffic->sum.seconds;

    memset(samples, 0, COLL_MTREE_MOST_PATHS * sizeof(*samples));
    if (all == NULL || seconds <= 0) {
        free(all);
        return;
    }
    for (size_t to = 0; to < hosts; to++) {
        double backlogged = traffic->paths[to].backlogged_seconds;

        all[to].from = placement->host[rank];
        all[to].to = (int)to;
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

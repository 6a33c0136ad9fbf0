#include "coll_mtree/adapt/path_samples.h"

#include <stdlib.h>
#include <string.h>

static int pace_compare(const void *left, const void *right)
{
    const mtree_path_sample_t *a = left, *b = right;

    return (a->pressed < b->pressed) - (a->pressed > b->pressed);
}

void coll_mtree_path_samples_pack(const mtree_placement_t *placement, int rank,
                                  const mtree_bandwidth_monitor_path_t *ways,
                                  double seconds, mtree_path_sample_t *paces)
{
    size_t hosts = (size_t)placement->num_hosts;
    mtree_path_sample_t *all = calloc(hosts, sizeof(*all));

    memset(paces, 0, COLL_MTREE_MOST_PATHS * sizeof(*paces));
    if (all == NULL || seconds <= 0) {
        free(all);
        return;
    }
    for (size_t to = 0; to < hosts; to++) {
        double pressed = ways[to].pressed_seconds;

        all[to].from = placement->host[rank];
        all[to].to = (int)to;
        all[to].rate = (float)(8 * ways[to].bytes / seconds);
        all[to].pressed = (float)(pressed / seconds);
        all[to].pressed_rate =
            pressed > 0 ? (float)(8 * ways[to].pressed_bytes / pressed) : 0;
    }
    qsort(all, hosts, sizeof(*all), pace_compare);
    memcpy(paces, all,
           sizeof(*all) *
               (hosts < COLL_MTREE_MOST_PATHS ? hosts : COLL_MTREE_MOST_PATHS));
    free(all);
}

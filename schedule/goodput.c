/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/goodput.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

mtree_goodput_t *mtree_goodput_create(const mtree_layout_t *layout)
{
    size_t links = (size_t)layout->num_peers, trees = (size_t)layout->num_streams;
    mtree_goodput_t *goodput =
        mtree_malloc(sizeof(*goodput) + links * sizeof(mtree_goodput_link_t) +
                     trees * sizeof(mtree_goodput_tree_t));

    goodput->num_links = layout->num_peers;
    goodput->num_trees = layout->num_streams;
    goodput->links = (mtree_goodput_link_t *)(goodput + 1);
    goodput->trees = (mtree_goodput_tree_t *)(goodput->links + links);
    for (size_t i = 0; i < links; i++) {
        goodput->links[i].rank = layout->peers[i].rank;
    }
    mtree_goodput_begin(goodput);
    return goodput;
}

void mtree_goodput_destroy(mtree_goodput_t *goodput)
{
    free(goodput);
}

void mtree_goodput_end(mtree_goodput_t *goodput, double now)
{
    for (int i = 0; i < goodput->num_links; i++) {
        mtree_goodput_backlog(goodput, i, false, now);
    }
}

void mtree_goodput_begin(mtree_goodput_t *goodput)
{
    goodput->begin = goodput->end = 0;
    for (int i = 0; i < goodput->num_links; i++) {
        goodput->links[i] =
            (mtree_goodput_link_t){.rank = goodput->links[i].rank, .since = -1};
    }
    memset(goodput->trees, 0, (size_t)goodput->num_trees * sizeof(*goodput->trees));
}

int mtree_goodput_link(const mtree_goodput_t *goodput, int rank)
{
    int link = goodput->num_links - 1;

    while (link >= 0 && goodput->links[link].rank != rank) {
        link--;
    }
    return link;
}

void mtree_goodput_moved(mtree_goodput_t *goodput, int tree, double bytes, double now)
{
    if (goodput->begin == 0) {
        goodput->begin = now;
    }
    goodput->end = goodput->trees[tree].end = now;
    goodput->trees[tree].bytes += bytes;
}

void mtree_goodput_sent(mtree_goodput_t *goodput, int link, int tree, double bytes,
                        double now)
{
    mtree_goodput_link_t *to = &goodput->links[link];

    mtree_goodput_moved(goodput, tree, bytes, now);
    to->bytes += bytes;
    if (to->since >= 0) {
        to->backlogged_bytes += bytes;
    }
}

void mtree_goodput_backlog(mtree_goodput_t *goodput, int link, bool backlogged,
                           double now)
{
    mtree_goodput_link_t *to = &goodput->links[link];

    if (backlogged && to->since < 0 && to->bytes > 0) {
        to->since = now;
    } else if (!backlogged && to->since >= 0) {
        to->backlogged_seconds += now - to->since;
        to->since = -1;
    }
}

void mtree_goodput_add(const mtree_goodput_t *goodput, const mtree_goodput_link_t *link,
                       double scale, mtree_path_total_t *path)
{
    if (link->bytes > 0) {
        path->bytes += scale * link->bytes;
        path->seconds += mtree_goodput_seconds(goodput);
        path->backlogged_bytes += scale * link->backlogged_bytes;
        path->backlogged_seconds += link->backlogged_seconds;
    }
}

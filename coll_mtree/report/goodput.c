/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/goodput.h"

#include <math.h>

void coll_mtree_goodput_add_trees(const mtree_goodput_t *goodput,
                                  const mtree_layout_t *layout, double unit_bytes,
                                  double began, coll_mtree_tree_sample_t *trees,
                                  int num_trees)
{
    for (int s = 0; s < layout->num_streams; s++) {
        coll_mtree_tree_sample_t *tree = &trees[layout->streams[s].tree];

        if (goodput->trees[s].bytes > 0) {
            tree->bytes += unit_bytes * (double)layout->streams[s].length;
            tree->end = fmax(tree->end, goodput->trees[s].end);
        }
    }
    for (int t = 0; t < num_trees; t++) {
        if (trees[t].end > 0) {
            trees[t].seconds += trees[t].end - began;
            trees[t].end = 0;
        }
    }
}

double coll_mtree_goodput_rate(const coll_mtree_tree_sample_t *tree)
{
    return tree->seconds > 0 ? 8 * tree->bytes / tree->seconds : 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/subtree.h"

#include <string.h>

/* A host's sum is complete, and goes to its parent, when those of all its children are.
 */
void mtree_subtree_add_up(const int *parent, int num_hosts, int *waiting, int *sum)
{
    memset(waiting, 0, (size_t)num_hosts * sizeof(*waiting));
    for (int i = 0; i < num_hosts; ++i) {
        if (parent[i] >= 0) {
            ++waiting[parent[i]];
        }
    }
    for (int i = 0; i < num_hosts; ++i) {
        int at = i;

        while (at >= 0 && waiting[at] == 0) {
            int above = parent[at];

            waiting[at] = -1;
            if (above >= 0) {
                sum[above] += sum[at];
                --waiting[above];
            }
            /* A parent that comes later is met by the loop around. */
            at = above < i ? above : -1;
        }
    }
}

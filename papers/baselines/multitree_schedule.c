/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/multitree_schedule.h"

#include "base/array.h"
#include "base/memory.h"

#include <stdlib.h>

void mtree_multitree_destroy(mtree_multitree_t *multitree)
{
    if (multitree != NULL) {
        mtree_arena_cleanup(&multitree->arena);
        free(multitree->arcs);
        free(multitree);
    }
}

static void keep_edge(void *arg, const mtree_multitree_edge_t *edge)
{
    mtree_multitree_t *trees = arg;
    int at = edge->root * trees->num_hosts + edge->child;

    mtree_array_reserve(&trees->arcs, &trees->capacity, trees->num_arcs + edge->num_arcs,
                        sizeof(*trees->arcs));
    trees->parent[at] = edge->parent;
    trees->step[at] = edge->step;
    trees->first[at] = trees->num_arcs;
    trees->num[at] = edge->num_arcs;
    trees->num_steps = edge->step;
    for (int i = edge->num_arcs - 1; i >= 0; i--) {
        trees->arcs[trees->num_arcs++] = edge->arcs[i];
    }
}

mtree_status_t mtree_multitree_create(const mtree_topology_t *topology, const int *hosts,
                                      int num_hosts, mtree_multitree_t **multitree_p)
{
    size_t length = (size_t)num_hosts * (size_t)num_hosts;
    mtree_multitree_t *trees = mtree_calloc(1, sizeof(*trees));
    mtree_status_t status;

    trees->num_hosts = num_hosts;
    MTREE_ARENA_ARRAY(&trees->arena, trees->parent, length);
    MTREE_ARENA_ARRAY(&trees->arena, trees->step, length);
    MTREE_ARENA_ARRAY(&trees->arena, trees->first, length);
    MTREE_ARENA_ARRAY(&trees->arena, trees->num, length);
    for (int root = 0; root < num_hosts; root++) {
        trees->parent[root * num_hosts + root] = -1;
    }
    status = mtree_multitree_build(topology, hosts, num_hosts, keep_edge, trees);
    if (status != MTREE_OK) {
        mtree_multitree_destroy(trees);
        return status;
    }
    *multitree_p = trees;
    return MTREE_OK;
}

mtree_rounds_t *mtree_multitree_schedule(const mtree_multitree_t *multitree)
{
    int n = multitree->num_hosts, last = multitree->num_steps;
    mtree_rounds_t *schedule = mtree_rounds_create("multitree", n, n);

    for (int at = 0; at < n * n; at++) {
        int root = at / n, child = at % n, parent = multitree->parent[at];
        const int *path = multitree->arcs + multitree->first[at];
        int step = multitree->step[at], num_arcs = multitree->num[at];

        if (parent >= 0) {
            mtree_rounds_add(schedule, last - step + 1, child, parent, root, true);
            mtree_rounds_set_path(schedule, path, num_arcs, true);
            mtree_rounds_add(schedule, last + step, parent, child, root, false);
            mtree_rounds_set_path(schedule, path, num_arcs, false);
        }
    }
    return schedule;
}

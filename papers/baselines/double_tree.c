/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/double_tree.h"

#include "base/memory.h"
#include "planner/regular/trees.h"

#include <stdlib.h>

/* The pipeline as it is filled, step by step. */
typedef struct {
    mtree_rounds_t *schedule;
    int num_hosts, num_steps;
    const int *parent; /* [2 * num_hosts] */
    const int *order;  /* [2 * num_hosts] hosts of each tree, parents before children */
    bool *sends;       /* [num_hosts * num_steps] busy in that step */
    bool *receives;
    int *ready; /* [num_hosts] last step in which the host got what it is about to send */
} pipeline_t;

static void place(pipeline_t *pipeline, int from, int to, int piece, bool reduce)
{
    int step = pipeline->ready[from] + 1;

    while (pipeline->sends[from * pipeline->num_steps + step] ||
           pipeline->receives[to * pipeline->num_steps + step]) {
        step++;
    }
    pipeline->sends[from * pipeline->num_steps + step] = true;
    pipeline->receives[to * pipeline->num_steps + step] = true;
    if (step > pipeline->ready[to]) {
        pipeline->ready[to] = step;
    }
    mtree_rounds_add(pipeline->schedule, step, from, to, piece, reduce);
}

/* One chunk of one tree: up from the leaves, then down. */
static void place_chunk(pipeline_t *pipeline, int tree, int piece)
{
    int n = pipeline->num_hosts;
    const int *parent = pipeline->parent + tree * n, *order = pipeline->order + tree * n;

    for (int host = 0; host < n; host++) {
        pipeline->ready[host] = 0;
    }
    for (int i = n - 1; i > 0; i--) {
        place(pipeline, order[i], parent[order[i]], piece, true);
    }
    for (int i = 1; i < n; i++) {
        place(pipeline, parent[order[i]], order[i], piece, false);
    }
}

/* Hosts of a tree, parents before children: by depth. */
static void order_by_depth(const int *parent, int num_hosts, int *order)
{
    int placed = 0;

    for (int depth = 0; placed < num_hosts; depth++) {
        for (int host = 0; host < num_hosts; host++) {
            int above = 0;

            for (int at = host; parent[at] >= 0; at = parent[at]) {
                above++;
            }
            if (above == depth) {
                order[placed++] = host;
            }
        }
    }
}

mtree_rounds_t *mtree_double_tree_schedule(int num_hosts, int num_chunks)
{
    /* Even one transfer a step ends in time. */
    int num_steps = 4 * num_chunks * num_hosts + 2, n = num_hosts;
    pipeline_t pipeline = {.num_hosts = n, .num_steps = num_steps};
    int *numbers = mtree_malloc(5 * (size_t)n * sizeof(*numbers));

    pipeline.sends = mtree_calloc((size_t)n * (size_t)num_steps, sizeof(bool));
    pipeline.receives = mtree_calloc((size_t)n * (size_t)num_steps, sizeof(bool));
    mtree_double_tree_parents(n, numbers);
    order_by_depth(numbers, n, numbers + 2 * n);
    order_by_depth(numbers + n, n, numbers + 3 * n);
    pipeline.parent = numbers;
    pipeline.order = numbers + 2 * n;
    pipeline.ready = numbers + 4 * n;
    pipeline.schedule = mtree_rounds_create("double binary tree", n, 2 * num_chunks);
    for (int chunk = 0; chunk < num_chunks; chunk++) {
        place_chunk(&pipeline, 0, 2 * chunk);
        place_chunk(&pipeline, 1, 2 * chunk + 1);
    }
    free(numbers);
    free(pipeline.sends);
    free(pipeline.receives);
    return pipeline.schedule;
}

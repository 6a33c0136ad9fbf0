/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Maximum flow for the tests' reference bounds (Edmonds and Karp's shortest augmenting
 * paths, found level by level as Dinitz does).
 */
#ifndef MTREE_TESTS_UNIT_PLANNER_MAX_FLOW_H
#define MTREE_TESTS_UNIT_PLANNER_MAX_FLOW_H

#include "base/arena.h"

typedef struct {
    mtree_arena_t arena; /* of the arrays */
    int num_vertices, num_arcs, room;
    int *to;          /* [2 room] arc 2i is arc i, arc 2i + 1 its reverse */
    double *capacity; /* [2 room] may be changed between runs; 0 for reverses */
    double *left;     /* [2 room] after a run */
    int *level;       /* [num_vertices] after a run: below 0 beyond the least cut */
    int *next, *queue;
    int *first, *after; /* arcs that leave a vertex: one, and the others; -1: none */
} flow_t;

/* A network without arcs and with room for some; flow_destroy() frees it. */
flow_t *flow_create(int num_vertices, int room);
void flow_destroy(flow_t *flow);

/* Add an arc; returns its place in flow->capacity. */
int flow_add(flow_t *flow, int from, int to, double capacity);

/* The greatest flow, or as soon as it reaches @a enough, that. */
double flow_run(flow_t *flow, int source, int sink, double enough);

#endif

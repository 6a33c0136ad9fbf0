/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/planner/max_flow.h"
#include "tests/unit/runner.h"

#include "base/memory.h"

/* Residual capacity below this part of the largest is what rounding leaves. */
#define TINY 1e-12

flow_t *flow_create(int num_vertices, int room)
{
    flow_t *flow = mtree_calloc(1, sizeof(*flow));
    const size_t ends = 2 * (size_t)room + 1, vertices = (size_t)num_vertices + 2;

    flow->num_vertices = num_vertices;
    flow->room = room;
    MTREE_ARENA_ARRAY(&flow->arena, flow->to, ends);
    MTREE_ARENA_ARRAY(&flow->arena, flow->capacity, ends);
    MTREE_ARENA_ARRAY(&flow->arena, flow->left, ends);
    MTREE_ARENA_ARRAY(&flow->arena, flow->after, ends);
    MTREE_ARENA_ARRAY(&flow->arena, flow->first, vertices);
    MTREE_ARENA_ARRAY(&flow->arena, flow->level, vertices);
    MTREE_ARENA_ARRAY(&flow->arena, flow->next, vertices);
    MTREE_ARENA_ARRAY(&flow->arena, flow->queue, vertices);
    memset(flow->first, -1, vertices * sizeof(*flow->first));
    return flow;
}

void flow_destroy(flow_t *flow)
{
    mtree_arena_cleanup(&flow->arena);
    free(flow);
}

int flow_add(flow_t *flow, int from, int to, double capacity)
{
    int place = 2 * flow->num_arcs++;

    ck_assert_int_le(flow->num_arcs, flow->room);
    flow->capacity[place] = capacity;
    for (int arc = place; arc <= place + 1; ++arc) {
        const int leaves = arc == place ? from : to;

        flow->to[arc] = arc == place ? to : from;
        flow->after[arc] = flow->first[leaves];
        flow->first[leaves] = arc;
    }
    return place;
}

/* Number the vertices by distance from the source; is the sink among them? */
static bool set_levels(flow_t *flow, int source, int sink, double tiny)
{
    int reached = 0;

    for (int v = 0; v < flow->num_vertices; ++v) {
        flow->level[v] = -1;
        flow->next[v] = flow->first[v];
    }
    flow->level[source] = 0;
    flow->queue[reached++] = source;
    for (int q = 0; q < reached; ++q) {
        for (int arc = flow->first[flow->queue[q]]; arc >= 0; arc = flow->after[arc]) {
            int to = flow->to[arc];

            if (flow->left[arc] > tiny && flow->level[to] < 0) {
                flow->level[to] = flow->level[flow->queue[q]] + 1;
                flow->queue[reached++] = to;
            }
        }
    }
    return flow->level[sink] >= 0;
}

/* Send up to @a most from @a at to the sink over rising levels. */
static double send(flow_t *flow, int at, int sink, double most, double tiny)
{
    double sent = 0.0;

    if (at == sink) {
        return most;
    }
    for (; flow->next[at] >= 0; flow->next[at] = flow->after[flow->next[at]]) {
        int arc = flow->next[at];

        if (flow->left[arc] > tiny && flow->level[flow->to[arc]] == flow->level[at] + 1) {
            double part =
                send(flow, flow->to[arc], sink, fmin(most - sent, flow->left[arc]), tiny);

            flow->left[arc] -= part;
            flow->left[arc ^ 1] += part;
            sent += part;
            if (most - sent <= tiny) {
                break;
            }
        }
    }
    return sent;
}

double flow_run(flow_t *flow, int source, int sink, double enough)
{
    double value = 0.0, tiny = 0.0;

    memcpy(flow->left, flow->capacity, 2 * (size_t)flow->num_arcs * sizeof(*flow->left));
    for (int arc = 0; arc < 2 * flow->num_arcs; ++arc) {
        tiny = fmax(tiny, TINY * flow->capacity[arc]);
    }
    while (value < enough && set_levels(flow, source, sink, tiny)) {
        value += send(flow, source, sink, enough - value, tiny);
    }
    return value;
}

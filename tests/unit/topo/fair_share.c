/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/topo/fair_share.h"

#include "base/arena.h"
#include "base/array.h"

#include <math.h>
#include <stdlib.h>

/* Levels that differ by less are one level, so that equal flows end at the same time. */
#define LEVEL_TOLERANCE 1e-12

/* While rates grow, `left` is the capacity that the stopped flows leave of the arc, and
 * `load` and `growing` are the weights and the number of the flows that still grow. */
typedef struct {
    double capacity, left, load;
    int growing;
    bool touched;
    mtree_fair_share_use_t *uses;
} arc_t;

/* What stops flows, an arc or a flow's own limit, and the rate at which it does.  The
 * rate of an arc rises when another arc stops one of its flows first. */
typedef struct {
    double level;
    int arc;                       /* -1: a flow's own limit */
    mtree_fair_share_flow_t *flow; /* NULL: an arc */
} stop_t;

struct mtree_fair_share {
    mtree_arena_t arena; /* of what is allocated once: */
    arc_t *arcs;
    int *touched_arcs; /* [num_touched_arcs] */
    int num_arcs, num_touched_arcs;
    int num_joined, num_touched;
    mtree_fair_share_flow_t **touched; /* [num_touched] */
    int touched_capacity, heap_capacity;
    stop_t *heap; /* binary heap, the lowest level at 0 */
    int heap_length;
};

mtree_status_t mtree_fair_share_create(int num_arcs, const double *capacities,
                                       mtree_fair_share_t **flows_p)
{
    mtree_fair_share_t *flows = calloc(1, sizeof(*flows));

    if (flows == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    flows->num_arcs = num_arcs;
    MTREE_ARENA_ARRAY(&flows->arena, flows->arcs, (size_t)num_arcs);
    MTREE_ARENA_ARRAY(&flows->arena, flows->touched_arcs, (size_t)num_arcs);
    if (flows->arena.status != MTREE_OK) {
        mtree_fair_share_destroy(flows);
        return MTREE_ERR_NO_MEMORY;
    }
    for (int arc = 0; arc < num_arcs; arc++) {
        flows->arcs[arc].capacity = capacities[arc];
    }
    *flows_p = flows;
    return MTREE_OK;
}

void mtree_fair_share_destroy(mtree_fair_share_t *flows)
{
    if (flows == NULL) {
        return;
    }
    mtree_arena_cleanup(&flows->arena);
    free(flows->touched);
    free(flows->heap);
    free(flows);
}

/* Memory for one flow more.  A touched flow may have left while others joined, so the
 * arrays hold both the touched and the joined ones. */
static mtree_status_t reserve(mtree_fair_share_t *flows)
{
    const int needed = flows->num_touched + flows->num_joined + 1;

    if (mtree_array_reserve(&flows->touched, &flows->touched_capacity, needed,
                            sizeof(*flows->touched)) != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    return mtree_array_reserve(&flows->heap, &flows->heap_capacity,
                               needed + flows->num_arcs, sizeof(*flows->heap));
}

static void touch_arcs(mtree_fair_share_t *flows, const mtree_fair_share_flow_t *flow)
{
    int arc, i;

    for (i = 0; i < flow->num_uses; i++) {
        arc = flow->uses[i].arc;
        if (!flows->arcs[arc].touched) {
            flows->arcs[arc].touched = true;
            flows->touched_arcs[flows->num_touched_arcs++] = arc;
        }
    }
}

static void touch(mtree_fair_share_t *flows, mtree_fair_share_flow_t *flow)
{
    if (!flow->touched) {
        flow->touched = true;
        flows->touched[flows->num_touched++] = flow;
        touch_arcs(flows, flow);
    }
}

mtree_status_t mtree_fair_share_join(mtree_fair_share_t *flows,
                                     mtree_fair_share_flow_t *flow)
{
    mtree_fair_share_use_t *use, **first_p;

    if (reserve(flows) != MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (use = flow->uses; use < flow->uses + flow->num_uses; use++) {
        first_p = &flows->arcs[use->arc].uses;
        use->flow = flow;
        use->next = *first_p;
        use->pointer_to_this = first_p;
        if (use->next != NULL) {
            use->next->pointer_to_this = &use->next;
        }
        *first_p = use;
    }
    flow->joined = true;
    flow->rate = 0.0;
    flows->num_joined++;
    touch(flows, flow);
    return MTREE_OK;
}

void mtree_fair_share_leave(mtree_fair_share_t *flows, mtree_fair_share_flow_t *flow)
{
    mtree_fair_share_use_t *use;

    for (use = flow->uses; use < flow->uses + flow->num_uses; use++) {
        *use->pointer_to_this = use->next;
        if (use->next != NULL) {
            use->next->pointer_to_this = use->pointer_to_this;
        }
    }
    flow->joined = false;
    flows->num_joined--;
    touch_arcs(flows, flow);
}

int mtree_fair_share_touched(mtree_fair_share_t *flows,
                             mtree_fair_share_flow_t *const **touched_p)
{
    const mtree_fair_share_use_t *use;
    int a;

    for (a = 0; a < flows->num_touched_arcs; a++) {
        use = flows->arcs[flows->touched_arcs[a]].uses;
        for (; use != NULL; use = use->next) {
            touch(flows, use->flow);
        }
    }
    *touched_p = flows->touched;
    return flows->num_touched;
}

static void heap_push(mtree_fair_share_t *flows, stop_t stop)
{
    int place = flows->heap_length++, above = (place - 1) / 2;

    while (place > 0 && stop.level < flows->heap[above].level) {
        flows->heap[place] = flows->heap[above];
        place = above;
        above = (place - 1) / 2;
    }
    flows->heap[place] = stop;
}

static stop_t heap_pop(mtree_fair_share_t *flows)
{
    const stop_t lowest = flows->heap[0];
    const stop_t last = flows->heap[--flows->heap_length];
    const stop_t *heap = flows->heap;
    int place = 0, below = 1;

    while (below < flows->heap_length) {
        below +=
            below + 1 < flows->heap_length && heap[below + 1].level < heap[below].level;
        if (last.level <= heap[below].level) {
            break;
        }
        flows->heap[place] = heap[below];
        place = below;
        below = 2 * place + 1;
    }
    flows->heap[place] = last;
    return lowest;
}

static void push_arc(mtree_fair_share_t *flows, int arc)
{
    heap_push(flows, (stop_t){.level = flows->arcs[arc].left / flows->arcs[arc].load,
                              .arc = arc});
}

static void prepare(mtree_fair_share_t *flows)
{
    mtree_fair_share_flow_t *flow;
    arc_t *arc;
    int a, f, i;

    for (a = 0; a < flows->num_touched_arcs; a++) {
        arc = &flows->arcs[flows->touched_arcs[a]];
        arc->left = arc->capacity;
        arc->load = 0.0;
        arc->growing = 0;
    }
    for (f = 0; f < flows->num_touched; f++) {
        flow = flows->touched[f];
        if (!flow->joined) {
            continue;
        }
        flow->rate = -1.0;
        for (i = 0; i < flow->num_uses; i++) {
            arc = &flows->arcs[flow->uses[i].arc];
            arc->load += flow->uses[i].weight;
            arc->growing++;
        }
        if (flow->num_uses == 0 || !isinf(flow->limit)) {
            heap_push(flows, (stop_t){.level = flow->limit, .arc = -1, .flow = flow});
        }
    }
    for (a = 0; a < flows->num_touched_arcs; a++) {
        if (flows->arcs[flows->touched_arcs[a]].growing > 0) {
            push_arc(flows, flows->touched_arcs[a]);
        }
    }
}

static void stop(mtree_fair_share_t *flows, mtree_fair_share_flow_t *flow, double rate)
{
    arc_t *arc;
    int i;

    flow->rate = rate;
    for (i = 0; i < flow->num_uses; i++) {
        arc = &flows->arcs[flow->uses[i].arc];
        arc->left -= rate * flow->uses[i].weight;
        arc->load -= flow->uses[i].weight;
        arc->growing--;
    }
}

/* Stop at @a level all flows that still grow on an arc. */
static void fill(mtree_fair_share_t *flows, const arc_t *arc, double level)
{
    const mtree_fair_share_use_t *use;

    for (use = arc->uses; use != NULL; use = use->next) {
        if (use->flow->rate < 0.0) {
            stop(flows, use->flow, level);
        }
    }
}

/* Forget what was touched. */
static void settle(mtree_fair_share_t *flows)
{
    int i;

    for (i = 0; i < flows->num_touched; i++) {
        flows->touched[i]->touched = false;
    }
    for (i = 0; i < flows->num_touched_arcs; i++) {
        flows->arcs[flows->touched_arcs[i]].touched = false;
    }
    flows->num_touched = 0;
    flows->num_touched_arcs = 0;
}

void mtree_fair_share_share(mtree_fair_share_t *flows)
{
    double level = 0.0;
    const arc_t *arc;
    stop_t next;

    prepare(flows);
    while (flows->heap_length > 0) {
        next = heap_pop(flows);
        arc = next.flow == NULL ? &flows->arcs[next.arc] : NULL;
        if (arc == NULL ? next.flow->rate >= 0.0 : arc->growing == 0) {
            continue;
        }
        if (arc != NULL && arc->left / arc->load > next.level * (1 + LEVEL_TOLERANCE)) {
            push_arc(flows, next.arc);
            continue;
        }
        level = next.level > level * (1 + LEVEL_TOLERANCE) ? next.level : level;
        if (arc == NULL) {
            stop(flows, next.flow, level);
        } else {
            fill(flows, arc, level);
        }
    }
    settle(flows);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/trace.h"

#include "base/memory.h"

#include <stdlib.h>

mtree_trace_t *mtree_trace_create(size_t room)
{
    mtree_trace_event_t *events = calloc(room, sizeof(*events));
    mtree_trace_t *trace;

    if (events == NULL) {
        return NULL;
    }
    trace = mtree_malloc(sizeof(*trace));
    trace->events = events;
    trace->room = room;
    atomic_init(&trace->added, 0);
    atomic_init(&trace->calls, 0);
    return trace;
}

void mtree_trace_destroy(mtree_trace_t *trace)
{
    if (trace != NULL) {
        free(trace->events);
        free(trace);
    }
}

void mtree_trace_add(mtree_trace_t *trace, const mtree_trace_event_t *event)
{
    trace->events[atomic_fetch_add(&trace->added, 1) % trace->room] = *event;
}

size_t mtree_trace_count(const mtree_trace_t *trace)
{
    size_t added = atomic_load(&trace->added);

    return added < trace->room ? added : trace->room;
}

const mtree_trace_event_t *mtree_trace_get(const mtree_trace_t *trace, size_t i)
{
    size_t oldest = atomic_load(&trace->added) - mtree_trace_count(trace);

    return &trace->events[(oldest + i) % trace->room];
}

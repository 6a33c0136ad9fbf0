/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/trace.h"

#include <stdlib.h>

mtree_status_t mtree_trace_create(size_t room, mtree_trace_t **trace_p)
{
    mtree_trace_t *trace = malloc(sizeof(*trace));

    if (trace == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    trace->events = calloc(room, sizeof(*trace->events));
    if (trace->events == NULL) {
        free(trace);
        return MTREE_ERR_NO_MEMORY;
    }
    trace->room = room;
    atomic_init(&trace->added, 0);
    atomic_init(&trace->calls, 0);
    *trace_p = trace;
    return MTREE_OK;
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

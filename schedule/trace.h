/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A trace: what operations did with their chunks and when, in a ring buffer that keeps
 * the newest events.  Any thread may add events.
 */
#ifndef MTREE_SCHEDULE_TRACE_H
#define MTREE_SCHEDULE_TRACE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

typedef enum { MTREE_TRACE_RECEIVE, MTREE_TRACE_FOLD, MTREE_TRACE_SEND } mtree_act_t;

typedef struct {
    double begin, end; /* seconds, by the transport's clock; a receive's are the same */
    size_t chunk;
    size_t bytes;
    unsigned call; /* number of the operation on this rank, from 0 */
    int stream;    /* number of its tree */
    int peer;      /* rank; of a fold, the rank whose part was added */
    mtree_act_t act;
    bool up; /* on the way to the root */
} mtree_trace_event_t;

typedef struct {
    mtree_trace_event_t *events; /* event i is at i % room */
    size_t room;
    atomic_size_t added;
    atomic_uint calls;
} mtree_trace_t;

/* A trace of the newest @a room events (> 0), which users choose; NULL: there is no
 * memory for so many. */
mtree_trace_t *mtree_trace_create(size_t room);

/* Free; NULL is allowed. */
void mtree_trace_destroy(mtree_trace_t *trace);

/* Add a copy of *event. */
void mtree_trace_add(mtree_trace_t *trace, const mtree_trace_event_t *event);

/* Number of events that are kept, and the i-th of them, the oldest first. */
size_t mtree_trace_count(const mtree_trace_t *trace);
const mtree_trace_event_t *mtree_trace_get(const mtree_trace_t *trace, size_t i);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/event_queue.h"

#include "base/array.h"

#include <stdlib.h>

/* Events between two calls of the progress function: at most some seconds where each
 * moves a thousand flows. */
#define PROGRESS_EVENTS (UINT64_C(1) << 14)

struct mtree_event_queue {
    double now;
    uint64_t next_sequence;
    mtree_event_queue_event_t **heap; /* binary heap, the earliest at 0 */
    size_t length;
    int capacity; /* of heap */
    mtree_status_t status;
    mtree_event_queue_progress_t progress;
    void *progress_arg;
};

mtree_status_t mtree_event_queue_create(mtree_event_queue_t **clock_p)
{
    mtree_event_queue_t *clock = calloc(1, sizeof(*clock));

    if (clock == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    *clock_p = clock;
    return MTREE_OK;
}

void mtree_event_queue_destroy(mtree_event_queue_t *clock)
{
    if (clock == NULL) {
        return;
    }
    free(clock->heap);
    free(clock);
}

double mtree_event_queue_now(const mtree_event_queue_t *clock)
{
    return clock->now;
}

static bool is_before(const mtree_event_queue_event_t *a,
                      const mtree_event_queue_event_t *b)
{
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

static void put(mtree_event_queue_t *clock, size_t place,
                mtree_event_queue_event_t *event)
{
    clock->heap[place] = event;
    event->place = place + 1;
}

static void sift_up(mtree_event_queue_t *clock, size_t place,
                    mtree_event_queue_event_t *event)
{
    while (place > 0 && is_before(event, clock->heap[(place - 1) / 2])) {
        put(clock, place, clock->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(clock, place, event);
}

static void sift_down(mtree_event_queue_t *clock, size_t place,
                      mtree_event_queue_event_t *event)
{
    size_t child = 2 * place + 1;

    while (child < clock->length) {
        if (child + 1 < clock->length &&
            is_before(clock->heap[child + 1], clock->heap[child])) {
            child++;
        }
        if (!is_before(clock->heap[child], event)) {
            break;
        }
        put(clock, place, clock->heap[child]);
        place = child;
        child = 2 * place + 1;
    }
    put(clock, place, event);
}

void mtree_event_queue_remove(mtree_event_queue_t *clock,
                              mtree_event_queue_event_t *event)
{
    mtree_event_queue_event_t *last;
    size_t place;

    if (event->place == 0) {
        return;
    }
    place = event->place - 1;
    event->place = 0;
    last = clock->heap[--clock->length];
    if (last == event) {
        return;
    }
    if (place > 0 && is_before(last, clock->heap[(place - 1) / 2])) {
        sift_up(clock, place, last);
    } else {
        sift_down(clock, place, last);
    }
}

void mtree_event_queue_add(mtree_event_queue_t *clock, mtree_event_queue_event_t *event,
                           double time)
{
    mtree_event_queue_remove(clock, event);
    if (mtree_array_reserve(&clock->heap, &clock->capacity, (int)clock->length + 1,
                            sizeof(*clock->heap)) != MTREE_OK) {
        mtree_event_queue_fail(clock, MTREE_ERR_NO_MEMORY);
        return;
    }
    event->time = time > clock->now ? time : clock->now;
    event->sequence = clock->next_sequence++;
    sift_up(clock, clock->length++, event);
}

void mtree_event_queue_fail(mtree_event_queue_t *clock, mtree_status_t status)
{
    if (clock->status == MTREE_OK) {
        clock->status = status;
    }
}

void mtree_event_queue_set_progress(mtree_event_queue_t *clock,
                                    mtree_event_queue_progress_t progress, void *arg)
{
    clock->progress = progress;
    clock->progress_arg = arg;
}

mtree_status_t mtree_event_queue_run(mtree_event_queue_t *clock)
{
    mtree_event_queue_event_t *event;
    uint64_t events = 0;

    while (clock->length > 0 && clock->status == MTREE_OK) {
        event = clock->heap[0];
        mtree_event_queue_remove(clock, event);
        clock->now = event->time;
        event->func(event);
        if (++events % PROGRESS_EVENTS == 0 && clock->progress != NULL) {
            clock->progress(clock->now, clock->progress_arg);
        }
    }
    return clock->status;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/event_queue.h"

#include "base/array.h"
#include "base/cancel.h"
#include "base/memory.h"

#include <stdlib.h>

struct mtree_event_queue {
    double now;
    uint64_t next_sequence;
    mtree_timer_t **heap; /* binary heap, the earliest at 0 */
    size_t length;
    int capacity; /* of heap */
    mtree_status_t status;
};

mtree_event_queue_t *mtree_event_queue_create(void)
{
    return mtree_calloc(1, sizeof(mtree_event_queue_t));
}

void mtree_event_queue_destroy(mtree_event_queue_t *queue)
{
    if (queue == NULL) {
        return;
    }
    free(queue->heap);
    free(queue);
}

double mtree_event_queue_now(const mtree_event_queue_t *queue)
{
    return queue->now;
}

static bool is_before(const mtree_timer_t *a, const mtree_timer_t *b)
{
    return a->time < b->time || (a->time == b->time && a->sequence < b->sequence);
}

static void put(mtree_event_queue_t *queue, size_t place, mtree_timer_t *timer)
{
    queue->heap[place] = timer;
    timer->place = place + 1;
}

static void sift_up(mtree_event_queue_t *queue, size_t place, mtree_timer_t *timer)
{
    while (place > 0 && is_before(timer, queue->heap[(place - 1) / 2])) {
        put(queue, place, queue->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(queue, place, timer);
}

static void sift_down(mtree_event_queue_t *queue, size_t place, mtree_timer_t *timer)
{
    size_t child = 2 * place + 1;

    while (child < queue->length) {
        if (child + 1 < queue->length &&
            is_before(queue->heap[child + 1], queue->heap[child])) {
            child++;
        }
        if (!is_before(queue->heap[child], timer)) {
            break;
        }
        put(queue, place, queue->heap[child]);
        place = child;
        child = 2 * place + 1;
    }
    put(queue, place, timer);
}

void mtree_event_queue_remove(mtree_event_queue_t *queue, mtree_timer_t *timer)
{
    mtree_timer_t *last;
    size_t place;

    if (timer->place == 0) {
        return;
    }
    place = timer->place - 1;
    timer->place = 0;
    last = queue->heap[--queue->length];
    if (last == timer) {
        return;
    }
    if (place > 0 && is_before(last, queue->heap[(place - 1) / 2])) {
        sift_up(queue, place, last);
    } else {
        sift_down(queue, place, last);
    }
}

void mtree_event_queue_add(mtree_event_queue_t *queue, mtree_timer_t *timer, double time)
{
    mtree_event_queue_remove(queue, timer);
    mtree_array_reserve(&queue->heap, &queue->capacity, (int)queue->length + 1,
                        sizeof(*queue->heap));
    timer->time = time > queue->now ? time : queue->now;
    timer->sequence = queue->next_sequence++;
    sift_up(queue, queue->length++, timer);
}

void mtree_event_queue_fail(mtree_event_queue_t *queue, mtree_status_t status)
{
    if (queue->status == MTREE_OK) {
        queue->status = status;
    }
}

mtree_status_t mtree_event_queue_run(mtree_event_queue_t *queue)
{
    mtree_timer_t *timer;

    while (queue->length > 0 && queue->status == MTREE_OK) {
        timer = queue->heap[0];
        mtree_event_queue_remove(queue, timer);
        queue->now = timer->time;
        timer->func(timer);
        if (mtree_cancel_is_set()) {
            mtree_event_queue_fail(queue, MTREE_ERR_CANCELLED);
        }
    }
    return queue->status;
}

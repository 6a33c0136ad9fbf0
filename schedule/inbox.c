/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/inbox.h"

/* Take all that has arrived, oldest first. */
static mtree_event_t *inbox_take(mtree_inbox_t *inbox)
{
    mtree_event_t *newest = atomic_exchange(&inbox->arrivals, NULL);
    mtree_event_t *oldest = NULL;

    while (newest != NULL) {
        mtree_event_t *next = newest->next;

        newest->next = oldest;
        oldest = newest;
        newest = next;
    }
    return oldest;
}

/*
 * Handle events until none is pending.  The hold of a new inbox counts as one.  An event
 * is counted before it is queued, so `pending` may be ahead of the queue for an instant,
 * never behind.
 */
void mtree_inbox_open(mtree_inbox_t *inbox)
{
    size_t handled = inbox->held;
    bool last;

    inbox->held = 0;
    do {
        mtree_event_t *event = inbox_take(inbox);

        while (event != NULL) {
            /* The handler may start the event's next use. */
            mtree_event_t *next = event->next;

            event->handle(event);
            handled++;
            event = next;
        }
        last = inbox->idle(inbox);
        if (atomic_fetch_sub(&inbox->pending, handled) == handled) {
            break;
        }
        handled = 0;
    } while (true);

    if (last) {
        inbox->finish(inbox);
    }
}

static void event_complete(mtree_completion_t *self, mtree_status_t status)
{
    mtree_event_t *event = (mtree_event_t *)self;
    mtree_inbox_t *inbox = event->inbox;
    bool idle = atomic_fetch_add(&inbox->pending, 1) == 0;

    event->status = status;
    event->next = atomic_load(&inbox->arrivals);
    while (!atomic_compare_exchange_weak(&inbox->arrivals, &event->next, event)) {}
    if (idle) {
        mtree_inbox_open(inbox);
    }
}

void mtree_inbox_init(mtree_inbox_t *inbox, bool (*idle)(mtree_inbox_t *inbox),
                      void (*finish)(mtree_inbox_t *inbox))
{
    atomic_init(&inbox->arrivals, NULL);
    atomic_init(&inbox->pending, 1);
    inbox->held = 1;
    inbox->idle = idle;
    inbox->finish = finish;
}

void mtree_event_init(mtree_event_t *event, mtree_inbox_t *inbox,
                      void (*handle)(mtree_event_t *event))
{
    event->completion.func = event_complete;
    event->inbox = inbox;
    event->handle = handle;
    event->status = MTREE_OK;
    event->next = NULL;
}
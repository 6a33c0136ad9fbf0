/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/event_queue.h"
#include "tests/unit/runner.h"

typedef struct {
    mtree_timer_t event;
    mtree_event_queue_t *queue;
    int number;
    int *log, *length_p;
    double again; /* add this one once more, so many seconds later; 0: not */
} note_t;

static void note(mtree_timer_t *event)
{
    note_t *self = (note_t *)event;

    self->log[(*self->length_p)++] = self->number;
    if (self->again > 0.0) {
        mtree_event_queue_add(self->queue, event,
                              mtree_event_queue_now(self->queue) + self->again);
        self->again = 0.0;
    }
}

static mtree_event_queue_t *clock_of(note_t *notes, int num, int *log, int *length_p)
{
    mtree_event_queue_t *queue = NULL;
    int i;

    unit_ok(mtree_event_queue_create(&queue));
    *length_p = 0;
    for (i = 0; i < num; i++) {
        notes[i] = (note_t){.event.func = note,
                            .queue = queue,
                            .number = i,
                            .log = log,
                            .length_p = length_p};
    }
    return queue;
}

/* By time, then in the order of adding; a time in the past is now. */
UNIT_TEST(test_order)
{
    static const double times[] = {3.0, 1.0, 2.0, 1.0, -5.0, 3.0};
    static const int expected[] = {4, 1, 3, 2, 0, 5, 1};
    note_t notes[6];
    int log[8], length, i;
    mtree_event_queue_t *queue = clock_of(notes, 6, log, &length);

    notes[1].again = 2.0;
    for (i = 0; i < 6; i++) {
        mtree_event_queue_add(queue, &notes[i].event, times[i]);
    }
    /* Number 1 comes again at 3.0, after 0 and 5, which were added before it. */
    unit_ok(mtree_event_queue_run(queue));
    ck_assert_int_eq(length, 7);
    for (i = 0; i < 7; i++) {
        ck_assert_int_eq(log[i], expected[i]);
    }
    ck_assert_double_eq(mtree_event_queue_now(queue), 3.0);
    mtree_event_queue_destroy(queue);
}

UNIT_TEST(test_remove_and_move)
{
    note_t notes[5];
    int log[8], length, i;
    mtree_event_queue_t *queue = clock_of(notes, 5, log, &length);

    for (i = 0; i < 5; i++) {
        mtree_event_queue_add(queue, &notes[i].event, (double)i);
    }
    mtree_event_queue_remove(queue, &notes[2].event);
    mtree_event_queue_remove(queue, &notes[2].event);
    mtree_event_queue_add(queue, &notes[0].event, 3.5);
    unit_ok(mtree_event_queue_run(queue));
    ck_assert_int_eq(length, 4);
    ck_assert_int_eq(log[0], 1);
    ck_assert_int_eq(log[1], 3);
    ck_assert_int_eq(log[2], 0);
    ck_assert_int_eq(log[3], 4);
    mtree_event_queue_destroy(queue);
}

/* Many events with a pseudo-random order come out sorted, while every third is removed.
 */
UNIT_TEST(test_heap)
{
    enum { NUM = 5000 };
    static note_t notes[NUM];
    static int log[NUM];
    unsigned draw = 1;
    int length, i;
    mtree_event_queue_t *queue = clock_of(notes, NUM, log, &length);

    for (i = 0; i < NUM; i++) {
        draw = draw * 1664525u + 1013904223u;
        mtree_event_queue_add(queue, &notes[i].event, (double)(draw >> 20));
    }
    for (i = 0; i < NUM; i += 3) {
        mtree_event_queue_remove(queue, &notes[i].event);
    }
    unit_ok(mtree_event_queue_run(queue));
    ck_assert_int_eq(length, NUM - (NUM + 2) / 3);
    for (i = 1; i < length; i++) {
        ck_assert_double_le(notes[log[i - 1]].event.time, notes[log[i]].event.time);
        ck_assert_int_ne(log[i] % 3, 0);
    }
    mtree_event_queue_destroy(queue);
}

static void fail_twice(mtree_timer_t *event)
{
    mtree_event_queue_fail(((note_t *)event)->queue, MTREE_ERR_TRANSPORT);
    mtree_event_queue_fail(((note_t *)event)->queue, MTREE_ERR_IO);
}

/* The first failure stops the queue and is its status. */
UNIT_TEST(test_fail)
{
    note_t notes[3];
    int log[4], length, i;
    mtree_event_queue_t *queue = clock_of(notes, 3, log, &length);

    notes[1].event.func = fail_twice;
    for (i = 0; i < 3; i++) {
        mtree_event_queue_add(queue, &notes[i].event, (double)i);
    }
    ck_assert_int_eq(mtree_event_queue_run(queue), MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(length, 1);
    mtree_event_queue_destroy(queue);
}

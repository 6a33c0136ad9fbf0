/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/event_queue.h"
#include "tests/unit/runner.h"

enum { NUM = 5000 };

typedef struct {
    mtree_timer_t event;
    double again; /* add this one once more, so many seconds later; 0: not */
} note_t;

static mtree_event_queue_t *queue;
static note_t notes[NUM];
static int told[NUM + 1], num_told; /* numbers of notes */

static void note(mtree_timer_t *event)
{
    note_t *self = (note_t *)event;

    told[num_told++] = (int)(self - notes);
    if (self->again > 0.0) {
        mtree_event_queue_add(queue, event, mtree_event_queue_now(queue) + self->again);
        self->again = 0.0;
    }
}

static void start(void)
{
    queue = mtree_event_queue_create();
    num_told = 0;
    for (int i = 0; i < NUM; i++) {
        notes[i] = (note_t){.event.func = note};
    }
}

static void stop(void)
{
    mtree_event_queue_destroy(queue);
}

/* The queue tells just these. */
static void expect_told(const int *expected, int num)
{
    unit_ok(mtree_event_queue_run(queue));
    ck_assert_int_eq(num_told, num);
    ck_assert_mem_eq(told, expected, (size_t)num * sizeof(*expected));
}

/* By time, then in the order of adding; a time in the past is now. */
UNIT_TEST(test_order)
{
    static const double times[] = {3.0, 1.0, 2.0, 1.0, -5.0, 3.0};

    notes[1].again = 2.0;
    for (int i = 0; i < 6; i++) {
        mtree_event_queue_add(queue, &notes[i].event, times[i]);
    }
    /* Number 1 comes again at 3.0, after 0 and 5, which were added before it. */
    expect_told((const int[]){4, 1, 3, 2, 0, 5, 1}, 7);
    ck_assert_double_eq(mtree_event_queue_now(queue), 3.0);
}

UNIT_TEST(test_remove_and_move)
{
    for (int i = 0; i < 5; i++) {
        mtree_event_queue_add(queue, &notes[i].event, (double)i);
    }
    mtree_event_queue_remove(queue, &notes[2].event);
    mtree_event_queue_remove(queue, &notes[2].event);
    mtree_event_queue_add(queue, &notes[0].event, 3.5);
    expect_told((const int[]){1, 3, 0, 4}, 4);
}

/* Many events with a pseudo-random order come out sorted, while every third is removed.
 */
UNIT_TEST(test_heap)
{
    unsigned draw = 1;

    for (int i = 0; i < NUM; i++) {
        draw = draw * 1664525u + 1013904223u;
        mtree_event_queue_add(queue, &notes[i].event, (double)(draw >> 20));
    }
    for (int i = 0; i < NUM; i += 3) {
        mtree_event_queue_remove(queue, &notes[i].event);
    }
    unit_ok(mtree_event_queue_run(queue));
    ck_assert_int_eq(num_told, NUM - (NUM + 2) / 3);
    for (int i = 1; i < num_told; i++) {
        ck_assert_double_le(notes[told[i - 1]].event.time, notes[told[i]].event.time);
        ck_assert_int_ne(told[i] % 3, 0);
    }
}

static void fail_twice(mtree_timer_t *event)
{
    (void)event;
    mtree_event_queue_fail(queue, MTREE_ERR_TRANSPORT);
    mtree_event_queue_fail(queue, MTREE_ERR_IO);
}

/* The first failure stops the queue and is its status. */
UNIT_TEST(test_fail)
{
    notes[1].event.func = fail_twice;
    for (int i = 0; i < 3; i++) {
        mtree_event_queue_add(queue, &notes[i].event, (double)i);
    }
    ck_assert_int_eq(mtree_event_queue_run(queue), MTREE_ERR_TRANSPORT);
    ck_assert_int_eq(num_told, 1);
}

UNIT_FIXTURE(start, stop)

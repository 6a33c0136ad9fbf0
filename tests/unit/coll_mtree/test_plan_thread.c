/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/plan_thread.h"
#include "tests/unit/runner.h"

#include "base/cancel.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

#define TASKS 5

typedef struct {
    coll_mtree_plan_task_t super;
    pthread_t ran_in;
    bool blocks_signals;
    int ran; /* the how-manieth */
    int num_ended;
} task_t;

static int num_ran;

static void nap(int milliseconds)
{
    const struct timespec pause = {.tv_nsec = 1000000L * milliseconds};

    nanosleep(&pause, NULL);
}

static void run(coll_mtree_plan_task_t *super)
{
    task_t *task = (task_t *)super;
    sigset_t blocked;

    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    task->blocks_signals = sigismember(&blocked, SIGTERM) == 1;
    task->ran_in = pthread_self();
    task->ran = ++num_ran;
}

static void end(coll_mtree_plan_task_t *super)
{
    ((task_t *)super)->num_ended++;
}

static void add(task_t *task)
{
    task->super.run = run;
    task->super.end = end;
    coll_mtree_plan_thread_add(&task->super);
}

static void add_all(task_t tasks[TASKS])
{
    for (int i = 0; i < TASKS; i++) {
        add(&tasks[i]);
    }
}

static void poll_until_ended(const task_t *task)
{
    while (task->num_ended == 0) {
        (void)coll_mtree_plan_thread_poll();
        nap(1);
    }
}

UNIT_TEST(tasks_run_in_order_in_another_thread)
{
    task_t tasks[TASKS] = {0};

    add_all(tasks);
    for (int i = 0; i < TASKS; i++) {
        poll_until_ended(&tasks[i]);
        ck_assert_int_eq(tasks[i].ran, i + 1);
        ck_assert(!pthread_equal(tasks[i].ran_in, pthread_self()));
        ck_assert(tasks[i].blocks_signals);
        ck_assert_int_eq(tasks[i].num_ended, 1);
    }
}

UNIT_TEST(nothing_ends_without_a_poll)
{
    task_t task = {0};

    add(&task);
    nap(20);
    ck_assert_int_eq(task.num_ended, 0);
    poll_until_ended(&task);
}

UNIT_TEST(close_ends_tasks_that_have_not_run)
{
    task_t tasks[TASKS] = {0};
    int ended = 0;

    add_all(tasks);
    coll_mtree_plan_thread_close();
    for (int i = 0; i < TASKS; i++) {
        ended += tasks[i].num_ended;
    }
    ck_assert_int_eq(ended, TASKS);
    /* And it starts again. */
    tasks[0].num_ended = 0;
    add(&tasks[0]);
    poll_until_ended(&tasks[0]);
}

static void run_until_cancelled(coll_mtree_plan_task_t *super)
{
    while (!mtree_cancel_is_set()) {
        nap(1);
    }
    ((task_t *)super)->ran = ++num_ran;
}

UNIT_TEST(close_cancels_the_task_that_runs)
{
    task_t task = {.super = {.run = run_until_cancelled, .end = end}};
    task_t next = {0};

    coll_mtree_plan_thread_add(&task.super);
    nap(20);
    coll_mtree_plan_thread_close();
    ck_assert_int_eq(task.num_ended, 1);
    ck_assert(!mtree_cancel_is_set());
    add(&next);
    poll_until_ended(&next);
}

UNIT_FIXTURE(NULL, coll_mtree_plan_thread_close)

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/plan_thread.h"

#include "coll_mtree/base/helper_thread.h"

#include "base/cancel.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdatomic.h>

static struct {
    /* Changed under the lock; the number is also read without it. */
    pthread_mutex_t lock;
    pthread_cond_t added;
    mtree_list_t waiting, ended; /* tasks */
    atomic_int num_ended;
    pthread_t thread;
    bool is_running, stops;
    /* Held while a task runs: without a thread several of the program's may run some. */
    pthread_mutex_t turn;
} planning = {.lock = PTHREAD_MUTEX_INITIALIZER,
              .added = PTHREAD_COND_INITIALIZER,
              .waiting = {&planning.waiting, &planning.waiting},
              .ended = {&planning.ended, &planning.ended},
              .turn = PTHREAD_MUTEX_INITIALIZER};

static coll_mtree_plan_task_t *task_of(mtree_list_t *link)
{
    return MTREE_CONTAINER_OF(link, coll_mtree_plan_task_t, link);
}

/* Under the lock: @a task, which is in no list, has run. */
static void task_ended(coll_mtree_plan_task_t *task)
{
    mtree_list_append(&planning.ended, &task->link);
    atomic_fetch_add(&planning.num_ended, 1);
}

static void task_run(coll_mtree_plan_task_t *task)
{
    pthread_mutex_lock(&planning.turn);
    task->run(task);
    pthread_mutex_unlock(&planning.turn);
}

static void *thread_main(void *unused)
{
    mtree_list_t *link;

    pthread_mutex_lock(&planning.lock);
    while (!planning.stops) {
        link = mtree_list_take(&planning.waiting);
        if (link == NULL) {
            pthread_cond_wait(&planning.added, &planning.lock);
            continue;
        }
        pthread_mutex_unlock(&planning.lock);
        task_run(task_of(link));
        pthread_mutex_lock(&planning.lock);
        task_ended(task_of(link));
    }
    pthread_mutex_unlock(&planning.lock);
    return unused;
}

/* Under the lock. */
static bool thread_start(void)
{
    planning.is_running = planning.is_running || coll_mtree_helper_thread_start(
                                                     &planning.thread, thread_main, NULL);
    return planning.is_running;
}

void coll_mtree_plan_thread_add(coll_mtree_plan_task_t *task)
{
    bool started;

    mtree_list_init(&task->link);
    pthread_mutex_lock(&planning.lock);
    started = thread_start();
    if (started) {
        mtree_list_append(&planning.waiting, &task->link);
        pthread_cond_signal(&planning.added);
    }
    pthread_mutex_unlock(&planning.lock);
    if (!started) {
        task_run(task);
        task->end(task);
    }
}

/* A task that has ended; NULL: none. */
static coll_mtree_plan_task_t *take_ended(void)
{
    mtree_list_t *link;

    pthread_mutex_lock(&planning.lock);
    link = mtree_list_take(&planning.ended);
    if (link != NULL) {
        atomic_fetch_sub(&planning.num_ended, 1);
    }
    pthread_mutex_unlock(&planning.lock);
    return link == NULL ? NULL : task_of(link);
}

int coll_mtree_plan_thread_poll(void)
{
    coll_mtree_plan_task_t *task;
    int handled = 0;

    while (atomic_load_explicit(&planning.num_ended, memory_order_relaxed) > 0 &&
           (task = take_ended()) != NULL) {
        task->end(task);
        handled++;
    }
    return handled;
}

void coll_mtree_plan_thread_close(void)
{
    mtree_list_t *link;

    pthread_mutex_lock(&planning.lock);
    planning.stops = true;
    pthread_cond_signal(&planning.added);
    pthread_mutex_unlock(&planning.lock);
    mtree_cancel_set(true);
    if (planning.is_running) {
        pthread_join(planning.thread, NULL);
    }
    mtree_cancel_set(false);
    planning.is_running = planning.stops = false;
    while ((link = mtree_list_take(&planning.waiting)) != NULL) {
        task_ended(task_of(link));
    }
    (void)coll_mtree_plan_thread_poll();
}

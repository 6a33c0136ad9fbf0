/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/plan_thread.h"

#include "coll_mtree/base/helper_thread.h"

#include "base/cancel.h"
#include "base/clock.h"

#include <pthread.h>
#include <stdatomic.h>

/* All below are changed under the lock; the number is also read without it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static mtree_list_t waiting = {&waiting, &waiting};
static mtree_list_t ended = {&ended, &ended};
static atomic_int num_ended;
static pthread_t thread;
static bool is_running, stops;

/* Held while a task runs, since without a thread several of the program's may run some.
 */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static coll_mtree_plan_task_t *task_of(mtree_list_t *link)
{
    return MTREE_CONTAINER_OF(link, coll_mtree_plan_task_t, link);
}

/* Under the lock: @a task, which is in no list, has run. */
static void task_ended(coll_mtree_plan_task_t *task)
{
    mtree_list_append(&ended, &task->link);
    atomic_fetch_add(&num_ended, 1);
}

static void task_run(coll_mtree_plan_task_t *task)
{
    pthread_mutex_lock(&turn);
    task->run(task);
    pthread_mutex_unlock(&turn);
}

static void *thread_main(void *unused)
{
    mtree_list_t *link;

    pthread_mutex_lock(&lock);
    while (!stops) {
        link = mtree_list_take(&waiting);
        if (link == NULL) {
            pthread_cond_wait(&added, &lock);
            continue;
        }
        pthread_mutex_unlock(&lock);
        task_run(task_of(link));
        pthread_mutex_lock(&lock);
        task_ended(task_of(link));
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

/* Under the lock. */
static bool thread_start(void)
{
    is_running = is_running || coll_mtree_helper_thread_start(&thread, thread_main, NULL);
    return is_running;
}

void coll_mtree_plan_thread_add(coll_mtree_plan_task_t *task)
{
    bool started;

    mtree_list_init(&task->link);
    pthread_mutex_lock(&lock);
    started = thread_start();
    if (started) {
        mtree_list_append(&waiting, &task->link);
        pthread_cond_signal(&added);
    }
    pthread_mutex_unlock(&lock);
    if (!started) {
        task_run(task);
        task->end(task);
    }
}

/* A task that has ended; NULL: none. */
static coll_mtree_plan_task_t *take_ended(void)
{
    mtree_list_t *link;

    pthread_mutex_lock(&lock);
    link = mtree_list_take(&ended);
    if (link != NULL) {
        atomic_fetch_sub(&num_ended, 1);
    }
    pthread_mutex_unlock(&lock);
    return link == NULL ? NULL : task_of(link);
}

int coll_mtree_plan_thread_poll(void)
{
    coll_mtree_plan_task_t *task;
    int handled = 0;

    while (atomic_load_explicit(&num_ended, memory_order_relaxed) > 0 &&
           (task = take_ended()) != NULL) {
        task->end(task);
        handled++;
    }
    return handled;
}

void coll_mtree_plan_thread_close(void)
{
    mtree_list_t *link;

    pthread_mutex_lock(&lock);
    stops = true;
    pthread_cond_signal(&added);
    pthread_mutex_unlock(&lock);
    mtree_cancel_set(true);
    if (is_running) {
        pthread_join(thread, NULL);
    }
    mtree_cancel_set(false);
    is_running = stops = false;
    while ((link = mtree_list_take(&waiting)) != NULL) {
        task_ended(task_of(link));
    }
    (void)coll_mtree_plan_thread_poll();
}

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
static mtree_list_t awaited = {&awaited, &awaited};
static atomic_int num_watched; /* tasks that have ended or may become late */
static pthread_t thread;
static bool is_running, stops;

/* Held while a task runs, since without a thread several of the program's may run some.
 */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static coll_mtree_plan_task_t *task_of(mtree_list_t *link)
{
    return MTREE_CONTAINER_OF(link, coll_mtree_plan_task_t, link);
}

/* Under the lock: @a task cannot become late any more. */
static void await_no_more(coll_mtree_plan_task_t *task)
{
    if (task->patience > 0) {
        task->patience = 0;
        mtree_list_remove(&task->awaited);
        atomic_fetch_sub(&num_watched, 1);
    }
}

/* Under the lock: @a task, which is in no list, has run. */
static void task_ended(coll_mtree_plan_task_t *task)
{
    mtree_list_append(&ended, &task->link);
    atomic_fetch_add(&num_watched, 1);
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
    mtree_list_init(&task->awaited);
    task->in_late = false;
    pthread_mutex_lock(&lock);
    started = thread_start();
    if (started) {
        mtree_list_append(&waiting, &task->link);
        if (task->patience > 0) {
            task->worked = coll_mtree_helper_thread_worked(thread);
            task->began = mtree_clock_seconds();
            mtree_list_append(&awaited, &task->awaited);
            atomic_fetch_add(&num_watched, 1);
        }
        pthread_cond_signal(&added);
    }
    pthread_mutex_unlock(&lock);
    if (!started) {
        task_run(task);
        task->end(task);
    }
}

/* Under the lock: the first task that is late by now; NULL: none. */
static coll_mtree_plan_task_t *find_late(void)
{
    double worked = coll_mtree_helper_thread_worked(thread), now = mtree_clock_seconds();
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &awaited)
    {
        coll_mtree_plan_task_t *task =
            MTREE_CONTAINER_OF(link, coll_mtree_plan_task_t, awaited);

        if (worked - task->worked >= task->patience ||
            now - task->began >= COLL_MTREE_PLAN_THREAD_SHARE * task->patience) {
            return task;
        }
    }
    return NULL;
}

/* Under the lock: a task that has ended, and which nobody uses; NULL: none. */
static coll_mtree_plan_task_t *find_ended(void)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &ended)
    {
        if (!task_of(link)->in_late) {
            return task_of(link);
        }
    }
    return NULL;
}

/* A task that has ended; else with *is_late_p one that is late; or NULL. */
static coll_mtree_plan_task_t *take(bool *is_late_p)
{
    coll_mtree_plan_task_t *task;

    pthread_mutex_lock(&lock);
    task = find_ended();
    *is_late_p = task == NULL;
    if (task != NULL) {
        mtree_list_remove(&task->link);
        atomic_fetch_sub(&num_watched, 1);
    } else {
        task = mtree_list_is_empty(&awaited) ? NULL : find_late();
    }
    if (task != NULL) {
        task->in_late = *is_late_p;
        await_no_more(task);
    }
    pthread_mutex_unlock(&lock);
    return task;
}

/* Other threads may find that it has ended meanwhile, and `end` frees it. */
static void task_late(coll_mtree_plan_task_t *task)
{
    task->late(task);
    pthread_mutex_lock(&lock);
    task->in_late = false;
    pthread_mutex_unlock(&lock);
}

int coll_mtree_plan_thread_poll(void)
{
    coll_mtree_plan_task_t *task;
    bool is_late;
    int handled = 0;

    while (atomic_load_explicit(&num_watched, memory_order_relaxed) > 0 &&
           (task = take(&is_late)) != NULL) {
        if (is_late) {
            task_late(task);
        } else {
            task->end(task);
        }
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

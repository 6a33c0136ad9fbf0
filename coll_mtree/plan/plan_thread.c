/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/mtree_config.h"

#include "coll_mtree/plan/plan_thread.h"

#include "base/clock.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

/* All below are changed under the lock; the number is also read without it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t added = PTHREAD_COND_INITIALIZER;
static mtree_list_t waiting = {&waiting, &waiting};
static mtree_list_t ended = {&ended, &ended};
static mtree_list_t deadlines = {&deadlines, &deadlines};
static atomic_int num_watched; /* tasks that have ended or have a deadline */
static pthread_t thread;
static bool is_running, stops;

static coll_mtree_plan_task_t *task_of(mtree_list_t *link)
{
    return MTREE_CONTAINER_OF(link, coll_mtree_plan_task_t, link);
}

/* Under the lock: the deadline of @a task counts no more. */
static void forget_deadline(coll_mtree_plan_task_t *task)
{
    if (task->deadline > 0) {
        task->deadline = 0;
        mtree_list_remove(&task->deadlines);
        atomic_fetch_sub(&num_watched, 1);
    }
}

/* Under the lock: @a task, which is in no list, has run. */
static void task_ended(coll_mtree_plan_task_t *task)
{
    mtree_list_append(&ended, &task->link);
    atomic_fetch_add(&num_watched, 1);
}

/* A process may be bound to the processor on which its program polls.  The kernel leaves
 * out the processors that the job does not have. */
static void use_all_processors(void)
{
    cpu_set_t all;

    memset(&all, 0xff, sizeof(all));
    (void)pthread_setaffinity_np(pthread_self(), sizeof(all), &all);
}

static void *thread_main(void *unused)
{
    mtree_list_t *link;

    use_all_processors();
    pthread_mutex_lock(&lock);
    while (!stops) {
        link = mtree_list_take(&waiting);
        if (link == NULL) {
            pthread_cond_wait(&added, &lock);
            continue;
        }
        pthread_mutex_unlock(&lock);
        task_of(link)->run(task_of(link));
        pthread_mutex_lock(&lock);
        task_ended(task_of(link));
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

/* Under the lock; signals are the program's threads'. */
static bool thread_start(void)
{
    sigset_t all, before;

    if (!is_running) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        is_running = pthread_create(&thread, NULL, thread_main, NULL) == 0;
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    return is_running;
}

void coll_mtree_plan_thread_add(coll_mtree_plan_task_t *task)
{
    bool started;

    mtree_list_init(&task->link);
    mtree_list_init(&task->deadlines);
    pthread_mutex_lock(&lock);
    started = thread_start();
    if (started) {
        mtree_list_append(&waiting, &task->link);
        if (task->deadline > 0) {
            mtree_list_append(&deadlines, &task->deadlines);
            atomic_fetch_add(&num_watched, 1);
        }
        pthread_cond_signal(&added);
    }
    pthread_mutex_unlock(&lock);
    if (!started) {
        task->run(task);
        task->end(task);
    }
}

/* A task that has ended; else with *is_late_p one whose deadline has passed; or NULL. */
static coll_mtree_plan_task_t *take(bool *is_late_p)
{
    coll_mtree_plan_task_t *task = NULL;
    mtree_list_t *link;

    *is_late_p = false;
    pthread_mutex_lock(&lock);
    link = mtree_list_take(&ended);
    if (link != NULL) {
        task = task_of(link);
        atomic_fetch_sub(&num_watched, 1);
        forget_deadline(task);
    } else if (!mtree_list_is_empty(&deadlines)) {
        double now = mtree_clock_seconds();

        MTREE_LIST_FOR_EACH(link, &deadlines)
        {
            task = MTREE_CONTAINER_OF(link, coll_mtree_plan_task_t, deadlines);
            *is_late_p = now >= task->deadline;
            if (*is_late_p) {
                break;
            }
        }
        if (*is_late_p) {
            forget_deadline(task);
        } else {
            task = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    return task;
}

int coll_mtree_plan_thread_poll(void)
{
    coll_mtree_plan_task_t *task;
    bool is_late;
    int handled = 0;

    while (atomic_load_explicit(&num_watched, memory_order_relaxed) > 0 &&
           (task = take(&is_late)) != NULL) {
        if (is_late) {
            task->late(task);
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
    if (is_running) {
        pthread_join(thread, NULL);
    }
    is_running = stops = false;
    while ((link = mtree_list_take(&waiting)) != NULL) {
        task_ended(task_of(link));
    }
    (void)coll_mtree_plan_thread_poll();
}

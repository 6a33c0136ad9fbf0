/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thread that plans on rank 0, so that no caller of MPI does.
 *
 * It runs one task at a time, in the order in which they were added, and calls neither
 * MPI nor Open MPI: it has no part in their locks and their progress.  What follows from
 * a task, messages above all, is done by the threads of the program, in
 * coll_mtree_plan_thread_poll().  It blocks all signals.  It has the priority of the
 * program's threads, since those that wait for a plan poll, and would keep a lesser one
 * from its processor.  No Open MPI header is used.
 */
#ifndef COLL_MTREE_PLAN_PLAN_THREAD_H
#define COLL_MTREE_PLAN_PLAN_THREAD_H

#include "base/list.h"

#include <stdbool.h>

/* A member of what is to be planned, which stays until the call of `end`. */
typedef struct coll_mtree_plan_task {
    void (*run)(struct coll_mtree_plan_task *task); /* in the planning thread */
    void (*end)(struct coll_mtree_plan_task *task); /* after `run` */
    mtree_list_t link;                              /* waits for the thread, or has run */
} coll_mtree_plan_task_t;

/* Have @a task run, whose functions are set.  The first one starts the
 * thread; without a thread it runs at once. */
void coll_mtree_plan_thread_add(coll_mtree_plan_task_t *task);

/* Call `end` of the tasks that have run; how many.  From any thread but
 * the planning one. */
int coll_mtree_plan_thread_poll(void);

/* End the thread.  The task that runs is cancelled (base/cancel.h); tasks that have not
 * run only end. */
void coll_mtree_plan_thread_close(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/failure_monitor.h"

#include "opal/runtime/opal_progress.h"

static coll_mtree_failure_monitor_t *watches;
static unsigned removals; /* messages that have come to their end so far */

/*
 * Who gives a message up holds the lock while its callback runs, in the same thread; so
 * no other thread can free a request that is being looked at.
 */
static opal_recursive_mutex_t lock;
static bool is_open;

/* Give up the first message of a broken communicator that can be; false: there is none.
 */
static bool watch_sweep(void)
{
    unsigned before = removals;

    for (coll_mtree_failure_monitor_t *watch = watches; watch != NULL;
         watch = watch->next) {
        if (coll_mtree_loss_of(watch->comm) == OMPI_SUCCESS) {
            continue;
        }
        for (mtree_completion_t *done = watch->first; done != NULL; done = done->next) {
            coll_mtree_request_give_up(done->message);
            /* Callbacks may have changed all of the lists. */
            if (removals != before) {
                return true;
            }
        }
    }
    return false;
}

static int watch_progress(void)
{
    unsigned before;
    int ended;

    if (watches == NULL) {
        return 0;
    }
    opal_mutex_lock(&lock);
    before = removals;
    while (watch_sweep()) {}
    ended = (int)(removals - before);
    opal_mutex_unlock(&lock);
    return ended;
}

void coll_mtree_failure_monitor_open(void)
{
    if (coll_mtree_survives()) {
        OBJ_CONSTRUCT(&lock, opal_recursive_mutex_t);
        is_open = true;
        opal_progress_register_lp(watch_progress);
    }
}

void coll_mtree_failure_monitor_close(void)
{
    if (is_open) {
        opal_progress_unregister(watch_progress);
        OBJ_DESTRUCT(&lock);
        is_open = false;
    }
}

void coll_mtree_failure_monitor_add(coll_mtree_failure_monitor_t *watch,
                                    mtree_completion_t *done)
{
    if (!is_open) {
        return;
    }
    opal_mutex_lock(&lock);
    if (watch->first == NULL) {
        watch->next = watches;
        watches = watch;
    } else {
        watch->first->previous = done;
    }
    done->previous = NULL;
    done->next = watch->first;
    watch->first = done;
    opal_mutex_unlock(&lock);
}

static void watch_remove(coll_mtree_failure_monitor_t *watch, mtree_completion_t *done)
{
    if (done->previous == NULL) {
        watch->first = done->next;
    } else {
        done->previous->next = done->next;
    }
    if (done->next != NULL) {
        done->next->previous = done->previous;
    }
    if (watch->first == NULL) {
        coll_mtree_failure_monitor_t **at = &watches;

        while (*at != watch) {
            at = &(*at)->next;
        }
        *at = watch->next;
    }
    removals++;
}

void coll_mtree_failure_monitor_free(coll_mtree_failure_monitor_t *watch,
                                     mtree_completion_t *done)
{
    ompi_request_t *request = done->message;

    if (!is_open) {
        request->req_free(&request);
        return;
    }
    opal_mutex_lock(&lock);
    watch_remove(watch, done);
    request->req_free(&request);
    opal_mutex_unlock(&lock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/transport/failure_monitor.h"

#include "coll_mtree/transport/progress.h"

#include <stdatomic.h>

/* Calls of the poller from one look at the communicators to the next. */
#define CALLS_PER_LOOK 8

static struct {
    bool is_open;
    mtree_list_t list; /* coll_mtree_monitored_t with messages */
    unsigned removals; /* messages that have completed so far */
    /* A thread that gives a message up holds it while the message's callback runs, in the
     * same thread; so no other thread can free a request that is being looked at. */
    opal_recursive_mutex_t lock;
} all = {.list = {&all.list, &all.list}};

/* Give up the first message of a broken communicator that can be; false: there is none.
 */
static bool sweep(void)
{
    unsigned before = all.removals;
    mtree_list_t *link, *of_one;

    MTREE_LIST_FOR_EACH(link, &all.list)
    {
        coll_mtree_monitored_t *monitored =
            MTREE_CONTAINER_OF(link, coll_mtree_monitored_t, link);

        if (coll_mtree_loss_of(monitored->comm) == OMPI_SUCCESS) {
            continue;
        }
        MTREE_LIST_FOR_EACH(of_one, &monitored->messages)
        {
            coll_mtree_request_give_up(
                MTREE_CONTAINER_OF(of_one, mtree_completion_t, link)->message);
            /* Callbacks may have changed all of the lists. */
            if (all.removals != before) {
                return true;
            }
        }
    }
    return false;
}

static int look_for_losses(void)
{
    static atomic_uint calls;
    unsigned before;
    int ended;

    if (mtree_list_is_empty(&all.list) ||
        atomic_fetch_add(&calls, 1) % CALLS_PER_LOOK != 0) {
        return 0;
    }
    opal_mutex_lock(&all.lock);
    before = all.removals;
    while (sweep()) {}
    ended = (int)(all.removals - before);
    opal_mutex_unlock(&all.lock);
    return ended;
}

void coll_mtree_failure_monitor_open(void)
{
    if (coll_mtree_survives()) {
        OBJ_CONSTRUCT(&all.lock, opal_recursive_mutex_t);
        all.is_open = true;
        coll_mtree_progress_add(look_for_losses);
    }
}

void coll_mtree_failure_monitor_close(void)
{
    if (all.is_open) {
        coll_mtree_progress_remove(look_for_losses);
        OBJ_DESTRUCT(&all.lock);
        all.is_open = false;
    }
}

bool coll_mtree_failure_monitor_is_open(void)
{
    return all.is_open;
}

void coll_mtree_monitored_init(coll_mtree_monitored_t *monitored,
                               ompi_communicator_t *comm)
{
    monitored->comm = comm;
    mtree_list_init(&monitored->messages);
    mtree_list_init(&monitored->link);
}

void coll_mtree_failure_monitor_add(coll_mtree_monitored_t *monitored,
                                    mtree_completion_t *done)
{
    if (!all.is_open) {
        return;
    }
    opal_mutex_lock(&all.lock);
    if (mtree_list_is_empty(&monitored->messages)) {
        mtree_list_append(&all.list, &monitored->link);
    }
    mtree_list_append(&monitored->messages, &done->link);
    opal_mutex_unlock(&all.lock);
}

void coll_mtree_failure_monitor_free(coll_mtree_monitored_t *monitored,
                                     mtree_completion_t *done)
{
    ompi_request_t *request = done->message;

    if (!all.is_open) {
        request->req_free(&request);
        return;
    }
    opal_mutex_lock(&all.lock);
    mtree_list_remove(&done->link);
    if (mtree_list_is_empty(&monitored->messages)) {
        mtree_list_remove(&monitored->link);
    }
    all.removals++;
    request->req_free(&request);
    opal_mutex_unlock(&all.lock);
}

void coll_mtree_failure_monitor_cancel(coll_mtree_monitored_t *monitored,
                                       mtree_completion_t *done)
{
    mtree_list_t *link;

    opal_mutex_lock(&all.lock);
    MTREE_LIST_FOR_EACH(link, &monitored->messages)
    {
        if (link == &done->link) {
            (void)ompi_request_cancel(done->message);
            break;
        }
    }
    opal_mutex_unlock(&all.lock);
}
